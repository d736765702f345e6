package cmd

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/credentials"
	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/settings"
)

// The results of a check.
const (
	checkOK      = "ok"
	checkWarning = "warning"
	checkError   = "error"
	checkSkipped = "skipped"
)

// checkRow is what one check of the doctor found, and the remedy.
type checkRow struct {
	Check   string      `json:"check"`
	Result  string      `json:"result"`
	Finding cli.Message `json:"finding"`
	Remedy  cli.Message `json:"remedy"`

	exit int // of an error
}

func checkRows(l lang.Language) render.Schema[checkRow] {
	return render.Schema[checkRow]{One: "check", Many: "checks", Columns: []render.Column[checkRow]{
		{Name: "check", Value: func(f checkRow) string { return f.Check }},
		{Name: "result", Value: func(f checkRow) string { return f.Result }},
		{Name: "finding", Value: func(f checkRow) string { return f.Finding.Text(l) }},
		{Name: "remedy", Value: func(f checkRow) string { return f.Remedy.Text(l) }},
	}, JSON: cli.ToJSON[checkRow]}
}

func newDoctor(e *cli.Env) *cobra.Command {
	var offline bool
	c := &cobra.Command{
		Use: "doctor", Short: "Look for what is wrong with the set-up, and say the remedy", Args: cli.Args(cobra.NoArgs),
		Long: `Check the configuration file, permissions, context, proxy, name, connection, TLS,
clock, keyring, access token and API, one after the other. Each is a row with the
remedy. Nothing is changed, and nothing is waited for longer than 10 seconds, or
--timeout. The exit code is that of the first error, since later ones may follow
from it; warnings are exit 0.`,
		Example: "  ativa doctor --offline\n  ativa doctor -o json --context work --jq '.checks[] | select(.result != \"ok\")'",
		RunE:    func(c *cobra.Command, _ []string) error { return runDoctor(c.Context(), e, offline) },
	}
	c.Flags().BoolVar(&offline, "offline", false, "check only what needs no network")
	return c
}

// doctor gathers findings; each check leaves what the next ones need.
type doctor struct {
	*cli.Env
	limit  time.Duration
	chosen settings.Context
	found  []checkRow
}

func runDoctor(ctx context.Context, e *cli.Env, offline bool) error {
	p, err := cli.NewPrinter(e, checkRows(e.CellLanguage()))
	if err != nil {
		return err
	}
	d := &doctor{Env: e, limit: 10 * time.Second}
	if e.Global.Timeout > 0 {
		d.limit = e.Global.Timeout
	}
	if err := d.look(ctx, offline); err != nil {
		return err
	}
	if err := p.List(ctx, cli.Rows(d.found)); err != nil {
		return err
	}
	exit := cli.ExitOK
	for _, f := range d.found {
		if f.Result == checkError && exit == cli.ExitOK {
			exit = f.exit
		}
		if !f.Remedy.IsEmpty() && p.Format() == render.FormatTable { // whose cells may be cut
			e.Notice("%s: %s: %s", f.Check, f.Finding, f.Remedy)
		}
	}
	if exit != cli.ExitOK {
		return &cli.SilentExit{Code: exit}
	}
	return nil
}

// look runs the checks. Its only error is an interruption.
func (d *doctor) look(ctx context.Context, offline bool) error {
	ready := d.file()
	d.permissions()
	ready = d.context(ready) && ready
	switch {
	case offline:
		d.skip(cli.Msg("--offline"), "proxy", "name", "connection", "tls", "clock")
	case !ready:
		d.skip(cli.Msg("no server"), "proxy", "name", "connection", "tls", "clock")
	default:
		d.network(ctx)
	}
	token := false
	if ready {
		token = d.token(ctx)
	} else {
		d.skip(cli.Msg("no context"), "keyring", "token")
	}
	switch {
	case offline:
		d.skip(cli.Msg("--offline"), "api")
	case !token || d.failed("connection"):
		d.skip(cli.Msg("needs a token and a connection"), "api")
	default:
		d.api(ctx)
	}
	return ctx.Err()
}

func (d *doctor) ok(check string, what cli.Message) {
	d.found = append(d.found, checkRow{Check: check, Result: checkOK, Finding: what})
}

func (d *doctor) warn(check string, what, remedy cli.Message) {
	d.found = append(d.found, checkRow{Check: check, Result: checkWarning, Finding: what, Remedy: remedy})
}

func (d *doctor) wrong(exit int, check string, what, remedy cli.Message) {
	d.found = append(d.found, checkRow{check, checkError, what, remedy, exit})
}

func (d *doctor) skip(why cli.Message, checks ...string) {
	for _, check := range checks {
		d.found = append(d.found, checkRow{Check: check, Result: checkSkipped, Finding: why})
	}
}

// failed tells whether a check ended with an error.
func (d *doctor) failed(check string) bool {
	for _, f := range d.found {
		if f.Check == check && f.Result == checkError {
			return true
		}
	}
	return false
}

// token looks for the token as every command does; what became of the keyring
// on the way is a row of its own.
func (d *doctor) token(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, d.limit)
	defer cancel()
	sources := d.Sources(d.chosen)
	sources.Stdin, sources.CommandTimeout = nil, d.limit
	sources.Keyring.ReadTimeout = min(3*time.Second, d.limit)
	token, attempts, err := credentials.Resolve(ctx, sources)
	for _, a := range attempts {
		if a.Source == credentials.FromKeyring {
			d.keyring(a)
		}
	}
	if err != nil {
		d.wrong(cli.ExitAuth, "token", cli.Msg("%s", err), cli.Diagnose(err).Hint)
		return false
	}
	d.ok("token", cli.Msg("from %s", string(token.Source)))
	return true
}

// keyring tells what became of the keyring. That it cannot be used is an error
// only where login has put the token there.
func (d *doctor) keyring(a credentials.Attempt) {
	report := d.warn
	if credentials.Storage(d.chosen.Storage) == credentials.StorageKeyring {
		report = func(check string, what, remedy cli.Message) { d.wrong(cli.ExitAuth, check, what, remedy) }
	}
	what := cli.Msg(a.Reason.Text())
	if a.Err != nil {
		what = cli.Msg("%s: %s", what, a.Err)
	}
	switch a.Reason {
	case credentials.Used:
		d.ok("keyring", cli.Msg("holds the token"))
	case credentials.NotReached:
		d.ok("keyring", cli.Msg("not needed: the token comes from elsewhere"))
	case credentials.OtherStorage:
		d.ok("keyring", cli.Msg("not needed: login keeps the token in a file"))
	case credentials.NotFound:
		if credentials.Storage(d.chosen.Storage) != credentials.StorageKeyring {
			d.ok("keyring", cli.Msg("answers, and holds no token of this context"))
			return
		}
		report("keyring", what, cli.Msg("run `ativa login`"))
	default:
		report("keyring", what, cli.Msg("unlock or start it, or keep the token in a file: ativa login --storage file"))
	}
}

// api authenticates and asks for the statuses, as every command does.
func (d *doctor) api(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, d.limit)
	defer cancel()
	err := func() error {
		o := d.ClientOptions(d.chosen)
		o.Tokens, o.Retry = cli.Tokens{Source: d.BearerSource(d.chosen)}, client.RetryPolicy{MaxAttempts: 1}
		c, err := client.New(o)
		if err != nil {
			return err
		}
		defer c.Close()
		answer, err := c.Do(ctx, client.Request{Method: http.MethodGet, Path: "/products/status"})
		if err == nil {
			d.ok("api", cli.Msg("answers; %s", extensionsOf(answer.Header)))
		}
		return err
	}()
	if err != nil {
		x := cli.Diagnose(err)
		d.wrong(x.Exit, "api", cli.Msg("%s", err), x.Hint)
	}
}

// network makes one request without a token, through the client that every
// command uses, and listens to what happens on the way.
func (d *doctor) network(ctx context.Context) {
	server, err := url.Parse(d.chosen.Server)
	if err != nil {
		d.wrong(cli.ExitUsage, "connection", cli.Msg("the server is not a URL"), cli.Msg("set it: ativa config set server URL"))
		return
	}
	d.proxy(server)
	ctx, cancel := context.WithTimeout(ctx, d.limit)
	defer cancel()
	var way journey
	start := time.Now()
	answer, err := d.knock(httptrace.WithClientTrace(ctx, way.trace()))
	d.name(server, &way)
	d.connection(server, &way, err)
	d.tls(server, &way, err)
	d.clock(answer.Header.Get("Date"), start, time.Now())
}

// knock asks for the statuses without a token. A refusal is an answer.
func (d *doctor) knock(ctx context.Context) (client.Response, error) {
	o := d.ClientOptions(d.chosen)
	o.Retry = client.RetryPolicy{MaxAttempts: 1}
	o.ConnectTimeout, o.IdleTimeout, o.Timeout = d.limit, d.limit, d.limit
	c, err := client.New(o)
	if err != nil {
		return client.Response{}, err
	}
	defer c.Close()
	answer, err := c.Do(ctx, client.Request{Method: http.MethodGet, Path: "/products/status"})
	if answer.Status != 0 {
		err = nil
	}
	return answer, err
}

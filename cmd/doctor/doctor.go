// Package doctor is `ativa doctor`: it decides the checks of a set-up, their order, and
// the remedy of each fault. It changes nothing, and refuses to know any other command.
package doctor

import (
	"cmp"
	"context"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/credentials"
	"ativa/internal/failure"
	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/settings"
)

// The results of a check.
const (
	ResultOK      = "ok"
	ResultWarning = "warning"
	ResultError   = "error"
	ResultSkipped = "skipped"
)

// Check is the result of one check, with the remedy.
type Check struct {
	Name    string      `json:"check"`
	Result  string      `json:"result"`
	Finding cli.Message `json:"finding"`
	Remedy  cli.Message `json:"remedy"`

	exit int // exit code of an error
}

// Schema returns the columns of checks, with their texts in the language l.
func Schema(l lang.Language) render.Schema[Check] {
	return render.Schema[Check]{One: "check", Many: "checks", Columns: []render.Column[Check]{
		{Name: "check", Kind: render.Word, Value: func(f Check) string { return f.Name }},
		{Name: "result", Kind: render.Word, Value: func(f Check) string { return f.Result }},
		{Name: "finding", Kind: render.Prose, Value: func(f Check) string { return f.Finding.Text(l) }},
		{Name: "remedy", Kind: render.Prose, Value: func(f Check) string { return f.Remedy.Text(l) }},
	}, JSON: cli.ToJSON[Check]}
}

// New returns the command.
func New(e *cli.Env) *cobra.Command {
	var offline bool
	c := &cobra.Command{
		Use: "doctor", Short: "Check the set-up, and name the remedy for each fault", GroupID: "setup", Args: cli.Args(cobra.NoArgs),
		SuggestFor:  []string{"diagnose", "diagnostico", "diagnóstico"},
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits},
		Long: `Check the configuration file, permissions, context, proxy, name, connection, TLS,
clock, keyring, access token and API, one after the other. Each is a row with the
remedy. Nothing is changed, and no check takes longer than 10 seconds, or --timeout.
The first error decides the exit code, since later ones may follow from it;
warnings are exit 0.`,
		Example: "  ativa doctor --offline\n  ativa doctor -o json --context work --jq '.checks[] | select(.result != \"ok\")'",
	}
	c.Flags().BoolVar(&offline, "offline", false, "check only what needs no network")
	schema := func() render.Schema[Check] { return Schema(e.CellLanguage()) }
	return cli.Prints(e, schema, c, func(ctx context.Context, p *render.Printer[Check], _ []string) error { return run(ctx, e, p, offline) })
}

// checker runs the checks in order; each stores results for the next ones.
type checker struct {
	*cli.Env
	timeout time.Duration
	chosen  settings.Context
	checks  []Check
}

func run(ctx context.Context, e *cli.Env, p *render.Printer[Check], offline bool) error {
	d := &checker{Env: e, timeout: cmp.Or(e.Global.Timeout, 10*time.Second)}
	if err := d.runChecks(ctx, offline); err != nil {
		return err
	}
	exit := d.exit()
	p.Respond(cli.Response(exit, false))
	if err := p.Results(ctx, nil, d.checks); err != nil {
		return err
	}
	for i, f := range d.checks {
		if !f.Remedy.IsEmpty() && p.Format() == render.FormatTable && i != d.firstError() { // a table may truncate cells
			e.Notice("%s: %s: %s", lang.Term(f.Name), f.Finding, f.Remedy)
		}
	}
	return exit
}

// exit returns the error of the first check that failed.
func (d *checker) exit() error {
	i := d.firstError()
	if i < 0 {
		return nil
	}
	f := d.checks[i]
	return &cli.Failure{Exit: f.exit, Code: "check_failed", Message: cli.Msg("%s: %s", lang.Term(f.Name), f.Finding), Hint: f.Remedy}
}

// firstError returns the index of the first check that failed, -1 for none.
func (d *checker) firstError() int {
	return slices.IndexFunc(d.checks, func(f Check) bool { return f.Result == ResultError })
}

// runChecks runs the checks. It returns an error only if interrupted.
func (d *checker) runChecks(ctx context.Context, offline bool) error {
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

func (d *checker) ok(check string, what cli.Message) {
	d.checks = append(d.checks, Check{Name: check, Result: ResultOK, Finding: what})
}

func (d *checker) warn(check string, what, remedy cli.Message) {
	d.checks = append(d.checks, Check{Name: check, Result: ResultWarning, Finding: what, Remedy: remedy})
}

func (d *checker) fail(exit int, check string, what, remedy cli.Message) {
	d.checks = append(d.checks, Check{check, ResultError, what, remedy, exit})
}

func (d *checker) failWith(check string, err error) {
	x := failure.OutcomeOf(err)
	d.fail(x.Exit, check, cli.Msg("%s", err), x.Hint)
}

func (d *checker) skip(why cli.Message, checks ...string) {
	for _, check := range checks {
		d.checks = append(d.checks, Check{Name: check, Result: ResultSkipped, Finding: why})
	}
}

// failed reports whether a check ended with an error.
func (d *checker) failed(check string) bool {
	return slices.ContainsFunc(d.checks, func(c Check) bool { return c.Name == check && c.Result == ResultError })
}

// token resolves the token like every command. It reports the keyring as a separate check.
func (d *checker) token(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	sources := d.Sources(d.chosen)
	sources.Stdin, sources.CommandTimeout = nil, d.timeout
	sources.Keyring.Timeout = min(3*time.Second, d.timeout)
	token, attempts, err := credentials.Resolve(ctx, sources)
	for _, a := range attempts {
		if a.Source == credentials.FromKeyring {
			d.keyring(a)
		}
	}
	if err != nil {
		d.failWith("token", err)
		return false
	}
	d.ok("token", cli.Msg("from %s", lang.Term(token.Source)))
	return true
}

// keyring reports the attempt to read the keyring. An unusable keyring is an error only if it
// holds the login's token.
func (d *checker) keyring(a credentials.Attempt) {
	report := d.warn
	if d.chosen.Storage == credentials.StorageKeyring {
		report = func(check string, what, remedy cli.Message) { d.fail(cli.ExitAuth, check, what, remedy) }
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
		if d.chosen.Storage != credentials.StorageKeyring {
			d.ok("keyring", cli.Msg("answers, and holds no token of this context"))
			return
		}
		report("keyring", what, cli.Msg("run `ativa login`"))
	default:
		report("keyring", what, cli.Msg("unlock or start it, or keep the token in a file: ativa login --storage file"))
	}
}

// api authenticates and requests the statuses, like every command.
func (d *checker) api(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	err := func() error {
		o := d.ClientOptions(d.chosen)
		o.Retry = client.RetryPolicy{MaxAttempts: 1}
		c, err := cli.NewClient(ctx, o, d.BearerSource(d.chosen))
		if err != nil {
			return err
		}
		defer c.Close()
		answer, err := c.Do(ctx, client.Request{Method: http.MethodGet, Path: "/products/status"})
		if err == nil {
			d.ok("api", cli.Msg("answers; %s", extensionsMessage(answer.Header)))
			d.scopes(ctx, c)
		}
		return err
	}()
	if err != nil {
		d.failWith("api", err)
	}
}

// scopes reports the server's data about the access token. A server without scopes skips it.
func (d *checker) scopes(ctx context.Context, c *client.Client) {
	token, err := c.AccessToken(ctx)
	what := d.tokenMessage(token)
	switch {
	case err != nil || what.IsEmpty(): // the API answered, so the token is valid
	case cli.TokenExpiresSoon(token, d.Now()):
		d.warn("scopes", what, cli.TokenRemedy())
	default:
		d.ok("scopes", what)
	}
}

// network makes one request without a token, through the commands' client, and traces its
// connection.
func (d *checker) network(ctx context.Context) {
	server, err := url.Parse(d.chosen.Server)
	if err != nil {
		d.fail(cli.ExitUsage, "connection", cli.Msg("the server is not a URL"), cli.Msg("set it: ativa config set server URL"))
		return
	}
	d.proxy(server)
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	var trace connectionTrace
	start := time.Now()
	answer, err := d.request(httptrace.WithClientTrace(ctx, trace.hooks()))
	d.name(server, &trace)
	d.connection(server, &trace, err)
	d.tls(server, &trace, err)
	d.clock(answer.Header.Get("Date"), start, time.Now())
}

// request reads the statuses without a token. A refusal counts as a response.
func (d *checker) request(ctx context.Context) (client.Response, error) {
	o := d.ClientOptions(d.chosen)
	o.Retry = client.RetryPolicy{MaxAttempts: 1}
	o.ConnectTimeout, o.IdleTimeout, o.Timeout = d.timeout, d.timeout, d.timeout
	c, err := cli.Await(ctx, func() (*client.Client, error) { return client.New(o) })
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

// tokenMessage describes name, scopes and expiry of an access token. It is empty on a
// server without scopes.
func (d *checker) tokenMessage(t api.AccessToken) cli.Message {
	switch {
	case len(t.Scopes) == 0:
		return cli.Message{}
	case t.ExpiresAt.IsZero():
		return cli.Msg("token %s, which may %s and does not expire", t.Name, t.ScopeList())
	}
	return cli.Msg("token %s, which may %s and expires on %s", t.Name, t.ScopeList(), d.DateTime(t.ExpiresAt.Time))
}

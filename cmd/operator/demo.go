package operator

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/lifecycle"
)

// sample is a spreadsheet as Excel writes it in Brazil, with three mistakes.
//
//go:embed sample/assinantes.csv
var sample []byte

// NewDemo returns `ativa demo`.
func NewDemo(e *cli.Env) *cobra.Command {
	var keep bool
	c := &cobra.Command{
		Use: "demo", Short: "The whole job in one go: service, simulated partner, CSV import, provisioning, result", GroupID: "service", Args: cli.Args(cobra.NoArgs),
		Annotations: map[string]string{cli.ExitCodes: "130 143"},
		Long: `Run the whole job in one go, on a database of its own: start the service with a
simulated partner, import a spreadsheet of 200 rows, follow the activation links
that were mailed, suspend, change and cancel services, and show the result. It
needs nothing and leaves nothing behind, unless --keep.`,
		Example: "  ativa demo\n  ativa demo --keep",
		RunE:    func(c *cobra.Command, _ []string) error { return runDemo(c.Context(), e, keep) },
	}
	c.Flags().BoolVar(&keep, "keep", false, "keep the directory with database, e-mails and reports")
	return c
}

// demo is one run: a service, and commands run against it.
type demo struct {
	*cli.Env
	dir     string
	mail    string
	service *Service
	token   string
	unread  chan os.Signal // receives a signal when the output's reader is gone
}

func runDemo(ctx context.Context, e *cli.Env, keep bool) (err error) {
	dir, err := os.MkdirTemp("", "ativa-demo-")
	if err != nil {
		return err
	}
	d := &demo{Env: e, dir: dir, mail: filepath.Join(dir, "mail"), unread: make(chan os.Signal, 1)}
	signal.Notify(d.unread, syscall.SIGPIPE) // SIGPIPE would end the process without removing its files
	defer signal.Stop(d.unread)
	defer func() {
		if d.service != nil {
			err = errors.Join(err, d.service.Stop())
		}
		if !keep {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	d.print("The whole job in less than a minute: import, activation by e-mail, changes.")
	for _, step := range []func(context.Context) error{d.start, d.importSample, d.activateByMail, d.provisionSome, d.showResult} {
		switch err := step(ctx); {
		case len(d.unread) > 0:
			return nil // the reader is gone: nothing to report
		case err != nil:
			return err
		}
	}
	d.printNext(keep)
	return nil
}

func (d *demo) print(english string, args ...any) { fmt.Fprintln(d.Out, d.Text(english, args...)) }

func (d *demo) title(english string) {
	fmt.Fprintln(d.Out, "\n── "+d.Text(english))
}

func (d *demo) start(ctx context.Context) error {
	d.title("A server with its own database, a provider, four products and a simulated partner")
	options := ServeOptions{Listen: "127.0.0.1:0", DB: "sqlite:" + filepath.Join(d.dir, "ativa.db"), DeliveryOptions: DeliveryOptions{MailDir: d.mail, MailFrom: "ativacao@demo.example"}}
	var err error
	if d.service, err = StartService(ctx, options, slog.New(slog.NewTextHandler(io.Discard, nil))); err != nil {
		return err
	}
	if d.token, err = CreateDemoData(ctx, d.service.Parts, 1000, 300*time.Millisecond); err != nil {
		return err
	}
	d.print("listening on %s", d.service.URL)
	return d.runCommand(ctx, cli.ExitOK, "products")
}

// runCommand prints a command as a user would type it, and runs it.
func (d *demo) runCommand(ctx context.Context, want int, args ...string) error {
	fmt.Fprintf(d.Out, "\n$ ativa %s\n", strings.Join(args, " "))
	user := d.userEnv()
	switch exit := d.RunCommand(ctx, user, args); {
	case ctx.Err() != nil:
		return &cli.SilentExit{Code: cli.ExitInterrupted} // the command has reported it
	case len(d.unread) > 0:
		return io.ErrClosedPipe
	case exit != want:
		return fmt.Errorf("ativa %s: exit %d, want %d", strings.Join(args, " "), exit, want)
	}
	return ctx.Err()
}

// userEnv returns the environment of a user whose home is the demo's directory.
func (d *demo) userEnv() *cli.Env {
	set := map[string]string{
		"HOME": d.dir, "XDG_CONFIG_HOME": filepath.Join(d.dir, "config"), "XDG_STATE_HOME": filepath.Join(d.dir, "state"),
		"XDG_CACHE_HOME": filepath.Join(d.dir, "cache"), "ATIVA_SERVER": d.service.URL, "ATIVA_ACCESS_TOKEN": d.token, "ATIVA_CONTEXT": "",
		"ATIVA_LANG": string(d.Lang), "ATIVA_PROXY": "",
	}
	getenv := func(name string) string {
		if v, ok := set[name]; ok {
			return v
		}
		return d.Getenv(name)
	}
	return &cli.Env{In: strings.NewReader(""), Out: d.Out, Err: d.Err, Getenv: getenv}
}

func (d *demo) importSample(ctx context.Context) error {
	d.title("A spreadsheet of 200 rows from Excel: semicolons, Windows-1252, lost zeros, three mistakes")
	path := filepath.Join(d.dir, "assinantes.csv")
	if err := os.WriteFile(path, sample, 0o600); err != nil {
		return err
	}
	if err := d.runCommand(ctx, cli.ExitPartial, "subscribers", "import", path, "--skip-invalid"); err != nil {
		return err
	}
	fmt.Fprintln(d.Out)
	d.print("The refused rows, from the report:")
	report, err := os.ReadFile(path + ".report.csv")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(report)) {
		if strings.HasPrefix(line, "line,") || strings.Contains(line, ",invalid,") {
			fmt.Fprint(d.Out, "  "+line)
		}
	}
	return nil
}

func (d *demo) subscribers(ctx context.Context) (all []client.Item[api.Subscriber], err error) {
	err = d.userEnv().WithClient(ctx, func(ctx context.Context, c *client.Client) (err error) {
		all, err = client.Collect(c.Subscribers(ctx))
		return err
	})
	return all, err
}

// documentsOf returns the documents of up to n subscribers that have the product in the status.
func documentsOf(all []client.Item[api.Subscriber], product, status string, n int) []string {
	var docs []string
	for _, s := range all {
		for _, v := range s.Value.Services {
			if v.ProductCode == product && v.Status == status && len(docs) < n {
				docs = append(docs, s.Value.Document)
			}
		}
	}
	return docs
}

func (d *demo) provisionSome(ctx context.Context) error {
	d.title("Suspend, reactivate, change and cancel; the partner confirms each")
	all, err := d.subscribers(ctx)
	if err != nil {
		return err
	}
	basic, music := documentsOf(all, "play-basic", "active", 6), documentsOf(all, "musica", "active", 2)
	if len(basic) < 6 || len(music) < 2 {
		return fmt.Errorf("only %d and %d services are active", len(basic), len(music))
	}
	for _, args := range [][]string{
		append([]string{"provision", "suspend", "--wait", "--product", "play-basic"}, basic[:4]...),
		append([]string{"provision", "activate", "--wait", "--product", "play-basic"}, basic[0]),
		{"provision", "change", basic[4], "--from", "play-basic", "--to", "play-premium", "--wait"},
		append([]string{"provision", "deactivate", "--yes", "--wait", "--product", "musica"}, music...),
	} {
		if err := d.runCommand(ctx, cli.ExitOK, args...); err != nil {
			return err
		}
	}
	return d.runCommand(ctx, cli.ExitOK, "subscribers", "history", basic[0])
}

func (d *demo) showResult(ctx context.Context) error {
	d.title("The result")
	all, err := d.subscribers(ctx)
	if err != nil {
		return err
	}
	counts := map[string]int{}
	for _, s := range all {
		for _, v := range s.Value.Services {
			counts[v.Status]++
		}
	}
	d.print("%d [subscriber|subscribers]", len(all))
	for _, s := range api.Statuses() {
		if n := counts[s.Name]; n > 0 {
			d.print("%6d [service|services] %-20s %s", n, lang.StatusName(s.Name), cli.Msg(lifecycle.Meaning(s.Name)))
		}
	}
	return d.runCommand(ctx, cli.ExitOK, "subscribers", "search", "silva")
}

func (d *demo) printNext(keep bool) {
	d.title("What to try next")
	d.print("ativa serve --dev                        a server that stays, in one terminal")
	d.print("ativa subscribers import FILE --dry-run  your own spreadsheet, in another: nothing is changed")
	d.print("ativa --help                             everything else")
	if keep {
		fmt.Fprintln(d.Out)
		d.print("kept: %s", d.dir)
	}
}

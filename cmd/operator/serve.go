// Package operator holds the commands of the service itself: serve, admin and
// demo. It decides how the parts of the service are put together, and what its
// operator may see and change. It refuses to know how a request is answered, the
// rules and the SQL.
package operator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/delivery"
	"ativa/internal/provision"
	"ativa/internal/server"
	"ativa/internal/store"
)

// ServeOptions are the settings of the service.
type ServeOptions struct {
	Listen, DB, publicURL string
	tlsCert, tlsKey       string
	logFormat             string
	trustedProxies        []string
	proxies               []netip.Prefix
	rateLimit             string
	rate                  float64 // requests a second of one provider; 0: no limit
	burst                 int
	activationTTL         time.Duration
	keep                  provision.RetentionPeriods
	dev, insecure         bool
	DeliveryOptions
}

// NewServe is `ativa serve`.
func NewServe(e *cli.Env) *cobra.Command {
	var o ServeOptions
	c := &cobra.Command{
		Use: "serve", Short: "Run the service: the API, the activation page, deliveries", Args: cli.Args(cobra.NoArgs),
		Long: `Run the service: the API, the activation page and the deliveries that follow
from what they do. It stops on SIGINT or SIGTERM after finishing what is under way;
nothing that was acknowledged is lost.

--dev sets up everything to try it: its own SQLite file, a provider, products of
two families, a simulated partner and a mail directory, and a context "dev" that
the other commands then use.`,
		Example: "  ativa serve --dev\n  ativa serve --db sqlite:/var/lib/ativa/ativa.db --listen :8443 --tls-cert cert.pem --tls-key key.pem --public-url https://ativa.example.com \\\n    --smtp smtp://ativa@smtp.example.com:587 --smtp-password-file /etc/ativa/smtp-password --mail-from ativacao@example.com",
		RunE:    func(c *cobra.Command, _ []string) error { return runServe(c.Context(), e, o) },
	}
	f := c.Flags()
	f.StringVar(&o.Listen, "listen", "", "address to listen on (ATIVA_LISTEN; default 127.0.0.1:8080)")
	f.StringVar(&o.DB, "db", "", "database: sqlite:PATH or postgres://… (ATIVA_DB; default a file in the state directory)")
	f.StringVar(&o.publicURL, "public-url", "", "what activation links begin with (ATIVA_PUBLIC_URL; default the address)")
	f.StringVar(&o.tlsCert, "tls-cert", "", "PEM file of the certificate")
	f.StringVar(&o.tlsKey, "tls-key", "", "PEM file of its key")
	f.StringVar(&o.logFormat, "log-format", "text", "text or json")
	o.addLimits(f)
	f.BoolVar(&o.dev, "dev", false, "set up everything to try it")
	o.add(f)
	return c
}

func runServe(ctx context.Context, e *cli.Env, o ServeOptions) error {
	log, err := newLog(e.Err, o.logFormat, e.Global.Debug)
	if err != nil {
		return err
	}
	if err := o.complete(e); err != nil {
		return err
	}
	s, err := StartService(ctx, o, log)
	if err != nil {
		return err
	}
	if o.dev {
		if err := prepareDev(ctx, e, s, o); err != nil {
			return errors.Join(err, s.Stop())
		}
	}
	fmt.Fprintf(e.Out, "ativa serves %s\n", s.URL)
	if o.MailDir == "" && o.smtp == "" {
		e.Notice("neither --smtp nor --mail-dir: activation e-mails wait in the outbox")
	}
	select {
	case <-ctx.Done():
		e.Notice("stopping")
	case err = <-s.failed:
	}
	return errors.Join(err, s.Stop())
}

// newLog writes what went wrong, and with debug every request.
func newLog(w io.Writer, format string, debug bool) (*slog.Logger, error) {
	o := &slog.HandlerOptions{Level: slog.LevelInfo}
	if debug {
		o.Level = slog.LevelDebug
	}
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, o)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, o)), nil
	}
	return nil, cli.Usage("--log-format is text or json, not %q", format)
}

// complete fills in what flags left out: environment, then defaults.
func (o *ServeOptions) complete(e *cli.Env) error {
	o.Listen = cmp.Or(o.Listen, e.Getenv("ATIVA_LISTEN"), "127.0.0.1:8080")
	o.publicURL = strings.TrimSuffix(cmp.Or(o.publicURL, e.Getenv("ATIVA_PUBLIC_URL")), "/")
	var err error
	name := "ativa.db"
	if o.dev {
		name = "dev.db"
	}
	if o.DB, err = database(e, o.DB, name); err != nil {
		return err
	}
	if err := o.DeliveryOptions.complete(e, o.dev); err != nil {
		return err
	}
	if o.dev && o.MailDir == "" && o.smtp == "" {
		state, err := e.StateDir()
		if err != nil {
			return err
		}
		o.MailDir = filepath.Join(state, "dev-mail")
	}
	o.insecure = e.Global.InsecureHTTP || o.dev
	if o.rate, o.burst, err = parseRate(o.rateLimit); err != nil {
		return err
	}
	if err := o.checkLimits(); err != nil {
		return err
	}
	return o.checkListener()
}

// database is the DSN of a flag, of ATIVA_DB, or of a file in the state
// directory, which is made.
func database(e *cli.Env, flag, name string) (string, error) {
	if dsn := cmp.Or(flag, e.Getenv("ATIVA_DB")); dsn != "" {
		return dsn, nil
	}
	state, err := e.StateDir()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(state, 0o700); err != nil {
		return "", err
	}
	return "sqlite:" + filepath.Join(state, name), nil
}

// Service is the running service: API, deliveries and store.
type Service struct {
	URL         string
	Manager     *provision.Manager
	store       *store.DB
	api         *server.Server
	http        *http.Server
	log         *slog.Logger
	failed      chan error
	stopWorkers context.CancelFunc
	workers     sync.WaitGroup

	shutdownTimeout time.Duration
}

// StartService opens the database and begins to listen and to deliver.
func StartService(ctx context.Context, o ServeOptions, log *slog.Logger) (*Service, error) {
	connections := &server.ConnectionLimiter{Trusted: o.proxies, Log: log}
	listener, err := listen(ctx, o, connections, log)
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, o.DB, store.Options{Exclusive: true})
	if err != nil {
		return nil, errors.Join(databaseError(err), listener.Close())
	}
	s := &Service{store: db, URL: o.publicURL, log: log, failed: make(chan error, 1), shutdownTimeout: shutdownTimeout}
	if s.URL == "" {
		s.URL = scheme(o) + "://" + listener.Addr().String()
	}
	worker, err := s.wire(o, log)
	if err != nil {
		return nil, errors.Join(err, listener.Close(), db.Close())
	}
	s.http.ConnState = connections.ConnState
	// The worker outlives ctx: stop ends it.
	work, end := context.WithCancel(context.WithoutCancel(ctx))
	s.stopWorkers = end
	s.workers.Go(func() { worker.Run(work) })
	s.workers.Go(func() {
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	})
	return s, nil
}

// wire connects rules, API and deliveries.
func (s *Service) wire(o ServeOptions, log *slog.Logger) (*delivery.Worker, error) {
	var worker *delivery.Worker
	rules := o.rules(func() { worker.Wake() })
	rules.Retention, rules.ActivationTTL = o.keep, o.activationTTL
	s.Manager = provision.NewManager(s.store, rules)
	worker, err := o.worker(s.Manager, delivery.Options{PublicURL: s.URL, Log: log})
	if err != nil {
		return nil, err
	}
	metrics := func(w io.Writer) {
		s.writeServiceMetrics(w)
		worker.WriteMetrics(w)
	}
	s.api = server.New(s.Manager, server.Options{
		PublicURL: o.publicURL, Log: log, Language: o.language, Metrics: metrics, DatabaseFault: store.Fault, TrustedProxies: o.proxies, ProviderRate: o.rate, ProviderBurst: o.burst,
		Ready: s.store.Ready})
	s.http = server.NewHTTPServer(s.api, o.Listen, log)
	return worker, nil
}

// databaseError names the remedy for a database that cannot be opened.
func databaseError(err error) error {
	exit := cli.ExitError
	if provisionCode(err) == provision.Unavailable || errors.Is(err, store.ErrInUse) {
		exit = cli.ExitUnavailable
	}
	return &cli.Failure{Exit: exit, Code: "database", Message: cli.Msg("%s", err), Hint: cli.Msg("check --db (ATIVA_DB)")}
}

func provisionCode(err error) provision.Code {
	if e, ok := errors.AsType[*provision.Error](err); ok {
		return e.Code
	}
	return ""
}

// shutdownTimeout is how long requests that are under way may take when the service stops.
const shutdownTimeout = 30 * time.Second

// Stop finishes the requests and deliveries under way and closes the store. A
// request that does not end is broken off: nobody was told that it succeeded.
func (s *Service) Stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.shutdownTimeout)
	defer cancel()
	s.api.BeginShutdown()
	s.stopWorkers()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn("stopping: requests that did not end were broken off", "after", s.shutdownTimeout)
		err = s.http.Close()
	}
	s.workers.Wait()
	return errors.Join(err, s.store.Close())
}

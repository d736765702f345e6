// Package operator contains the commands of the service itself: serve, admin and demo. It decides
// how the parts of the service are connected, and what its operator may see and change. It
// refuses to know HTTP handlers, the rules and SQL.
package operator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ativa/internal/cli"
	"ativa/internal/lang"
	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
	"ativa/internal/service/rules"
	"ativa/internal/service/server"
	"ativa/internal/service/store"
	"ativa/internal/system"
)

// ServeOptions are the settings of the service.
type ServeOptions struct {
	Listen, DB, publicURL string
	metricsListen         string // an address, metricsPublic, or metricsOff or "" for none
	tlsCert, tlsKey       string
	logFormat             string
	trustedProxies        []string
	proxies               []netip.Prefix
	activationTTL         time.Duration
	keep                  domain.RetentionPeriods
	dev                   bool
	insecure              bool // permits plain http to other machines
	config                string
	printConfig           bool
	checkReady            bool
	logLevel              string
	DeliveryOptions
}

// NewServe returns `ativa serve`.
func NewServe(e *cli.Env) *cobra.Command {
	var o ServeOptions
	c := &cobra.Command{
		Use: "serve", Short: "Run the service: the API, the activation page, deliveries", GroupID: "service", Args: cli.Args(cobra.NoArgs),
		SuggestFor:  []string{"server", "start", "run", "servir"},
		Annotations: map[string]string{cli.ExitCodes: "9", cli.Daemon: "yes"},
		Long: `Run the service: the API, the activation page and the deliveries. It stops on SIGINT
or SIGTERM after finishing what is under way; nothing that was acknowledged is lost.
On SIGHUP it reads the certificate and the log level again; in a terminal SIGHUP
stops it.

Every flag has a variable, ATIVA_ and the flag in capitals with _ for -, and a key
in the YAML file of --config: listen: 127.0.0.1:8080. A flag comes before its
variable, which comes before the file. --print-config shows what counts.

--dev sets up everything to try it: its own SQLite file, a provider, products of
two families, a simulated partner and a mail directory, and a context "dev" that
the other commands then use.`,
		Example: "  ativa serve --dev\n  ativa serve --db sqlite:/var/lib/ativa/ativa.db --listen :8443 \\\n      --tls-cert cert.pem --tls-key key.pem \\\n      --public-url https://ativa.example.com \\\n      --smtp smtp://ativa@smtp.example.com:587 \\\n      --smtp-password-file /etc/ativa/smtp-password \\\n      --mail-from ativacao@example.com",
		RunE: func(c *cobra.Command, _ []string) error {
			s := newServeSettings(e, c, o.config)
			if o.printConfig {
				return s.print(c.Context())
			}
			if err := s.apply(c.Context(), &o); err != nil {
				return err
			}
			if o.checkReady {
				return checkReady(c.Context(), o)
			}
			return runServe(c.Context(), e, o, s)
		},
	}
	o.addFlags(c.Flags())
	return cli.WithColumns(e, cli.SettingRows, c) // of --print-config
}

func (o *ServeOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Listen, "listen", "127.0.0.1:8080", "address to listen on")
	f.StringVar(&o.metricsListen, "metrics-listen", "127.0.0.1:9464", "address of /metrics, which names providers and partners; public serves it at --listen, off nowhere")
	f.StringVar(&o.DB, "db", "", "database: sqlite:PATH, postgres://… or host=… dbname=… (default a file in the state directory)")
	f.StringVar(&o.publicURL, "public-url", "", "what activation links begin with (default the address)")
	f.StringVar(&o.tlsCert, "tls-cert", "", "PEM file of the certificate")
	f.StringVar(&o.tlsKey, "tls-key", "", "PEM file of its key")
	f.StringVar(&o.logFormat, "log-format", "text", "text or json")
	f.StringVar(&o.logLevel, "log-level", "info", "the least that is logged: debug, info, warn or error")
	f.StringVar(&o.config, "config", "", "YAML file of settings")
	f.BoolVar(&o.printConfig, "print-config", false, "show every setting and where it comes from, without secrets, and end")
	f.BoolVar(&o.checkReady, "check-ready", false, "ask the server of these settings whether it can serve, and end")
	o.addLimits(f)
	f.BoolVar(&o.dev, "dev", false, "set up everything to try it")
	o.add(f)
}

func runServe(ctx context.Context, e *cli.Env, o ServeOptions, settings *serveSettings) error {
	// Never touched, it takes no memory. It delays garbage collection until about 64 MB are
	// allocated: with the small heap of an import it would run all the time.
	reserve := make([]byte, 32<<20)
	defer runtime.KeepAlive(reserve)
	level := new(slog.LevelVar)
	log := newLog(e.Err, o.logFormat, level)
	now, err := levelOf(e, o.logLevel)
	if err != nil {
		return err
	}
	level.Set(now)
	if err := o.prepareDatabase(e); err != nil {
		return err
	}
	if _, err := cli.Await(ctx, func() (any, error) { return nil, o.complete(e) }); err != nil {
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
	fmt.Fprintln(e.Out, e.CellLanguage().Textf("ativa serves %s", s.URL)) // in a pipe for programs, in English
	if o.MailDir == "" && o.smtp == "" {
		e.Notice("neither --smtp nor --mail-dir: activation e-mails wait in the outbox")
	}
	for {
		select {
		case <-e.Hangups:
			s.reload(ctx, level, settings)
		case <-ctx.Done():
			e.Notice("stopping")
			return s.Stop()
		case err := <-s.failed:
			return errors.Join(err, s.Stop())
		}
	}
}

// reload reads the certificate and the log level again. What it cannot read stays unchanged.
func (s *Service) reload(ctx context.Context, level *slog.LevelVar, settings *serveSettings) {
	if s.certificate != nil {
		s.certificate.Reload()
	}
	now, err := settings.logLevel(ctx)
	if err != nil {
		s.log.Warn("log level not read again", "error", err)
		return
	}
	level.Set(now)
	s.log.Info("log level read again", "log_level", now)
}

// prepareDatabase names the default database, and makes its directory.
func (o *ServeOptions) prepareDatabase(e *cli.Env) error {
	if o.DB != "" {
		return nil
	}
	dsn, dir, err := defaultDatabase(e, o.dev)
	if err != nil {
		return err
	}
	if err := system.MkdirPrivate(dir); err != nil {
		return databaseError(err)
	}
	o.DB = dsn
	return nil
}

// complete fills in the other defaults and checks all settings. It writes nothing: Ctrl-C leaves it in
// the background.
func (o *ServeOptions) complete(e *cli.Env) error {
	o.publicURL = strings.TrimSuffix(o.publicURL, "/")
	if err := o.DeliveryOptions.complete(); err != nil {
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
	return o.checkListener()
}

// defaultDatabase returns the DSN of the file in the state directory, and that directory.
func defaultDatabase(e *cli.Env, dev bool) (dsn, dir string, err error) {
	name := "ativa.db"
	if dev {
		name = "dev.db"
	}
	dir, err = e.StateDir()
	return "sqlite:" + filepath.Join(dir, name), dir, err
}

// Service is the running service: API, deliveries and store.
type Service struct {
	URL         string
	certificate *server.Certificate // nil without TLS
	*Parts
	api         *server.Server
	http        *http.Server
	metrics     *http.Server // nil unless /metrics has its own address
	log         *slog.Logger
	failed      chan error
	stopWorkers context.CancelFunc
	workers     sync.WaitGroup

	shutdownTimeout time.Duration
}

// StartService opens the database and starts to listen and to deliver.
func StartService(ctx context.Context, o ServeOptions, log *slog.Logger) (*Service, error) {
	listener, certificate, err := listen(ctx, o, log)
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, o.DB, store.Options{Exclusive: true, Damaged: func(err error) { log.Error("database", "error", err) }})
	if err != nil {
		return nil, errors.Join(databaseError(err), listener.Close())
	}
	s := &Service{certificate: certificate, URL: o.publicURL, log: log, failed: make(chan error, 1), shutdownTimeout: shutdownTimeout}
	if s.URL == "" {
		s.URL = scheme(o) + "://" + listener.Addr().String()
	}
	worker, err := s.wire(db, o, log)
	if err == nil && o.dev {
		err = checkDev(ctx, db)
	}
	if err != nil {
		return nil, errors.Join(err, listener.Close(), db.Close())
	}
	if err := s.Store.Ready(ctx); err != nil { // such as a standby of PostgreSQL
		log.Warn("not ready", "error", err)
	}
	// The worker outlives ctx: Stop ends it.
	work, end := context.WithCancel(context.WithoutCancel(ctx))
	s.stopWorkers = end
	s.workers.Go(func() { worker.Run(work) })
	s.serveMetrics(ctx, o.metricsListen)
	s.workers.Go(func() {
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	})
	return s, nil
}

// wire connects rules, API and deliveries, and returns the worker.
func (s *Service) wire(db *store.DB, o ServeOptions, log *slog.Logger) (*outbox.Worker, error) {
	var worker *outbox.Worker
	s.Parts = newParts(db, rules.Options{
		Wake: func() { worker.Wake() }, WakeFeed: func() { worker.WakeFeed() },
		ConfirmTimeout: o.confirmWithin, MaxAttempts: o.maxAsks, ActivationTTL: o.activationTTL})
	worker, err := o.worker(s.Parts, outbox.Options{PublicURL: s.URL, Log: log, EncodeEvents: server.EncodeEvents,
		Purge:     func(ctx context.Context) error { return db.Purge(ctx, o.keep.Cutoffs(s.Rules.Now())) },
		RecordUse: s.recordUse})
	if err != nil {
		return nil, err
	}
	metrics := func(w io.Writer) {
		s.writeServiceMetrics(w)
		worker.WriteMetrics(w)
	}
	s.api = server.New(s.Parts.server(), server.Options{
		PublicURL: o.publicURL, Log: log, Language: lang.Language(o.language), Metrics: metrics, DatabaseFault: store.Fault, TrustedProxies: o.proxies,
		Ready: s.Store.Ready, PublicMetrics: o.metricsListen == metricsPublic})
	s.http = server.NewHTTPServer(s.api, log)
	return worker, nil
}

// databaseError adds a remedy to the error of a database that cannot be opened.
func databaseError(err error) error { return databaseFailure(err, cli.Msg("check --db (ATIVA_DB)")) }

// databaseFailure turns an error of the database into a failure with a remedy. Interruptions and
// full disks keep their own.
func databaseFailure(err error, hint cli.Message) error {
	exit := cli.ExitError
	switch {
	case errors.Is(err, context.Canceled) || system.IsDiskFull(err):
		return err
	case errors.Is(err, store.ErrInUse):
		exit, hint = cli.ExitUnavailable, cli.Msg("stop that server first")
	case domain.IsCode(err, domain.Unavailable):
		exit = cli.ExitUnavailable
	case errors.Is(err, store.ErrDSN):
		exit = cli.ExitUsage
	}
	return &cli.Failure{Exit: exit, Code: "database", Message: cli.Msg("%s", err), Hint: hint}
}

// shutdownTimeout is the limit for requests in progress when the service stops.
const shutdownTimeout = 30 * time.Second

// Stop finishes the requests and deliveries in progress and closes the store. A request that does
// not end in time is aborted without a response.
func (s *Service) Stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.shutdownTimeout)
	defer cancel()
	s.api.BeginShutdown()
	s.stopWorkers()
	if s.metrics != nil {
		_ = s.metrics.Close() // the client will retry
	}
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn("stopping: requests that did not end were broken off", "after", s.shutdownTimeout)
		err = s.http.Close()
	}
	s.workers.Wait()
	last, end := context.WithTimeout(context.Background(), 5*time.Second)
	defer end()
	if err := s.recordUse(last); err != nil { // what was counted since the last time
		s.log.Warn("recording the use of tokens and refused requests failed", "error", err)
	}
	return errors.Join(err, s.Store.Close())
}

// newLog returns a logger that writes lines of text or JSON.
func newLog(w io.Writer, format string, level slog.Leveler) *slog.Logger {
	o := &slog.HandlerOptions{Level: level}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

package operator

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ativa/internal/cli"
	"ativa/internal/service/outbox"
	"ativa/internal/settings"
)

// serveSettings reads the settings of the service from its flags, its environment variables and
// the file of --config.
type serveSettings struct {
	env  *cli.Env
	keys []settings.Key
	in   settings.Inputs
	path string
}

// ServeKeys returns the settings of c, `ativa serve`.
func ServeKeys(c *cobra.Command) []settings.Key {
	keys := settings.FlagKeys(c.LocalFlags(), map[string]func(string) cli.Message{
		"log_format":     settings.OneOf("text", "json"),
		"log_level":      settings.OneOf("debug", "info", "warn", "error"),
		"mail_language":  settings.OneOf("pt", "en"),
		"listen":         checkListen,
		"metrics_listen": checkMetricsListen,
		"public_url":     checkPublicURL,
		"trusted_proxy":  checkProxies,
		"mail_from":      checkSender,

		"keep_deliveries": checkKept,
		"keep_history":    checkKept,
	})
	keys = slices.DeleteFunc(keys, func(k settings.Key) bool {
		return slices.Contains([]string{"print_config", "check_ready", "help"}, k.Name)
	})
	for i := range keys {
		keys[i].NotInFile = keys[i].Name == "config"
	}
	return append(keys,
		settings.Key{Name: "insecure_http", Flag: "insecure-http", Variables: []string{"ATIVA_INSECURE_HTTP"}, Default: "false", Check: settings.IsBool,
			Meaning: "serve plain http to other machines"},
		settings.Key{Name: "smtp_password", Variables: []string{"ATIVA_SMTP_PASSWORD"}, Secret: true, NotInFile: true,
			Meaning: "password of the mail server, unless --smtp-password-file"})
}

func newServeSettings(e *cli.Env, c *cobra.Command, config string) *serveSettings {
	return &serveSettings{env: e, keys: ServeKeys(c), in: settings.Inputs{Flags: c.Flags(), Getenv: e.Getenv}, path: cmp.Or(config, e.Getenv("ATIVA_CONFIG"))}
}

// values returns the values of all keys. The file may be a pipe: the end of ctx ends the wait for its
// writer.
func (s *serveSettings) values(ctx context.Context) ([]settings.Value, error) {
	all, err := cli.Await(ctx, func() ([]settings.Value, error) { return settings.Service(s.keys, s.in, s.path) })
	if err != nil {
		return nil, err
	}
	at := func(name string) *settings.Value { return valueOf(all, name) }
	smtp, dir, db := at("smtp"), at("mail_dir"), at("db")
	dev := at("dev").Text == "true"
	switch {
	case dev && smtp.Source == settings.FromEnvironment: // a trial sends no e-mails
		*smtp = settings.Value{Key: smtp.Key, Source: settings.FromDefault}
	case smtp.Source.Before(dir.Source):
		*dir = settings.Value{Key: dir.Key, Source: settings.FromDefault}
	case dir.Source.Before(smtp.Source):
		*smtp = settings.Value{Key: smtp.Key, Source: settings.FromDefault}
	}
	for _, v := range []*settings.Value{db, at("public_url")} { // and is no service, whose database and address it would use
		if dev && v.Source == settings.FromEnvironment {
			*v = settings.Value{Key: v.Key, Source: settings.FromDefault}
		}
	}
	if db.Text == "" {
		db.Text, _, err = defaultDatabase(s.env, dev)
	}
	return all, err
}

// valueOf returns the value of a key, which must be among them.
func valueOf(all []settings.Value, name string) *settings.Value {
	return &all[slices.IndexFunc(all, func(v settings.Value) bool { return v.Name == name })]
}

// print lists the values and their sources.
func (s *serveSettings) print(ctx context.Context) error {
	p, err := cli.NewPrinter(s.env, cli.SettingRows())
	if err != nil {
		return err
	}
	all, err := s.values(ctx)
	if err != nil {
		return err
	}
	return p.Results(ctx, nil, cli.Map(all, cli.NewSettingRow))
}

// apply sets the flags, and with them the options, from environment and file.
func (s *serveSettings) apply(ctx context.Context, o *ServeOptions) error {
	all, err := s.values(ctx)
	if err != nil {
		return err
	}
	o.smtpPassword = valueOf(all, "smtp_password").Text
	return settings.Apply(all, s.in)
}

// logLevel reads the log level again.
func (s *serveSettings) logLevel(ctx context.Context) (level slog.Level, err error) {
	all, err := s.values(ctx)
	if err != nil {
		return level, err
	}
	return levelOf(s.env, valueOf(all, "log_level").Text)
}

// levelOf returns the level of a value of log_level, unless --debug comes before it.
func levelOf(e *cli.Env, value string) (level slog.Level, err error) {
	if e.Global.Debug {
		return slog.LevelDebug, nil
	}
	return level, level.UnmarshalText([]byte(value))
}

// addLimits adds the flags for trusted proxies and data retention.
func (o *ServeOptions) addLimits(f *pflag.FlagSet) {
	cli.AddListFlag(f, &o.trustedProxies, "trusted-proxy", "address or network of a proxy that ends TLS before this server: its X-Forwarded-For is believed")
	cli.AddSpanFlag(f, &o.activationTTL, "activation-ttl", 0, "fail an activation that the subscriber does not complete in this time, which frees its token (default never)")
	cli.AddSpanFlag(f, &o.keep.Deliveries, "keep-deliveries", 30*24*time.Hour, "how long finished deliveries are kept")
	cli.AddSpanFlag(f, &o.keep.History, "keep-history", 0, "how long the history of services and the event feed are kept (default for good)")
}

func checkListen(s string) cli.Message {
	_, port, err := net.SplitHostPort(s) // the host may be omitted
	if err == nil {
		_, err = net.DefaultResolver.LookupPort(context.Background(), "tcp", port)
	}
	return settings.Unless(err == nil, cli.Msg("is an address with a port, as 127.0.0.1:8080, not %q", s))
}

func checkMetricsListen(s string) cli.Message {
	known := s == metricsPublic || s == metricsOff || checkListen(s).IsEmpty()
	return settings.Unless(known, cli.Msg("is an address with a port, as 127.0.0.1:9464, public or off, not %q", s))
}

// checkPublicURL refuses a URL that would make links useless.
func checkPublicURL(s string) cli.Message {
	u, err := url.Parse(s)
	return settings.Unless(s == "" || err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == "",
		cli.Msg("is an address as https://ativa.example.com, not %q: the links in e-mails begin with it", s))
}

func checkProxies(s string) cli.Message {
	_, err := parseProxies(strings.Split(s, ","))
	return settings.Unless(s == "" || err == nil, cli.Msg("is an address or a network as 10.0.0.0/8, not %q", s))
}

// checkKept refuses a time in which nobody could have meant to delete rows for good: 30m is half an
// hour, not 30 months.
func checkKept(s string) cli.Message {
	d, err := settings.ParseSpan(s)
	return settings.Unless(err == nil && (d == 0 || d >= 24*time.Hour), cli.Msg("is at least a day, as 90d, or 0 for the default, not %q: what is older is deleted for good", s))
}

func checkSender(s string) cli.Message {
	return settings.Unless(s == "" || outbox.CheckSender(s) == nil, cli.Msg("is one plain e-mail address, not %q", s))
}

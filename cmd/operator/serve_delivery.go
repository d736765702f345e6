package operator

import (
	"cmp"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"ativa/internal/cli"
	"ativa/internal/lang"
	"ativa/internal/service/outbox"
	"ativa/internal/system"
)

// DeliveryOptions are the settings of deliveries: e-mails, partner requests, callbacks.
type DeliveryOptions struct {
	MailDir, MailFrom, language string
	smtp, smtpPasswordFile      string
	smtpConnections             int
	smtpPassword                string // from a file or the environment
	confirmWithin               time.Duration
	maxAsks                     int
}

// defaultSender is the sender of e-mails that go to a directory.
const defaultSender = "ativacao@localhost"

func (o *DeliveryOptions) add(f *pflag.FlagSet) {
	f.StringVar(&o.smtp, "smtp", "", "mail server: smtp://user@host:587 (STARTTLS) or smtps://user@host:465")
	f.StringVar(&o.smtpPasswordFile, "smtp-password-file", "", "file that holds the mail server's password (or ATIVA_SMTP_PASSWORD)")
	f.IntVar(&o.smtpConnections, "smtp-connections", 1, "connections to the mail server at once; a crash may repeat one e-mail for each")
	f.StringVar(&o.MailDir, "mail-dir", "", "write e-mails as .eml files into this directory instead")
	f.StringVar(&o.MailFrom, "mail-from", "", "sender of the e-mails; needed with --smtp")
	f.StringVar(&o.language, "mail-language", "pt", "language of the e-mails, and of the activation page for other browsers: pt or en")
	f.DurationVar(&o.confirmWithin, "confirm-within", 24*time.Hour, "how long a partner may take to confirm before it is asked again; doubles each time")
	f.IntVar(&o.maxAsks, "max-asks", 4, "how often a partner is asked before the operation has failed")
}

// complete fills in the defaults and checks all settings.
func (o *DeliveryOptions) complete() error {
	from := o.MailFrom
	o.MailFrom = cmp.Or(from, defaultSender)
	switch {
	case o.smtp != "" && o.MailDir != "":
		return cli.Usage("--smtp and --mail-dir exclude each other")
	case o.smtp != "" && from == "":
		return cli.Usage("--mail-from is needed with --smtp: the address that subscribers see")
	case o.smtpConnections < 1 || o.smtpConnections > 20:
		return cli.Usage("--smtp-connections is 1 to 20")
	case o.confirmWithin < time.Second:
		return cli.Usage("--confirm-within is at least one second")
	case o.maxAsks < 1:
		return cli.Usage("--max-asks is at least 1")
	}
	var err error
	if o.smtpPassword, err = o.password(); err != nil || o.smtp == "" {
		return err
	}
	_, err = o.server()
	return err
}

// password returns the password in the file, else the one from the environment; "" means the one
// in the URL.
func (o *DeliveryOptions) password() (string, error) {
	if o.smtpPasswordFile == "" {
		return o.smtpPassword, nil
	}
	private, err := system.IsPrivate(o.smtpPasswordFile)
	if err != nil {
		return "", cli.Usage("--smtp-password-file: %s", err)
	}
	if !private {
		return "", cli.Usage("--smtp-password-file: others can read %s", o.smtpPasswordFile).WithHint("fix it: %s", system.Privatise(o.smtpPasswordFile))
	}
	text, err := os.ReadFile(o.smtpPasswordFile)
	if err != nil {
		return "", cli.Usage("--smtp-password-file: %s", err)
	}
	return strings.TrimRight(string(system.InUTF8(text)), "\r\n"), nil
}

func (o *DeliveryOptions) server() (*outbox.MailServer, error) {
	server, err := outbox.ParseMailServer(o.smtp, o.smtpPassword)
	if err != nil {
		return nil, cli.Usage("--smtp: %s", err)
	}
	return server, nil
}

func (o *DeliveryOptions) worker(service *Parts, w outbox.Options) (*outbox.Worker, error) {
	w.Language = lang.Language(o.language)
	switch {
	case o.smtp != "":
		server, err := o.server()
		if err != nil {
			return nil, err
		}
		if w.Mailer, err = outbox.NewSMTPMailer(server, o.MailFrom); err != nil {
			return nil, err
		}
		w.MailConcurrency = o.smtpConnections
	case o.MailDir != "":
		mailer, err := outbox.NewDirectoryMailer(o.MailDir, cmp.Or(o.MailFrom, defaultSender))
		if err != nil {
			return nil, err
		}
		w.Mailer, w.MailBatchSize = mailer, 200 // a repeated e-mail replaces its file
	}
	return outbox.New(service.Queue, service.Rules, w), nil
}

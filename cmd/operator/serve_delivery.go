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
	smtpPassword                string             // from the environment
	mailServer                  *outbox.MailServer // of smtp; nil without it
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
	cli.AddSpanFlag(f, &o.confirmWithin, "confirm-within", 24*time.Hour, "how long a partner may take to confirm before it is asked again; doubles each time")
	f.IntVar(&o.maxAsks, "max-asks", 4, "how often a partner is asked before the operation fails")
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
	case o.smtp == "":
		return nil
	}
	password, err := o.password()
	if err != nil {
		return err
	}
	if o.mailServer, err = outbox.ParseMailServer(o.smtp, password); err != nil {
		return cli.Usage("--smtp: %s", err)
	}
	return nil
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

func (o *DeliveryOptions) worker(service *Parts, w outbox.Options) (_ *outbox.Worker, err error) {
	w.Language = lang.Language(o.language)
	switch {
	case o.mailServer != nil:
		w.Mailer, err = outbox.NewSMTPMailer(o.mailServer, o.MailFrom)
		w.MailConcurrency = o.smtpConnections
	case o.MailDir != "":
		if w.Mailer, err = outbox.NewDirectoryMailer(o.MailDir, o.MailFrom); err != nil {
			return nil, cli.Usage("--mail-dir: %s", err).WithHint("name a directory that this user may write in")
		}
		w.MailBatchSize = 200 // a repeated e-mail replaces its file
	}
	if err != nil {
		return nil, err
	}
	return outbox.New(service.Queue, service.Feeds, service.Rules, w), nil
}

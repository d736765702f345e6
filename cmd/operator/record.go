package operator

import (
	"context"
	"os"
	"os/user"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/render"
	"ativa/internal/service/domain"
	"ativa/internal/settings"
	"ativa/internal/system"
)

// Record writes an entry about a command into the operator's record, if it is an operator's command
// that may change something. Failed and refused commands are recorded too (decisions.md 17).
func Record(ctx context.Context, e *cli.Env, ran *cobra.Command, failed bool) {
	help := ran.Flags().Lookup("help")
	if !strings.HasPrefix(ran.CommandPath(), "ativa admin ") || ran.HasSubCommands() || help != nil && help.Changed || onlyReads(ran) {
		return
	}
	if err := recordCommand(ctx, e, ran, failed); err != nil && !failed {
		e.Notice("done, but not written into the operator's record: %s", err)
	}
}

// onlyReads reports whether a command with these flags changes nothing.
func onlyReads(c *cobra.Command) bool {
	switch c.Name() {
	case "list", "check", "events", "export-data", "record":
		return true
	case "migrate":
		return c.Flags().Changed("status")
	case "brand": // without flags it shows the brand
		return len(ownFlags(c)) == 0
	}
	return false
}

// recordCommand writes an entry into the command's database, if that can be opened.
func recordCommand(ctx context.Context, e *cli.Env, c *cobra.Command, failed bool) error {
	db, named := databaseOf(e, c)
	if !named {
		return nil
	}
	who, _ := user.Current() // unknown on some systems
	entry := domain.RecordEntry{Command: strings.TrimPrefix(c.CommandPath(), "ativa "), Failed: failed}
	if who != nil {
		entry.User = who.Username
	}
	entry.Host, _ = os.Hostname()
	var words []string
	for _, word := range append(c.Flags().Args(), ownFlags(c)...) {
		words = append(words, system.ShellQuote(recorded(word)))
	}
	entry.Arguments = strings.Join(words, " ")
	return withExistingDatabase(context.WithoutCancel(ctx), e, &adminOptions{db: db}, func(ctx context.Context, service *Parts) error {
		return service.Record.RecordCommand(ctx, entry)
	})
}

// databaseOf returns the database of the command line, empty for the default, even after a wrong
// flag. A copy without a target has none.
func databaseOf(e *cli.Env, c *cobra.Command) (db string, named bool) {
	name := "db"
	if c.Flags().Lookup("to") != nil { // a copy
		name = "to"
	}
	db, _ = cli.FlagIn(e.Args, name, "")
	return db, name == "db" || db != ""
}

// ownFlags are the given flags of the command itself, with their values.
func ownFlags(c *cobra.Command) (given []string) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if c.InheritedFlags().Lookup(f.Name) == nil {
			value := strings.Trim(f.Value.String(), "[]")
			if f.Name == "reason" { // personal: stored where erasing the person clears it
				value = "…"
			}
			given = append(given, "--"+f.Name, value)
		}
	})
	return given
}

// recorded returns a word of a command line for the record, without secrets and personal data.
func recorded(word string) string {
	if address := withoutPath(word); address != word {
		return address
	}
	// The value of a setting in a DSN may be quoted, and have spaces after backslashes.
	secret := regexp.MustCompile(`(?i)(password|passwd|secret)\s*=\s*('(\\.|[^'\\])*('|$)|(\\.|\S)+)`)
	word = secret.ReplaceAllString(word, "$1=***")
	date := regexp.MustCompile(`\b(19|20)\d\d[-.][01]\d[-.][0-3]\d`) // MaskPersonal would take it for a telephone number
	parts := date.Split(word, -1)
	for i, part := range parts {
		parts[i] = domain.MaskPersonal(part)
	}
	for i, day := range date.FindAllString(word, -1) {
		parts[i] += day
	}
	return strings.Join(parts, "")
}

// withoutPath returns scheme and host of an address, because the rest may be secret, and other
// words unchanged. It does not parse: a mistyped address also holds the secret.
func withoutPath(word string) string {
	scheme, rest, isAddress := strings.Cut(word, "://")
	if isAddress {
		scheme += "://"
	} else {
		scheme, rest = "", word
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	host := rest[strings.LastIndex(rest[:end], "@")+1 : end]
	switch {
	case isAddress && strings.Contains(rest[end:], "@"): // perhaps the end of a password
		return scheme + "…"
	case isAddress, end < len(rest) && regexp.MustCompile(`^[\w-]+(\.[\w-]+)+(:\d+)?$`).MatchString(host):
		return scheme + host + "/…"
	}
	return word
}

// recordRow is an entry in the shape of decisions.md 17.
type recordRow struct {
	At        api.Time `json:"at"`
	User      string   `json:"user"`
	Host      string   `json:"host" column:"priority=-1"`
	Command   string   `json:"command" column:"priority=1"`
	Arguments string   `json:"arguments"`
	Outcome   string   `json:"outcome" column:"word"`
	Address   string   `json:"address"`
	Count     int      `json:"count"`
}

func toRecordRow(e domain.RecordEntry) recordRow {
	outcome := "ok"
	if e.Failed {
		outcome = "failed"
	}
	return recordRow{api.At(e.At), e.User, e.Host, e.Command, e.Arguments, outcome, e.Address, e.Count}
}

func newAdminRecord(e *cli.Env, o *adminOptions) *cobra.Command {
	var text string
	var since time.Time
	c := &cobra.Command{
		Use: "record", Short: "Show who did what on the operator's side, and whose sign-ins were refused", Args: cli.Args(cobra.NoArgs),
		Long: `Show the admin commands that changed something, failed to or were refused for wrong
flags, with who typed them where and their arguments without secrets; the access
tokens that providers made, rotated and revoked themselves; and by address and hour
how many sign-ins and signatures of partners were refused. Entries are kept for 400
days, refused addresses for 30. A command whose database cannot be opened has none.

Nothing in this program changes an entry. Whoever may write to the database can:
its rights protect the record, not this program.`,
		Example: "  ativa admin record\n  ativa admin record --since 90d -o csv",
		PreRunE: func(*cobra.Command, []string) error {
			span, err := settings.ParseSpan(text)
			if err == nil && span >= 0 {
				since = e.Now().Add(-span)
				return nil
			}
			if since, err = time.ParseInLocation(time.DateOnly, text, e.Location()); err != nil {
				return cli.Usage("%q is not a time", text).WithHint("such as 12h, 7d or 2027-01-31")
			}
			return nil
		},
	}
	c.Flags().StringVar(&text, "since", "7d", "from how long ago, or from which day on")
	schema := func() render.Schema[recordRow] { return cli.SchemaOf[recordRow]("entry", "record", "no entries") }
	return adminList(e, o, schema, cli.AddLimit(e, c), func(ctx context.Context, service *Parts, _ []string) ([]recordRow, error) {
		all, err := service.Store.Record(ctx, since)
		return cli.Map(all, toRecordRow), err
	})
}

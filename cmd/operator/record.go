package operator

import (
	"context"
	"net/url"
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
	"ativa/internal/service/rules"
	"ativa/internal/system"
)

// recordCommands makes the commands below c that may change something add themselves to
// the operator's record, also when they fail (decisions.md 17).
func recordCommands(e *cli.Env, o *adminOptions, c *cobra.Command) {
	for _, below := range c.Commands() {
		recordCommands(e, o, below)
	}
	if c.HasSubCommands() || c.RunE == nil {
		return
	}
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		err := run(c, args)
		if !onlyReads(c) {
			if failed := recordCommand(c, e, o, args, err != nil); failed != nil && err == nil {
				e.Notice("done, but not written into the operator's record: %s", failed)
			}
		}
		return err
	}
}

// onlyReads reports whether a command changes nothing, as its flags are.
func onlyReads(c *cobra.Command) bool {
	switch c.Name() {
	case "list", "check", "export-data", "record":
		return true
	case "migrate":
		return c.Flags().Changed("status")
	case "brand": // without flags it shows what is set
		return len(ownFlags(c)) == 0
	}
	return false
}

// recordCommand writes an entry into the database that the command worked on. One that
// cannot be opened has none.
func recordCommand(c *cobra.Command, e *cli.Env, o *adminOptions, args []string, failed bool) error {
	on := *o
	if to := c.Flags().Lookup("to"); to != nil { // a copy
		on.db = to.Value.String()
	}
	who, _ := user.Current() // not known on some systems
	entry := rules.RecordEntry{Command: strings.TrimPrefix(c.CommandPath(), "ativa "), Failed: failed}
	if who != nil {
		entry.User = who.Username
	}
	entry.Host, _ = os.Hostname()
	var words []string
	for _, word := range append(args, ownFlags(c)...) {
		words = append(words, system.ShellQuote(withoutSecrets(word)))
	}
	entry.Arguments = strings.Join(words, " ")
	return withExistingManager(context.WithoutCancel(c.Context()), e, &on, func(ctx context.Context, m *rules.Manager) error {
		return m.RecordCommand(ctx, entry)
	})
}

// ownFlags are the flags of the command itself that were given, each with its value.
func ownFlags(c *cobra.Command) (given []string) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if c.InheritedFlags().Lookup(f.Name) == nil {
			given = append(given, "--"+f.Name, strings.Trim(f.Value.String(), "[]"))
		}
	})
	return given
}

// withoutSecrets is a word of a command line without what may be a secret: of an address
// only the host stays, for the rest often is one.
func withoutSecrets(word string) string {
	if u, err := url.Parse(word); err == nil && u.Host != "" {
		return u.Scheme + "://" + u.Host + "/…"
	}
	return regexp.MustCompile(`(?i)(password|passwd|secret)\s*=\s*\S+`).ReplaceAllString(word, "$1=***")
}

// recordRow is an entry as decisions.md 17 shapes it.
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

func toRecordRow(e rules.RecordEntry) recordRow {
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
		Long: `Show the admin commands that changed something or failed to, with who typed them
where and their arguments without secrets; the access tokens that providers made,
rotated and revoked themselves; and by address and hour how many sign-ins and
signatures of partners were refused. Entries are kept for 400 days, refused
addresses for 30.

Nothing in this program changes an entry. Whoever may write to the database can:
its rights protect the record, not this program.`,
		Example: "  ativa admin record\n  ativa admin record --since 90d -o csv",
		PreRunE: func(*cobra.Command, []string) error {
			span, err := cli.ParseSpan(text)
			if err == nil && span >= 0 {
				since = e.Now().Add(-span)
				return nil
			}
			if since, err = time.ParseInLocation(time.DateOnly, text, e.Now().Location()); err != nil {
				return cli.Usage("%q is not a time", text).WithHint("such as 12h, 7d or 2027-01-31")
			}
			return nil
		},
	}
	c.Flags().StringVar(&text, "since", "7d", "from how long ago, or from which day on")
	schema := func() render.Schema[recordRow] { return schemaOf[recordRow]("entry", "record", "no entries") }
	return adminList(e, o, schema, cli.AddLimit(e, c), func(ctx context.Context, m *rules.Manager, _ []string) ([]recordRow, error) {
		all, err := m.Record(ctx, since)
		return cli.Map(all, toRecordRow), err
	})
}

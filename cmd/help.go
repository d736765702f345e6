package cmd

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ativa/internal/cli"
	"ativa/internal/failure"
	"ativa/internal/lang"
	"ativa/internal/sheet/columns"
)

// newHelp replaces cobra's help command, which exits 0 for unknown commands.
func newHelp(e *cli.Env) *cobra.Command {
	c := &cobra.Command{
		Use: "help [COMMAND|TOPIC]", Short: "Help about a command, or exit-codes, environment, formatting, csv, flags", GroupID: "help", Args: cli.Args(cobra.ArbitraryArgs),
		SuggestFor:  []string{"ajuda"},
		Annotations: map[string]string{cli.ExitCodes: ""},
		Example:     "  ativa help subscribers import\n  ativa help exit-codes",
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			if err != nil || found == nil || len(rest) > 0 {
				return cli.Usage("there is no help about %q", strings.Join(args, " ")).WithHint("%s", failure.DidYouMean(args[0], helpArguments(c)))
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
		ValidArgsFunction: func(c *cobra.Command, given []string, typed string) ([]string, cobra.ShellCompDirective) {
			under, rest, err := c.Root().Find(given)
			if err != nil || len(rest) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, sub := range under.Commands() {
				if sub.IsAvailableCommand() && strings.HasPrefix(sub.Name(), typed) {
					names = append(names, sub.Name()+"\t"+e.Text(sub.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
	c.AddCommand(
		newTopic(e, "csv", "What a spreadsheet may look like", func(l lang.Language) string { return cli.Paragraphs(csvText(l), "", l) }),
		newTopic(e, "environment", "The environment variables that are read", environmentText),
		newTopic(e, "exit-codes", "What each exit code means", func(l lang.Language) string { return cli.Paragraphs(exitCodesText(), "", l) }),
		newTopic(e, "flags", "The flags of every command", flagsText),
		newTopic(e, "formatting", "Output formats, columns, filters and templates", func(l lang.Language) string { return cli.Paragraphs(formattingText, "", l) }),
	)
	return c
}

// newTopic returns a help topic: a text that belongs to no command.
func newTopic(e *cli.Env, name, short string, text func(lang.Language) string) *cobra.Command {
	c := &cobra.Command{
		Use: name, Short: short, Args: cli.Args(cobra.NoArgs), DisableFlagsInUseLine: true,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.SetHelpFunc(func(c *cobra.Command, _ []string) {
		c.Long = text(e.Lang)
		_, e.HelpErr = io.WriteString(e.Out, cli.Wrap(c.Long)+"\n")
	})
	return c
}

// helpArguments returns the sorted names of help topics and commands.
func helpArguments(help *cobra.Command) []string {
	var words []string
	for _, c := range slices.Concat(help.Commands(), help.Root().Commands()) {
		if c.IsAvailableCommand() {
			words = append(words, c.Name())
		}
	}
	slices.Sort(words)
	return words
}

// flagsText lists the flags of every command.
func flagsText(l lang.Language) string {
	var e cli.Env
	var all []*pflag.Flag
	c := &cobra.Command{}
	e.AddGlobalFlags(c)
	cli.TranslateFlags(c.PersistentFlags(), l)
	c.PersistentFlags().VisitAll(func(f *pflag.Flag) { all = append(all, f) })
	return strings.TrimRight(cli.FlagTable(all, l), "\n")
}

const formattingText = `Data goes to stdout, everything else to stderr. On a terminal a list is a table;
in a pipe it has the same columns separated by TABs, without decoration.

  -o table        columns for people; long cells are cut on a terminal only
  -o json         one document with the API's own field names
  -o jsonl        one JSON object a line, printed as pages arrive
  -o csv          the columns with a header; what starts like a formula is guarded
  -o tsv          the same columns, for scripts: no value is guarded
  -o yaml         the document as YAML
  -o name         the identifier of each row, one a line
  --excel         CSV for Excel: byte order mark and semicolons

  --columns a,b   the columns to print, in this order; a wrong name lists the right ones
  --sort a:desc   sort by a column; :desc reverses the order
  --no-header     leave out the header line
  --jq FILTER     a jq filter over the document of json, or each line of jsonl
  --template T    a Go template over the same
  --output-file F write to this file, whole or not at all, as to a pipe

Lists are always complete: all pages are read. csv, tsv and jsonl need constant
memory for any number of rows; --sort, --jq and --template need all of them.

CPFs are masked in tables, ***.982.247-**, unless --show-documents; never in json,
jsonl, yaml, csv and tsv. Control and bidirectional characters are shown escaped.
Colours are for terminals: --color, NO_COLOR, CLICOLOR_FORCE. With -o json or jsonl
an error is one JSON object on stderr: code, message, http_status, request_id,
retryable, hint. docs/output.md lists the fields of every command.`

func csvText(l lang.Language) string {
	var b strings.Builder
	b.WriteString(`The first line names the columns; case, accents and punctuation do not matter.
The encoding (UTF-8, UTF-16, Windows-1252) and the delimiter (; , TAB |) are
detected, printed on stderr, and overridden by --encoding and --delimiter. An
.xlsx file is read directly. --map FIELD=COLUMN names a column that is not
listed here, --map ignore=COLUMN leaves one out.

`)
	seen := []string{}
	for _, a := range columns.Aliases() {
		if slices.Contains(seen, a.Field) {
			continue
		}
		seen = append(seen, a.Field)
		names := a.Names[:min(len(a.Names), 6)]
		need := ""
		if a.Required {
			need = l.Text(", needed")
		}
		fmt.Fprintf(&b, "  %-18s %s%s\n", a.Field, strings.Join(names, ", "), need)
	}
	b.WriteString(`
A speed is an id of ` + "`ativa subscribers speeds`" + ` or a text such as 100 Mega. Products
are ids, codes or names, several in a cell separated by commas, or one a line, or
ticked (X, Sim, 1) in columns that are named like them. A status must be one that
means active; ativa sync can act on the others. --map-value 'products:Combo 500=play-basic'
says what a value means.

Damage done by Excel is repaired if the repair is certain, and reported: up to
three lost zeros of a CPF, .0 at the end of a number. 1,23E+10 is refused: the
digits are gone. So is a cell that a workbook turned into a date, such as 10/may
for the plan 10-5.

FILE.report.csv lists the result of each line; FILE.rejected.csv has the refused
lines unchanged, with the reason, to be fixed and imported again.`)
	return b.String()
}

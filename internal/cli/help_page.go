package cli

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ativa/internal/lang"
	"ativa/internal/render"
)

// helpWidth is the width of a help page in columns, whatever the terminal.
const helpWidth = 80

// HelpPage returns the help of a command, no line wider than 80 columns. The texts of the
// command and its flags must be translated already.
func HelpPage(c *cobra.Command, l lang.Language) string {
	var b strings.Builder
	b.WriteString(Wrap(strings.TrimSpace(cmp.Or(c.Long, c.Short))) + "\n\n" + l.Text("Usage:") + "\n" + Wrap("  "+usageLine(c, l)) + "\n")
	if c.HasExample() {
		b.WriteString("\n" + l.Text("Examples:") + "\n" + c.Example + "\n")
	}
	writeCommands(&b, c, l)
	own, inherited := ownFlags(c)
	everyday := len(own)
	if i := slices.IndexFunc(own, func(f *pflag.Flag) bool { return f.Name == c.Annotations[ForMany] }); i >= 0 {
		everyday = i
	}
	writeFlags(&b, l.Text("Flags:"), slices.Concat(own[:everyday], inherited), l)
	writeFlags(&b, l.Text("With a file or a selection:"), own[everyday:], l)
	b.WriteString("\n" + Wrap(l.Text("Global flags: --context, --server, -o, -y, --lang …: see `ativa help flags`")) + "\n")
	if c.HasAvailableSubCommands() {
		b.WriteString(Wrap(l.Textf("More about a command: `%s COMMAND --help`", c.CommandPath())) + "\n")
	}
	return b.String()
}

// usageLine returns the usage of a command or group.
func usageLine(c *cobra.Command, l lang.Language) string {
	line := c.UseLine()
	if c.HasAvailableSubCommands() && c.Name() != "help" {
		line = c.CommandPath() + " COMMAND [flags]"
	}
	return strings.Replace(PlaceholderText(line).Text(l), "[flags]", l.Text("[flags]"), 1)
}

// PlaceholderText lists the arguments, such as FILE or [DOC…].
type PlaceholderText string

// Text translates the words in capitals.
func (p PlaceholderText) Text(l lang.Language) string {
	if l == lang.English {
		return string(p)
	}
	return regexp.MustCompile("[A-Z]+").ReplaceAllStringFunc(string(p), l.Word)
}

// writeCommands lists the subcommands by group, those without a group last.
func writeCommands(b *strings.Builder, c *cobra.Command, l lang.Language) {
	rows := map[string][][2]string{}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			rows[sub.GroupID] = append(rows[sub.GroupID], [2]string{sub.Name(), sub.Short})
			names = append(names, sub.Name())
		}
	}
	write := func(title string, rows [][2]string) {
		if len(rows) > 0 {
			b.WriteString("\n" + title + "\n" + twoColumns(rows, names))
		}
	}
	for _, g := range c.Groups() {
		write(l.Text(g.Title), rows[g.ID])
	}
	write(l.Text("Commands:"), rows[""])
}

// ownFlags returns the flags of a command without the global ones: its own, and those of its
// group.
func ownFlags(c *cobra.Command) (own, inherited []*pflag.Flag) {
	c.InitDefaultHelpFlag()
	outer := c.InheritedFlags()
	c.Flags().SortFlags = false
	c.Flags().VisitAll(func(f *pflag.Flag) {
		switch global := c.Root().PersistentFlags().Lookup(f.Name); {
		case f.Hidden || global == f:
		case outer.Lookup(f.Name) == f || f.Name == "help":
			inherited = append(inherited, f)
		default:
			own = append(own, f)
		}
	})
	return own, inherited
}

func writeFlags(b *strings.Builder, title string, flags []*pflag.Flag, l lang.Language) {
	if len(flags) > 0 {
		b.WriteString("\n" + title + "\n" + FlagTable(flags, l))
	}
}

// FlagTable lists flags with their meaning.
func FlagTable(flags []*pflag.Flag, l lang.Language) string {
	rows := make([][2]string, len(flags))
	names := make([]string, len(flags))
	for i, f := range flags {
		left := "    --" + f.Name
		if f.Shorthand != "" {
			left = "-" + f.Shorthand + ", --" + f.Name
		}
		kind, usage := pflag.UnquoteUsage(f)
		if kind != "" {
			left += " " + l.Text(kind)
		}
		if !slices.Contains([]string{"", "0", "0s", "false", "[]"}, f.DefValue) {
			usage += " " + l.Textf("(default %s)", f.DefValue)
		}
		rows[i], names[i] = [2]string{left, usage}, left
	}
	return twoColumns(rows, names)
}

// twoColumns writes rows of a name and a text. The texts are aligned after the widest name.
func twoColumns(rows [][2]string, names []string) string {
	width := 0
	for _, name := range names {
		width = max(width, min(utf8.RuneCountInString(name), helpWidth/2))
	}
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(Wrap(fmt.Sprintf("  %-*s  %s", width, row[0], row[1])) + "\n")
	}
	return b.String()
}

// Wrap breaks lines that are wider than a help page. A paragraph is reflowed; an indented line,
// which is a row of a table, continues below its last column.
func Wrap(text string) string {
	var out, paragraph []string
	flush := func() {
		if slices.ContainsFunc(paragraph, tooWide) {
			paragraph = fold(strings.Join(paragraph, " "), 0)
		}
		out = append(out, paragraph...)
		paragraph = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" && line[0] != ' ' && line[0] != '\t' {
			paragraph = append(paragraph, line)
			continue
		}
		flush()
		if tooWide(line) {
			out = append(out, fold(line, lastColumn(line))...)
		} else {
			out = append(out, line)
		}
	}
	flush()
	return strings.Join(out, "\n")
}

func tooWide(line string) bool { return utf8.RuneCountInString(line) > helpWidth }

// lastColumn returns the column in which the last column of a row begins: after two spaces or
// more.
func lastColumn(line string) int {
	text := strings.TrimLeft(line, " ")
	if gap := strings.Index(text, "  "); gap > 0 {
		text = strings.TrimLeft(text[gap:], " ")
	}
	return min(utf8.RuneCountInString(line)-utf8.RuneCountInString(text), helpWidth/2)
}

// fold breaks a line at single spaces; the lines after the first are indented.
func fold(line string, indent int) []string {
	head := string([]rune(line)[:indent])
	all := render.Wrap(line[len(head):], helpWidth-indent)
	for i := range all {
		all[i] = head + all[i]
		head = strings.Repeat(" ", indent)
	}
	return all
}

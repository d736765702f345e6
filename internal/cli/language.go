package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/system"
)

// Language returns the language of messages: from --lang, which is read before the flags because
// help needs it, then ATIVA_LANG, the key lang of the configuration file, and the locale.
func (e *Env) Language(args []string) (lang.Language, error) {
	if value, given := FlagIn(args, "lang", ""); given {
		return e.parseLanguage("--lang", value)
	}
	if value := e.Getenv("ATIVA_LANG"); value != "" {
		return e.parseLanguage("ATIVA_LANG", value)
	}
	if f, err := e.LoadSettings(); err == nil { // otherwise the command reports errors of the file
		if name := f.Get("lang"); name != "" {
			return e.parseLanguage("lang", name)
		}
	}
	return lang.OfUser(e.Getenv, system.Locale), nil
}

func (e *Env) parseLanguage(place, name string) (lang.Language, error) {
	l, ok := lang.Parse(name)
	if !ok {
		return lang.OfUser(e.Getenv, system.Locale), Usage("%s is pt or en, not %q", place, name).WithHint("use --lang pt or --lang en")
	}
	return l, nil
}

// Text returns a message in the person's language, with its arguments filled in.
func (e *Env) Text(english string, args ...any) string { return Msg(english, args...).Text(e.Lang) }

// CellLanguage returns the language of cells: the person's in a table, the API's codes in
// machine formats.
func (e *Env) CellLanguage() lang.Language {
	o := e.Global.Output
	if o.Format == render.FormatTable || o.Format == "" && o.JQ == "" && o.Template == "" && !o.Excel && isTerminal(e.Out) {
		return e.Lang
	}
	return lang.Codes
}

// TranslateCommand translates the help of a command, its flags and its subcommands. Only help
// and completion call it, so that other commands start faster.
func TranslateCommand(c *cobra.Command, l lang.Language) {
	if l == lang.English {
		return
	}
	c.Long = Paragraphs(c.Long, c.Short, l)
	c.Short = l.Text(c.Short)
	c.InitDefaultHelpFlag()
	if help := c.Flags().Lookup("help"); help != nil {
		help.Usage = l.Textf("help for %s", c.Name())
	}
	TranslateFlags(c.Flags(), l)
	TranslateFlags(c.InheritedFlags(), l)
	for _, sub := range c.Commands() {
		sub.Short = l.Text(sub.Short)
	}
}

// TranslateFlags translates the meaning of flags.
func TranslateFlags(flags *pflag.FlagSet, l lang.Language) {
	flags.VisitAll(func(f *pflag.Flag) { f.Usage = l.Text(f.Usage) })
}

// Paragraphs translates a long text paragraph by paragraph. A paragraph may be the short text with
// a full stop.
func Paragraphs(long, short string, l lang.Language) string {
	parts := strings.Split(strings.Trim(long, "\n"), "\n\n")
	for i, part := range parts {
		if part == short+"." {
			parts[i] = l.Text(short) + "."
		} else {
			parts[i] = l.Text(part)
		}
	}
	return strings.Join(parts, "\n\n")
}

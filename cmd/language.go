package cmd

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ativa/internal/lang"
	"ativa/internal/render"
)

// language is the one that the person is spoken to in: --lang, which is looked
// for before the flags are read because help is in it too, else the environment.
func (e *env) language(args []string) (lang.Language, error) {
	for i, arg := range args {
		if arg == "--" {
			break
		}
		value, given := strings.CutPrefix(arg, "--lang=")
		if arg == "--lang" && i+1 < len(args) {
			value, given = args[i+1], true
		}
		if !given {
			continue
		}
		l, ok := lang.Parse(value)
		if !ok {
			return lang.FromEnvironment(e.getenv), usage("--lang is pt or en, not %q", value).withHint("use --lang pt or --lang en")
		}
		return l, nil
	}
	return lang.FromEnvironment(e.getenv), nil
}

// text is a text in the person's language, with its verbs filled in.
func (e *env) text(english string, args ...any) string { return say(english, args...).in(e.lang) }

// cellLanguage is the language of what is printed: the person's in a table, and
// English in what machines read.
func (e *env) cellLanguage() lang.Language {
	o := e.global.output
	if o.format == render.FormatTable || o.format == "" && o.jq == "" && o.template == "" && !o.excel && isTerminal(e.out) {
		return e.lang
	}
	return lang.English
}

// translate puts the help of a command into the person's language: its own texts,
// those of its flags, and the lines of the commands below it. It is done when
// somebody asks for help or completes: other commands start without.
func translate(c *cobra.Command, l lang.Language) {
	if l == lang.English {
		return
	}
	c.Long = paragraphs(c.Long, c.Short, l)
	c.Short = l.Text(c.Short)
	c.InitDefaultHelpFlag()
	if help := c.Flags().Lookup("help"); help != nil {
		help.Usage = l.Textf("help for %s", c.Name())
	}
	c.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = l.Text(f.Usage) })
	for _, sub := range c.Commands() {
		sub.Short = l.Text(sub.Short)
	}
}

// paragraphs translates a long text paragraph by paragraph. One of them may be
// the short text with a full stop.
func paragraphs(long, short string, l lang.Language) string {
	parts := strings.Split(long, "\n\n")
	for i, part := range parts {
		if part == short+"." {
			parts[i] = l.Text(short) + "."
		} else {
			parts[i] = l.Text(part)
		}
	}
	return strings.Join(parts, "\n\n")
}

// usageWords are the lines and words that cobra writes into a help page.
func usageWords() []string {
	return []string{"Usage:", "Aliases:", "Examples:", "Available Commands:", "Additional Commands:", "Global Flags:", "Flags:",
		"Additional help topics:", "Use", "for more information about a command."}
}

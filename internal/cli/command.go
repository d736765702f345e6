package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ativa/internal/cpf"
	"ativa/internal/render"
	"ativa/internal/settings"
	"ativa/internal/system"
)

// Notice writes a remark to standard error, unless --quiet.
func (e *Env) Notice(format string, args ...any) {
	if !e.Global.Quiet {
		e.note(e.Text(format, args...))
	}
}

// note writes a line to standard error, above the progress bar if there is one.
func (e *Env) note(text string) {
	if e.progress != nil {
		e.progress.Note(text)
		return
	}
	_ = render.WriteMessage(e.Err, text) // best effort
}

// Suggests reports whether [Env.Next] prints anything: only to a person at a terminal.
func (e *Env) Suggests() bool { return isTerminal(e.Out) && isTerminal(e.Err) && !e.Global.Quiet }

// Next suggests the next commands to a person at a terminal. document is the subscriber's, or
// empty.
func (e *Env) Next(document string, commands ...string) {
	if !e.Suggests() {
		return
	}
	for _, command := range commands {
		fmt.Fprintln(e.Err, render.Sanitise(e.Text("next: %s", e.HintCommand(document, command)))) // in one line, to be copied
	}
}

// SetTerm records the search term typed for a subscriber, unless it is the document itself. An empty
// one forgets the term.
func (e *Env) SetTerm(document, term string) {
	e.subject.document, e.subject.term = "", ""
	if term != "" && cpf.OnlyDigits(term) != cpf.OnlyDigits(document) {
		e.subject.document, e.subject.term = document, term
	}
}

// InHint returns the words for a document in a command of a hint (cli.md, Output): the document with
// --show-documents, else the typed term, else DOC, and [Env.ConnectionFlags]. With --debug it is
// always DOC: debug output holds nothing personal.
func (e *Env) InHint(document string) string {
	name := "DOC"
	switch {
	case document == "" || e.Global.Debug:
	case e.Global.Output.ShowDocuments:
		name = document
	case document == e.subject.document:
		name = system.ShellQuote(e.subject.term)
	}
	return strings.Join(append([]string{name}, e.ConnectionFlags()...), " ")
}

// ConnectionFlags returns the given flags that say which server is reached and how, for a command that
// follows this one. It leaves out what may hold a password, and all contexts.
func (e *Env) ConnectionFlags() (words []string) {
	g := &e.Global
	for _, f := range []struct{ name, value string }{
		{"--context", g.Context}, {"--server", g.Server}, {"--token-file", g.TokenFile},
		{"--ca-cert", g.CaCert}, {"--client-cert", g.ClientCert}, {"--client-key", g.ClientKey},
	} {
		if f.value != "" && f.value != settings.AllContexts {
			words = append(words, f.name, system.ShellQuote(f.value))
		}
	}
	if g.InsecureHTTP {
		words = append(words, "--insecure-http")
	}
	return words
}

// HintCommand replaces the document in a command by [Env.InHint].
func (e *Env) HintCommand(document, command string) string {
	if document == "" {
		return command
	}
	return strings.ReplaceAll(command, document, e.InHint(document))
}

// Typed returns the command line quoted for a shell, without some words and with others
// appended.
func (e *Env) Typed(without []string, with ...string) string {
	words := []string{"ativa"}
	for _, word := range append(slices.Clone(e.Args), with...) {
		if !slices.Contains(without, word) {
			words = append(words, system.ShellQuote(word))
		}
	}
	return strings.Join(words, " ")
}

// The keys of [cobra.Command.Annotations].
const (
	// ExitCodes lists the exit codes besides 0, 1 and 2, separated by spaces. Commands without the
	// key inherit it from their group.
	ExitCodes = "exit_codes"
	// AllContexts marks a command that takes --context all.
	AllContexts = "all_contexts"
	// Daemon marks a command that survives SIGHUP outside a terminal.
	Daemon = "daemon"
	// ForMany names the first flag that matters only with a file or a selection. Help lists it and
	// the following ones last.
	ForMany = "for_many"
)

// Annotation returns the value of a key for a command, or for the nearest group above it.
func Annotation(c *cobra.Command, key string) (value string, known bool) {
	for ; c != nil && !known; c = c.Parent() {
		value, known = c.Annotations[key]
	}
	return value, known
}

// Group makes c a command that only holds others. A missing or unknown command is a usage error;
// only the root prints its help at a terminal.
func (e *Env) Group(c *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case len(args) > 0:
			return UnknownCommand(c, args[0])
		case !c.HasParent() && isTerminal(e.Out): // a person who wants an overview
			return c.Help()
		}
		return Usage("%s needs a command", c.CommandPath()).WithHint("see `%s --help`", c.CommandPath())
	}
	c.AddCommand(commands...)
	return c
}

// Args turns cobra's errors about arguments into usage errors that say what a command takes.
func Args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, given []string) error {
		if check(c, given) == nil {
			return nil
		}
		if i := slices.IndexFunc(given, func(s string) bool { return strings.IndexAny(s, "–—−") == 0 }); i >= 0 {
			return Usage("%s is not a flag: it begins with a long dash, which text programs write for -", given[i]).WithHint("type it with one or two of the keyboard's -")
		}
		if _, wanted, takes := strings.Cut(c.Use, " "); takes {
			for n := range given {
				if check(c, given[:n]) == nil {
					return Usage("%s takes %s, but got %d [word|words]", c.CommandPath(), PlaceholderText(wanted), len(given)).WithHint("put a text with spaces in quotes")
				}
			}
			return Usage("%s takes %s", c.CommandPath(), PlaceholderText(wanted)).WithHint("see `%s --help`", c.CommandPath())
		}
		return Usage("%s takes no arguments, but got %q", c.CommandPath(), given[0]).WithHint("see `%s --help`", c.CommandPath())
	}
}

// AddGlobalFlags adds the flags that every command has.
func (e *Env) AddGlobalFlags(root *cobra.Command) {
	g, f := &e.Global, root.PersistentFlags()
	e.flags = f
	f.SortFlags = false
	if e.output == nil {
		e.output = &outputFile{}
	}
	f.StringVar(&g.Context, "context", "", "the context to use (ATIVA_CONTEXT)")
	f.StringVar(&g.Server, "server", "", "base URL of the server (ATIVA_SERVER)")
	g.Output.add(f)
	f.BoolVarP(&g.yes, "yes", "y", false, "do not ask for confirmation")
	f.BoolVar(&g.noInput, "no-input", false, "never ask; a needed answer is exit 2")
	f.BoolVarP(&g.Quiet, "quiet", "q", false, "no progress and no notices")
	AddSpanFlag(f, &g.Timeout, "timeout", 0, "limit of one request, and of --wait")
	f.String("lang", "", "language of messages: pt or en (ATIVA_LANG; default that of LC_ALL, LC_MESSAGES or LANG)")
	f.StringVar(&g.color, "color", "auto", "auto, always or never")
	f.BoolVar(&g.Debug, "debug", false, "trace requests on stderr, secrets and personal data masked")
	f.BoolVar(&g.TokenStdin, "token-stdin", false, "read the access token from standard input")
	f.StringVar(&g.TokenFile, "token-file", "", "file with the access token, readable by its owner only (ATIVA_TOKEN_FILE)")
	f.StringVar(&g.Proxy, "proxy", "", "URL of a proxy")
	f.BoolVar(&g.InsecureHTTP, "insecure-http", false, "permit plain http to another machine")
	f.StringVar(&g.CaCert, "ca-cert", "", "PEM file of authorities to trust instead of the system's")
	f.StringVar(&g.ClientCert, "client-cert", "", "PEM file of a client certificate")
	f.StringVar(&g.ClientKey, "client-key", "", "PEM file of its key")
	e.CompleteFlag(root, "context", e.completeContext)
	e.CompleteFlag(root, "output", KeyValues("output"))
	e.CompleteFlag(root, "color", KeyValues("color"))
	e.CompleteFlag(root, "columns", e.completeColumns)
	e.CompleteFlag(root, "sort", e.completeSort)
}

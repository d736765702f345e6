package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/render"
)

// outputOptions holds the output flags.
type outputOptions struct {
	render.Options
	File    string
	IsUsual bool // the format is that of environment or file: a command with a format of its own keeps that
	noPager bool
}

func (o *outputOptions) add(f *pflag.FlagSet) {
	f.StringVarP(&o.Format, "output", "o", "", "format: "+strings.Join(render.Formats(), ", ")+" (default: table on a terminal, tsv otherwise)")
	f.StringVar(&o.File, "output-file", "", "write what would be printed into this file, whole or not at all")
	AddListFlag(f, &o.Columns, "columns", "columns to print, in this order")
	f.StringVar(&o.Sort, "sort", "", "column to sort by; :desc after it reverses the order")
	f.BoolVar(&o.NoHeader, "no-header", false, "leave out the header line")
	f.StringVar(&o.JQ, "jq", "", "jq filter over the JSON")
	f.StringVar(&o.Template, "template", "", "Go template over the JSON")
	f.BoolVar(&o.Excel, "excel", false, "CSV for Excel: byte order mark and semicolons")
	f.BoolVar(&o.ShowDocuments, "show-documents", false, "show documents whole in tables")
	f.BoolVar(&o.noPager, "no-pager", false, "print a list that is longer than the screen without a pager")
}

// AddLimit adds the flag --limit to a command that prints a list.
func AddLimit(e *Env, c *cobra.Command) *cobra.Command {
	c.Flags().IntVar(&e.Global.Output.Limit, "limit", 0, "print at most this many rows")
	return c
}

// IsSet reports whether any output flag is set.
func (o outputOptions) IsSet() bool {
	return o.Format != "" || o.JQ != "" || o.Template != "" || o.Excel || len(o.Columns) > 0
}

// takes reports whether a format from environment or file is compatible with the given flags.
func (o outputOptions) takes(format string) bool {
	o.Format = format
	return o.Check() == nil
}

// ErrorFormat returns the format in which errors of a command line are printed: from --output,
// else the environment, else the file. It works even after an error in the flags.
func (e *Env) ErrorFormat(args []string) string {
	if e.applied || e.Global.Output.Format != "" {
		return e.Global.Output.Format
	}
	format, _ := FlagIn(args, "output", "o")
	inFile := ""
	if f, err := e.LoadSettings(); err == nil {
		inFile = f.Get("output")
	}
	return cmp.Or(format, e.Getenv("ATIVA_OUTPUT"), inFile)
}

// FlagIn returns the value of a text flag in a command line, and whether it is there. It works even
// after an error in the flags, and ignores all others.
func FlagIn(args []string, name, shorthand string) (value string, given bool) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.StringVarP(&value, name, shorthand, "", "")
	flags.BoolP("help", "h", false, "") // pflag would print a usage of its own
	_ = flags.Parse(args)               // the command reports the error
	return value, flags.Changed(name)
}

// NewPrinter checks the output flags against the schema. Call it before anything is sent.
func NewPrinter[T any](e *Env, s render.Schema[T]) (*render.Printer[T], error) {
	o, err := e.RenderOptions()
	if err != nil {
		return nil, err
	}
	return NewPrinterOf(e, o, s)
}

// NewPrinterOf is NewPrinter with the given options.
func NewPrinterOf[T any](e *Env, o render.Options, s render.Schema[T]) (*render.Printer[T], error) {
	return render.New(e.Out, e.withNotices(o, s.Empty), s)
}

// withNotices returns the options of a printer in the person's language. empty is the notice for
// a list without rows.
func (e *Env) withNotices(o render.Options, empty string) render.Options {
	if empty != "" {
		o.OnEmpty = func() { e.Notice(empty) }
	}
	l := e.CellLanguage()
	o.Language = l
	if l != lang.Codes {
		o.TranslateWord = func(kind render.Kind, word string) string {
			switch {
			case kind == render.Status:
				return l.Status(word)
			case kind == render.Cause && e.Global.Debug:
				return word
			case kind == render.Cause:
				return lang.Cause(word).Text(l)
			}
			return l.Word(word)
		}
	}
	o.OnMore = func() { e.NoticeMore(o.Limit) }
	o.OnLeftOut = func(titles []string) {
		e.Notice("too narrow for: %s; --columns chooses what is shown", strings.Join(titles, ", "))
	}
	o.OnCut = func(titles []string) {
		e.Notice("cut to one line: %s; -o tsv shows it whole", strings.Join(titles, ", "))
	}
	return o
}

// NoticeMore prints that a list has more rows than --limit.
func (e *Env) NoticeMore(limit int) {
	e.Notice("only %d [row is|rows are] shown; there are more (--limit)", limit)
}

// CheckOutput checks the output flags of c, which may print no rows.
func (e *Env) CheckOutput(c *cobra.Command) error {
	o, err := e.RenderOptions()
	if err != nil {
		return err
	}
	if e.columns[c] != nil { // the printer checks the rest
		return o.Check()
	}
	_, err = render.New(io.Discard, o, render.Schema[struct{}]{})
	return err
}

// PrintSuccess prints the API's response to a write without a result, if the output flags select a
// document.
func (e *Env) PrintSuccess(ctx context.Context) error {
	_, err := e.PrintDocument(ctx, ToJSON(api.Response{Response: api.ResponseSuccess}))
	return err
}

// PrintDocument prints a document if the output flags select one, and reports whether they do.
func (e *Env) PrintDocument(ctx context.Context, doc json.RawMessage) (asked bool, err error) {
	o, err := e.RenderOptions()
	asked = o.JQ != "" || o.Template != "" || slices.Contains([]string{render.FormatJSON, render.FormatJSONL, render.FormatYAML}, o.Format)
	if err != nil || !asked {
		return asked, err
	}
	return true, render.Raw(ctx, e.Out, o, doc)
}

// RenderOptions returns the output flags, checked and completed with the properties of standard
// output.
func (e *Env) RenderOptions() (render.Options, error) {
	screen, err := render.DetectScreen(e.Out, e.Global.color, e.Getenv)
	if err != nil {
		return render.Options{}, err
	}
	o := e.Global.Output.Options
	if o.Limit < 0 {
		return render.Options{}, Usage("--limit is a number of rows")
	}
	o.Zone, o.TimeText, o.Screen, o.Pager = e.Location, e.TimeText, screen, e.pager(screen)
	if e.output != nil {
		o.OnWhole = func() { e.output.whole = true }
	}
	return o, nil
}

// pager returns the command that shows long output on a screen, "" for none.
func (e *Env) pager(s render.Screen) string {
	command := cmp.Or(e.Global.pager, strings.TrimSpace(e.Getenv("PAGER")))
	switch {
	case e.Global.Output.noPager, command == "cat": // cat pages nothing
		return ""
	case command != "", !s.Terminal, e.Getenv("TERM") == "dumb":
		return command
	}
	if _, err := exec.LookPath("less"); err != nil {
		return ""
	}
	return "less -FRX" // quit if one screen; colours; keep the text
}

// NoticeMasked says how to show documents whole, if the table masked any.
func (e *Env) NoticeMasked(masked func() bool) {
	if masked() {
		e.Notice("documents are masked: --show-documents shows them whole")
	}
}

// Prints makes c a command that prints rows of the schema. Wrong output flags are refused before
// run is called.
func Prints[T any](e *Env, schema func() render.Schema[T], c *cobra.Command, run func(ctx context.Context, p *render.Printer[T], args []string) error) *cobra.Command {
	c.RunE = func(c *cobra.Command, args []string) error {
		p, err := NewPrinter(e, schema())
		if err != nil {
			return err
		}
		return run(c.Context(), p, args)
	}
	return WithColumns(e, schema, c)
}

// Lists is [Prints] for the rows that read returns from the server.
func Lists[T any](e *Env, schema func() render.Schema[client.Item[T]], c *cobra.Command, read func(ctx context.Context, c *client.Client, args []string) ([]client.Item[T], error)) *cobra.Command {
	return Prints(e, schema, AddLimit(e, c), func(ctx context.Context, p *render.Printer[client.Item[T]], args []string) error {
		return e.WithClient(ctx, func(ctx context.Context, c *client.Client) error {
			all, err := read(ctx, c, args)
			if err != nil {
				return err
			}
			return p.Results(ctx, nil, all)
		})
	})
}

// WithColumns registers the columns that c prints, for completion and [Env.CheckOutput].
func WithColumns[T any](e *Env, schema func() render.Schema[T], c *cobra.Command) *cobra.Command {
	if e.columns == nil {
		e.columns = map[*cobra.Command]func() []string{}
	}
	e.columns[c] = func() []string {
		return Map(schema().Columns, func(c render.Column[T]) string { return c.Name })
	}
	return c
}

// Columns returns the names of the columns that c prints, nil if it prints no rows.
func (e *Env) Columns(c *cobra.Command) []string {
	if names := e.columns[c]; names != nil {
		return names()
	}
	return nil
}

// Map returns the results of to for every element.
func Map[A, B any](all []A, to func(A) B) []B {
	rows := make([]B, len(all))
	for i, a := range all {
		rows[i] = to(a)
	}
	return rows
}

// ParseAll parses every text and stops at the first error. Without texts it returns nil.
func ParseAll[T any](texts []string, parse func(string) (T, error)) ([]T, error) {
	var all []T
	for _, text := range texts {
		parsed, err := parse(text)
		if err != nil {
			return nil, err
		}
		all = append(all, parsed)
	}
	return all, nil
}

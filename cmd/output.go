package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/render"
)

// outputOptions are the flags that say how data is printed.
type outputOptions struct {
	format, sort, jq, template string
	columns                    []string
	noHeader, excel            bool
	showDocuments              bool
}

func (o *outputOptions) add(f *pflag.FlagSet) {
	f.StringVarP(&o.format, "output", "o", "", "format: "+strings.Join(render.Formats(), ", ")+" (default: table on a terminal, tsv otherwise)")
	f.StringSliceVar(&o.columns, "columns", nil, "columns to print, in this order")
	f.StringVar(&o.sort, "sort", "", "column to sort by, with :desc behind it for the other way round")
	f.BoolVar(&o.noHeader, "no-header", false, "leave out the header line")
	f.StringVar(&o.jq, "jq", "", "jq filter over the JSON")
	f.StringVar(&o.template, "template", "", "Go template over the JSON")
	f.BoolVar(&o.excel, "excel", false, "CSV for Excel: byte order mark and semicolons")
	f.BoolVar(&o.showDocuments, "show-documents", false, "show documents whole in tables")
}

// asked tells whether any flag says how data is printed.
func (o outputOptions) asked() bool {
	return o.format != "" || o.jq != "" || o.template != "" || o.excel || len(o.columns) > 0
}

// newPrinter checks the output flags against what is going to be printed, so
// call it before anything is sent.
func newPrinter[T any](e *env, s render.Schema[T]) (*render.Printer[T], error) {
	o, err := e.renderOptions()
	if err != nil {
		return nil, err
	}
	return newPrinterOf(e, o, s)
}

// newPrinterOf is newPrinter with options of its own.
func newPrinterOf[T any](e *env, o render.Options, s render.Schema[T]) (*render.Printer[T], error) {
	if l := e.cellLanguage(); l != lang.English {
		columns := slices.Clone(s.Columns)
		for i, c := range columns {
			columns[i].Title = l.Text(cmp.Or(c.Title, strings.ReplaceAll(c.Name, "_", " ")))
		}
		s.Columns = columns
		o.TranslateWord = func(kind render.Kind, word string) string {
			if kind == render.Status {
				return l.Status(word)
			}
			return l.Word(word)
		}
	}
	return render.New(e.out, o, s)
}

func (e *env) renderOptions() (render.Options, error) {
	screen, err := render.DetectScreen(e.out, e.global.color, e.getenv)
	if err != nil {
		return render.Options{}, err
	}
	o := e.global.output
	return render.Options{
		Format: o.format, Columns: o.columns, Sort: o.sort, NoHeader: o.noHeader, JQ: o.jq, Template: o.template,
		Excel: o.excel, ShowDocuments: o.showDocuments, Zone: time.Local, Screen: screen, Pager: e.pagerCommand(),
	}, nil
}

// raw is the JSON of a record as the server sent it.
func raw[T any](r client.Item[T]) json.RawMessage { return r.Raw }

// list prints what a read returned.
func list[T any](ctx context.Context, e *env, s render.Schema[client.Item[T]], read func(context.Context, *client.Client) ([]client.Item[T], error)) error {
	p, err := newPrinter(e, s)
	if err != nil {
		return err
	}
	return e.within(ctx, func(ctx context.Context, c *client.Client) error {
		all, err := read(ctx, c)
		if err != nil {
			return err
		}
		return p.List(ctx, each(all))
	})
}

// asJSON is the JSON of a value of our own, which always has one.
func asJSON[T any](v T) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return b
}

// each turns a slice into a list that can be printed.
func each[T any](rows []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// mapped turns every element of a slice into another.
func mapped[A, B any](all []A, to func(A) B) []B {
	rows := make([]B, len(all))
	for i, a := range all {
		rows[i] = to(a)
	}
	return rows
}

// stamp is a time as the API writes it, "" for none.
func stamp(t time.Time) string { return api.At(t).String() }

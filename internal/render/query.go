package render

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/template"

	"github.com/itchyny/gojq"
)

// query is a jq filter or a template. On a terminal it sees the texts of the
// document as Safe shows them, so that the line ends it writes are its own.
type query struct {
	jq       *gojq.Code
	template *template.Template
	terminal bool
}

// QueryError is a filter or template that fails on the data it meets.
type QueryError struct {
	// Option is the flag that it was given by.
	Option string
	Err    error
}

// Error names the flag.
func (e *QueryError) Error() string {
	return e.Option + ": " + strings.TrimPrefix(e.Err.Error(), "template: "+e.Option+":")
}

// Unwrap is the cause.
func (e *QueryError) Unwrap() error { return e.Err }

// newQuery is nil when neither is asked for.
func newQuery(o Options) (*query, error) {
	switch {
	case o.JQ != "":
		parsed, err := gojq.Parse(o.JQ)
		if err != nil {
			return nil, &OptionError{Option: "--jq", Value: o.JQ, Reason: err.Error()}
		}
		code, err := gojq.Compile(parsed)
		if err != nil {
			return nil, &OptionError{Option: "--jq", Value: o.JQ, Reason: err.Error()}
		}
		return &query{jq: code, terminal: o.Screen.Terminal}, nil
	case o.Template != "":
		t, err := template.New("--template").Parse(o.Template)
		if err != nil {
			return nil, &OptionError{Option: "--template", Value: o.Template, Reason: err.Error()}
		}
		return &query{template: t, terminal: o.Screen.Terminal}, nil
	}
	return nil, nil
}

func (q *query) run(ctx context.Context, out io.Writer, doc []byte) error {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return fmt.Errorf("show JSON: %w", err)
	}
	v = q.convert(v)
	if q.template != nil {
		return q.executeTemplate(out, v)
	}
	for results := q.jq.RunWithContext(ctx, v); ; {
		got, more := results.Next()
		if !more {
			return nil
		}
		if err, failed := got.(error); failed {
			if halt, ok := errors.AsType[*gojq.HaltError](err); ok && halt.Value() == nil {
				return nil
			}
			return &QueryError{"--jq", err}
		}
		if err := q.printResult(out, got); err != nil {
			return err
		}
	}
}

// printResult writes a string as it is and anything else as JSON, as jq -r does.
func (q *query) printResult(out io.Writer, v any) error {
	if s, ok := v.(string); ok {
		_, err := io.WriteString(out, q.sanitize(s)+"\n")
		return err
	}
	b, err := gojq.Marshal(v)
	if err != nil {
		return &QueryError{"--jq", err}
	}
	return jsonStyle{q.terminal}.write(out, b, "", "\n")
}

// executeTemplate writes the template's text, with the line end that shells expect.
func (q *query) executeTemplate(out io.Writer, v any) error {
	var b strings.Builder
	if err := q.template.Execute(&b, v); err != nil {
		return &QueryError{"--template", err}
	}
	s := b.String()
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	_, err := io.WriteString(out, q.sanitize(s))
	return err
}

// sanitize keeps a terminal from obeying what a filter decoded or put together.
func (q *query) sanitize(s string) string {
	if !q.terminal {
		return s
	}
	return sanitize(s, "\n\t")
}

// convert is v with integers as int, which filters and templates compare with
// their own, and with texts that are safe where a terminal shows them.
func (q *query) convert(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := strconv.Atoi(v.String()); err == nil {
			return n
		}
	case string:
		if q.terminal {
			return Sanitize(v)
		}
	case []any:
		for i := range v {
			v[i] = q.convert(v[i])
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			if q.terminal {
				name = Sanitize(name)
			}
			out[name] = q.convert(value)
		}
		return out
	}
	return v
}

// queryListWriter collects a list into its document and runs the query on that.
type queryListWriter struct {
	jsonListWriter
	ctx   context.Context
	doc   *bytes.Buffer
	out   io.Writer
	query *query
}

func newQueryListWriter(ctx context.Context, out io.Writer, q *query, name string, tail func() (name, value string)) *queryListWriter {
	doc := &bytes.Buffer{}
	return &queryListWriter{jsonListWriter{out: doc, name: name, tail: tail}, ctx, doc, out, q}
}

// close runs nothing on a list that is not complete: an answer from half of
// the data would be a wrong one.
func (q *queryListWriter) close(complete bool) error {
	if !complete {
		return nil
	}
	if err := q.jsonListWriter.close(true); err != nil {
		return err
	}
	return q.query.run(q.ctx, q.out, q.doc.Bytes())
}

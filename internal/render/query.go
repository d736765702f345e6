package render

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"text/template"

	"github.com/itchyny/gojq"

	"ativa/internal/failure"
	"ativa/internal/lang"
)

// query is a jq filter or a template. For a terminal, it gets the texts of the
// document sanitised, so that every line end in its output is its own.
type query struct {
	jq       *gojq.Code
	template *template.Template
	terminal bool
}

// queryError returns the error of a filter or template that fails on the data. text must not contain
// data, because the values may be personal or secret.
func queryError(flag, text string) error {
	return &failure.Failure{Exit: failure.ExitError, Code: "query_failed",
		Message: lang.Msg("%s", flag+": "+strings.TrimPrefix(text, "template: "+flag+":")),
		Hint:    lang.Msg("a filter or template gets what -o json prints; see `ativa help formatting`")}
}

const jqKind = `(?:null|boolean|number|string|array|object)\b`

// jqErrors match jq's errors about two values, about the input of a function, and about one value; the
// last one matches any error. Their groups contain no data.
var jqErrors = [...]string{
	`(?s)^(cannot \w+:? ` + jqKind + `).*( and | by: )(` + jqKind + `)`,
	`(?s)^(@?\w+)(?:\(.*\))?( cannot be applied)( to: ` + jqKind + `)?`,
	`(?s)^((?:[^:"]|"start"|"end")*(?:: ` + jqKind + `)?)`,
}

// jqErrorText returns the text of a jq error with the kinds of values instead of the values. An error
// that the filter raises itself keeps its text.
func jqErrorText(err error) string {
	text := err.Error()
	if _, raised := errors.AsType[gojq.ValueError](err); raised {
		return text
	}
	for _, shape := range jqErrors {
		if safe := regexp.MustCompile(shape).FindStringSubmatch(text); safe != nil {
			return strings.TrimSpace(strings.Join(safe[1:], ""))
		}
	}
	return "" // the last one matches
}

// templateErrorText returns the text of a template error without the value that caused it.
func templateErrorText(err error) string {
	data := regexp.MustCompile(`(?s)(range can't iterate over|can't use|non-comparable types?) .*`)
	return data.ReplaceAllString(err.Error(), "$1 the value")
}

// newQuery returns nil if the options have neither a filter nor a template.
func newQuery(o Options) (*query, error) {
	switch {
	case o.JQ != "":
		parsed, err := gojq.Parse(o.JQ)
		if err != nil {
			return nil, wrongOption("--jq", lang.Msg("the filter cannot be read (%s)", err.Error()))
		}
		code, err := gojq.Compile(parsed)
		if err != nil {
			return nil, wrongOption("--jq", lang.Msg("the filter cannot be read (%s)", err.Error()))
		}
		return &query{jq: code, terminal: o.Screen.Terminal}, nil
	case o.Template != "":
		t, err := template.New("--template").Parse(o.Template)
		if err != nil {
			return nil, wrongOption("--template", lang.Msg("the template cannot be read (%s)", strings.TrimPrefix(err.Error(), "template: --template:")))
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
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return queryError("--jq", jqErrorText(err))
		}
		if err := q.printResult(out, got); err != nil {
			return err
		}
	}
}

// printResult writes a string without quotes and anything else as JSON, like jq -r.
func (q *query) printResult(out io.Writer, v any) error {
	if s, ok := v.(string); ok {
		_, err := io.WriteString(out, q.sanitise(s)+"\n")
		return err
	}
	b, err := gojq.Marshal(v)
	if err != nil {
		return queryError("--jq", jqErrorText(err))
	}
	return jsonStyle{q.terminal}.write(out, b, "", "\n")
}

// executeTemplate writes the template's text, with the line end that shells expect.
func (q *query) executeTemplate(out io.Writer, v any) error {
	var b strings.Builder
	if err := q.template.Execute(&b, v); err != nil {
		return queryError("--template", templateErrorText(err))
	}
	s := b.String()
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	_, err := io.WriteString(out, q.sanitise(s))
	return err
}

// sanitise sanitises output of the query for a terminal, because a filter can
// decode or build any character.
func (q *query) sanitise(s string) string {
	if !q.terminal {
		return s
	}
	return sanitise(s, "\n\t")
}

// convert returns v with integers as int, so that filters and templates can
// compare them, and for a terminal with sanitised texts.
func (q *query) convert(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := strconv.Atoi(v.String()); err == nil {
			return n
		}
	case string:
		if q.terminal {
			return Sanitise(v)
		}
	case []any:
		for i := range v {
			v[i] = q.convert(v[i])
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			if q.terminal {
				name = Sanitise(name)
			}
			out[name] = q.convert(value)
		}
		return out
	}
	return v
}

// queryListWriter builds the document of a list and runs the query on it.
type queryListWriter struct {
	*jsonListWriter
	ctx   context.Context
	doc   *bytes.Buffer
	out   io.Writer
	query *query
}

// close runs nothing on an incomplete list: a result from a part of the data would be wrong.
func (q *queryListWriter) close(complete bool) error {
	if !complete {
		return nil
	}
	if err := q.jsonListWriter.close(true); err != nil {
		return err
	}
	return q.query.run(q.ctx, q.out, q.doc.Bytes())
}

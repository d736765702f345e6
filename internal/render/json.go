package render

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"ativa/internal/api"
)

// jsonStyle is the layout of a document: pretty for a terminal, one object on a
// line for a pipe and in jsonl.
type jsonStyle struct{ pretty bool }

func styleFor(o Options) jsonStyle { return jsonStyle{o.Screen.Terminal && o.Format != FormatJSONL} }

// write writes one value and end. The lines of a pretty value after the first
// begin with prefix.
func (s jsonStyle) write(out io.Writer, raw json.RawMessage, prefix, end string) error {
	var b bytes.Buffer
	var err error
	if s.pretty {
		err = json.Indent(&b, bytes.TrimSpace(raw), prefix, "  ")
	} else {
		err = json.Compact(&b, raw)
	}
	if err != nil {
		return fmt.Errorf("show JSON: %w", err)
	}
	b.WriteString(end)
	_, err = out.Write(sanitiseJSON(b.Bytes()))
	return err
}

// sanitiseJSON replaces the characters that [Sanitise] escapes by \u escapes, which JSON decodes
// to the same text. In JSON, control characters below 0x20 are white space between values;
// all others are within strings.
func sanitiseJSON(b []byte) []byte {
	var out []byte
	start := 0
	for i := 0; i < len(b); {
		if b[i] < 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		if isUnsafe(r) || r == utf8.RuneError && size == 1 {
			out = append(out, b[start:i]...)
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
			start = i + size
		}
		i += size
	}
	if start == 0 {
		return b
	}
	return append(out, b[start:]...)
}

// jsonListWriter writes the API's envelope around a list, row by row.
type jsonListWriter struct {
	envelope
	out   io.Writer
	style jsonStyle
	rows  int
}

func newJSONList(out io.Writer, e envelope, style jsonStyle) *jsonListWriter {
	head := "["
	switch {
	case e.name != "" && style.pretty:
		head = "{\n  \"" + e.name + "\": ["
	case e.name != "":
		head = `{"` + e.name + `":[`
	}
	_, _ = io.WriteString(out, head) // a buffer, which keeps its error
	return &jsonListWriter{envelope: e, out: out, style: style}
}

func (l *jsonListWriter) row(r rowValues) error {
	before := "\n"
	if l.rows > 0 {
		before = ",\n"
	}
	l.rows++
	if _, err := io.WriteString(l.out, before+l.indent("  ")); err != nil {
		return err
	}
	return l.style.write(l.out, r.object, l.indent("  "), "")
}

func (l *jsonListWriter) close(complete bool) error {
	tail := "]"
	if l.rows > 0 {
		tail = "\n" + l.indent("") + "]"
	}
	if l.name != "" {
		fields, err := l.closing(complete)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := l.style.write(&b, fields, "", ""); err != nil {
			return err
		}
		tail += "," + b.String()[1:] // without the brace that opened the document
	}
	_, err := io.WriteString(l.out, tail+"\n")
	return err
}

// closing returns an object with the fields that follow the list. If the source failed, the response
// is partial.
func (e envelope) closing(complete bool) (json.RawMessage, error) {
	response := cmp.Or(e.response, api.ResponseSuccess)
	if !complete && response == api.ResponseSuccess {
		response = api.ResponsePartial
	}
	own := json.RawMessage(`{"response":"` + response + `"}`)
	if e.trailing == nil {
		return own, nil
	}
	object, err := json.Marshal(e.trailing())
	if err != nil || string(object) == "{}" {
		return own, err
	}
	return slices.Concat(object[:len(object)-1], []byte(","), own[1:]), nil
}

// WithResponse replaces the value of an object's field response. It returns any other document,
// even one that is not JSON, unchanged.
func WithResponse(doc json.RawMessage, word string) (json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	if brace, _ := d.Token(); brace != json.Delim('{') || !json.Valid(doc) {
		return doc, nil
	}
	var from, to int // of the text that counts: the last
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		if name == "response" && value[0] == '"' {
			to = int(d.InputOffset())
			from = to - len(value)
		}
	}
	if to == 0 {
		return doc, nil
	}
	return slices.Concat(doc[:from], []byte(`"`+word+`"`), doc[to:]), nil
}

// indent returns the indentation of a line of the list, deeper by more.
func (l *jsonListWriter) indent(more string) string {
	switch {
	case !l.style.pretty:
		return ""
	case l.name == "":
		return more
	}
	return "  " + more
}

// jsonLinesWriter writes each object, or the result of the query on it, on a line.
type jsonLinesWriter struct {
	ctx   context.Context
	out   *bufio.Writer
	query *query
}

func (l *jsonLinesWriter) row(r rowValues) error {
	if l.query != nil {
		return l.query.run(l.ctx, l.out, r.object)
	}
	return jsonStyle{}.write(l.out, r.object, "", "\n")
}

func (l *jsonLinesWriter) close(bool) error { return nil }

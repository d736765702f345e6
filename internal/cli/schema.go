package cli

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/render"
)

// SchemaOf describes rows by the fields of their type. Each field is a column with its name
// in JSON. The tag "column" holds, separated by commas, further properties: a key of
// columnKinds, title=, priority= and min=, "first", or "extra", which is also last.
func SchemaOf[T any](one, many, empty string) render.Schema[T] {
	return render.Schema[T]{One: one, Many: many, Empty: empty, JSON: ToJSON[T],
		Columns: render.ColumnsOf(columnsOfFields(reflect.TypeFor[T]()), func(row T) any { return row })}
}

func columnsOfFields(row reflect.Type) (columns []render.Column[any]) {
	var extra []render.Column[any]
	for _, f := range reflect.VisibleFields(row) {
		if tag := f.Tag.Get("column"); f.Anonymous || tag == "-" {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		c := render.Column[any]{Name: name, Kind: kindOf(f.Type), Value: func(row any) string { return fieldText(row, f.Index) }}
		at := len(columns)
		for option := range strings.SplitSeq(f.Tag.Get("column"), ",") {
			switch key, value, _ := strings.Cut(option, "="); key {
			case "":
			case "title":
				c.Title = value
			case "priority":
				c.Priority, _ = strconv.Atoi(value)
			case "min":
				c.Min, _ = strconv.Atoi(value)
			case "first":
				at = 0
			case "extra":
				c.Extra = true
			default:
				c.Kind = columnKinds()[key]
			}
		}
		if c.Extra {
			extra = append(extra, c)
		} else {
			columns = slices.Insert(columns, at, c)
		}
	}
	return append(columns, extra...)
}

// ColumnOf returns the column with the name, to set its functions.
func ColumnOf[T any](s render.Schema[T], name string) *render.Column[T] {
	return &s.Columns[slices.IndexFunc(s.Columns, func(c render.Column[T]) bool { return c.Name == name })]
}

func columnKinds() map[string]render.Kind {
	return map[string]render.Kind{"cause": render.Cause, "codes": render.Codes, "document": render.Document, "path": render.Path,
		"prose": render.Prose, "time": render.Time, "word": render.Word}
}

// kindOf returns the default column kind of a type.
func kindOf(t reflect.Type) render.Kind {
	switch {
	case t == reflect.TypeFor[api.Time]():
		return render.Time
	case t == reflect.TypeFor[bool]():
		return render.Word
	case t == reflect.TypeFor[[]string]():
		return render.Codes
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64:
		return render.Number
	}
	return render.Text
}

// fieldText returns a field of a row as a cell, "" for a field of an absent embedded
// struct.
func fieldText(row any, index []int) string {
	field, err := reflect.ValueOf(row).FieldByIndexErr(index)
	if err != nil {
		return ""
	}
	switch v := field.Interface().(type) {
	case bool:
		return YesNo(v)
	case []string:
		return strings.Join(v, " ")
	}
	return fmt.Sprint(field.Interface())
}

// YesNo returns a boolean as a table shows it.
func YesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// OrEmpty returns the text of what p points to, empty for nil.
func OrEmpty[T any](p *T, text func(T) string) string {
	if p == nil {
		return ""
	}
	return text(*p)
}

// ToJSON returns the JSON of a value that always encodes.
func ToJSON[T any](v T) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return b
}

// RawJSON returns the JSON of an item as the server sent it.
func RawJSON[T any](r client.Item[T]) json.RawMessage { return r.Raw }

// FormatTime returns a time as the API writes it, "" for the zero time.
func FormatTime(t time.Time) string { return api.At(t).String() }

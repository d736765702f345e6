package render_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ativa/internal/failure"
	"ativa/internal/render"
	"ativa/internal/system/systemtest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// person is a row: the object from the API and fields decoded from it.
type person struct {
	Document, Name, Phone, Plan, Status, CreatedAt string
	Speed                                          int
	raw                                            json.RawMessage
}

// newPerson returns a person with its object, which has a field without a column.
func newPerson(document, name, status string, speed int) person {
	p := person{Document: document, Name: name, Phone: "+5511987654321", Plan: "Fibra", Status: status,
		CreatedAt: "2026-01-31T12:34:56.123456Z", Speed: speed}
	p.raw, _ = json.Marshal(map[string]any{"document": p.Document, "name": p.Name, "phone": p.Phone,
		"customer_plan": p.Plan, "status": p.Status, "created_at": p.CreatedAt, "internet_speed_id": p.Speed,
		"unheard_of": map[string]any{"kept": 1.50}})
	return p
}

func people() []person {
	return []person{
		newPerson("52998224725", "João da Silva", "active", 10),
		newPerson("11144477735", "=cmd|' /C calc'!A0", "suspend", 9),
		newPerson("39053344705", "李小龍 👩‍👩‍👧 🇧🇷", "inventedStatus", 100),
	}
}

func personSchema() render.Schema[person] {
	type column = render.Column[person]
	return render.Schema[person]{
		One: "subscriber", Many: "subscribers",
		Columns: []column{
			{Name: "document", Title: "CPF", Kind: render.Document, Value: func(p person) string { return p.Document }},
			{Name: "name", Title: "Nome", Value: func(p person) string { return p.Name }},
			{Name: "status", Kind: render.Status, Value: func(p person) string { return p.Status }},
			{Name: "internet_speed_id", Title: "Speed", Kind: render.Number, Value: func(p person) string { return strconv.Itoa(p.Speed) }},
			{Name: "phone", Kind: render.Phone, Extra: true, Value: func(p person) string { return p.Phone }},
			{Name: "customer_plan", Extra: true, Value: func(p person) string { return p.Plan }},
			{Name: "created_at", Title: "Since", Kind: render.Time, Extra: true, Value: func(p person) string { return p.CreatedAt }},
		},
		JSON: func(p person) json.RawMessage { return p.raw },
	}
}

// sequence yields the rows and then the error, if it is not nil.
func sequence[T any](rows []T, err error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
		if err != nil {
			yield(*new(T), err)
		}
	}
}

// printed returns what write prints.
func printed[T any](t fataler, o render.Options, s render.Schema[T], write func(*render.Printer[T]) error) string {
	t.Helper()
	var out bytes.Buffer
	p, err := render.New(&out, o, s)
	must(t, err)
	must(t, write(p))
	return out.String()
}

func listOf[T any](t fataler, o render.Options, s render.Schema[T], rows []T) string {
	t.Helper()
	return printed(t, o, s, func(p *render.Printer[T]) error { return p.List(context.Background(), sequence(rows, nil)) })
}

func list(t *testing.T, o render.Options, rows []person) string {
	t.Helper()
	return listOf(t, o, personSchema(), rows)
}

// listTo prints a list on a writer.
func listTo(ctx context.Context, out io.Writer, o render.Options, rows iter.Seq2[person, error]) error {
	p, err := render.New(out, o, personSchema())
	if err != nil {
		return err
	}
	return p.List(ctx, rows)
}

// endless yields a row until the reader has enough, and counts.
func endless(count *int) iter.Seq2[person, error] {
	return func(yield func(person, error) bool) {
		for *count = 0; *count < 1_000_000 && yield(people()[0], nil); *count++ {
		}
	}
}

func screen() render.Screen { return screenOf(80, 24) }

func screenOf(width, height int) render.Screen {
	return render.Screen{Terminal: true, Width: width, Height: height}
}

// golden compares with testdata/name; -update writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		must(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

func isOption(err error, option string) bool {
	return failure.OutcomeOf(err).Exit == failure.ExitUsage && strings.HasPrefix(err.Error(), option+": ")
}

// fataler is a *testing.T or a *rapid.T.
type fataler interface {
	Helper()
	Fatal(args ...any)
}

var must = systemtest.Must

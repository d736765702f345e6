package render_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"ativa/internal/render"
)

// Each format keeps its shape: of a list; of one, which is a card on a terminal; and of results,
// which are the whole response as a document and its rows elsewhere.
func TestEachFormatKeepsItsShape(t *testing.T) {
	all := []string{"document", "name", "phone", "created_at"}
	response := json.RawMessage(`{"response":"partial", "summary":{"total":3}, "results":[{"n":1.10}], "new":null}`)
	lists := map[string]render.Options{
		"pipe.tsv":           {},
		"terminal.txt":       {Screen: screen()},
		"colour.txt":         {Screen: render.Screen{Terminal: true, Width: 80, Height: 24, Colour: true}},
		"narrow.txt":         {Screen: screenOf(46, 24)},
		"long.txt":           {Screen: screenOf(80, 6)},
		"piped_table.txt":    {Format: render.FormatTable},
		"whole_document.txt": {Screen: screen(), ShowDocuments: true, Columns: all},
		"local_time.txt":     {Screen: screen(), Zone: func() *time.Location { return time.FixedZone("BRT", -3*3600) }, Columns: []string{"created_at"}},
		"no_header.txt":      {Screen: screen(), NoHeader: true},
		"pipe.json":          {Format: render.FormatJSON},
		"terminal.json":      {Format: render.FormatJSON, Screen: screen()},
		"lines.jsonl":        {Format: render.FormatJSONL},
		"plain.csv":          {Format: render.FormatCSV, Columns: all},
		"excel.csv":          {Excel: true, Columns: all},
		"columns.tsv":        {Columns: []string{"phone", "document"}},
		"list.yaml":          {Format: render.FormatYAML},
		"names.txt":          {Format: render.FormatName},
		"jq.txt":             {JQ: ".subscribers[] | .name, .internet_speed_id, {unheard_of}"},
		"jq_lines.txt":       {Format: render.FormatJSONL, JQ: "[.name, .internet_speed_id]"},
		"template.txt":       {Template: `{{range .subscribers}}{{.name}}{{if eq .internet_speed_id 10}} ten{{end}};{{end}}`},
		"template_lines.txt": {Format: render.FormatJSONL, Template: "{{.document}} {{.unheard_of.kept}}"},
	}
	ones := map[string]render.Options{
		"one.txt":    {Screen: screen()},
		"one.tsv":    {},
		"one.json":   {Format: render.FormatJSON},
		"one.yaml":   {Format: render.FormatYAML},
		"one_jq.txt": {JQ: ".subscriber.name"},
	}
	results := map[string]render.Options{
		"results.json": {Format: render.FormatJSON},
		"results.yaml": {Format: render.FormatYAML},
		"results.tsv":  {},
		"results.txt":  {JQ: ".summary.total, .results[0].n"},
	}
	for name, o := range lists {
		golden(t, name, list(t, o, people()))
	}
	for name, o := range ones {
		golden(t, name, printed(t, o, personSchema(), func(p *render.Printer[person]) error { return p.One(t.Context(), nil, people()[0]) }))
	}
	for name, o := range results {
		golden(t, name, printed(t, o, personSchema(), func(p *render.Printer[person]) error { return p.Results(t.Context(), response, people()[:1]) }))
	}
	got := printed(t, render.Options{JQ: ".subscribers | length"}, personSchema(), func(p *render.Printer[person]) error { return p.Results(t.Context(), nil, people()) })
	if got != "3\n" {
		t.Errorf("results without a response: got %q, want a list", got)
	}
}

// A row is one line in CSV and TSV, and an empty list is still a document or a header.
func TestListsAreWrittenExactly(t *testing.T) {
	plus := []person{{Name: "+5511987654321", Phone: "+5511987654321"}, {Name: "=1", Phone: "=1"}}
	oneEmpty := []person{{Name: "a"}, {}, {Name: "b"}}
	broken := []person{{Name: "a\tb\r\nc", Plan: `back\slash`}}
	amounts := []person{
		{Document: "00123456797", Phone: "+5511987654321"}, {Document: "001.234.567-97", Phone: "+551133334444"},
		{Document: "12345678000195", Phone: "+351912345678"}, {Document: "", Phone: ""}, {Document: "x", Phone: "+55=1+1+1+1+1"},
	}
	coded := []person{newPerson("52998224725", "G1szMW0=", "active", 1)} // ESC [31m
	for _, c := range []struct {
		o    render.Options
		rows []person
		want string
	}{
		{render.Options{Format: render.FormatCSV, Columns: []string{"name", "phone"}, NoHeader: true}, plus, "'+5511987654321,+5511987654321\n'=1,'=1\n"},
		{render.Options{Format: render.FormatCSV, Columns: []string{"name"}}, oneEmpty, "name\na\n\"\"\nb\n"},
		{
			render.Options{Excel: true, Columns: []string{"document", "phone"}, NoHeader: true}, amounts,
			"\ufeff001.234.567-97;(11) 98765-4321\n001.234.567-97;(11) 3333-4444\n12345678000195;+351912345678\n;\nx;'+55=1+1+1+1+1\n",
		},
		{render.Options{Columns: []string{"name", "customer_plan"}, NoHeader: true}, broken, "a\\tb\\r\\nc\tback\\slash\n"},
		{render.Options{JQ: ".subscribers[].name|@base64d", Screen: screen()}, coded, "\\x1b[31m\n"},
		{render.Options{JQ: ".subscribers[].name|@base64d"}, coded, "\x1b[31m\n"},
		{render.Options{JQ: "env, $ENV"}, nil, "{}\n{}\n"}, // a filter cannot read the environment
		{render.Options{Format: render.FormatJSON}, nil, "{\"subscribers\":[],\"response\":\"success\"}\n"},
		{render.Options{Format: render.FormatJSONL}, nil, ""},
		{render.Options{Format: render.FormatCSV}, nil, "document,name,status,internet_speed_id\n"},
		{render.Options{Format: render.FormatTSV}, nil, "document\tname\tstatus\tinternet_speed_id\n"},
		{render.Options{Format: render.FormatYAML}, nil, "subscribers: []\nresponse: success\n"},
		{render.Options{Format: render.FormatName}, nil, ""},
		{render.Options{Format: render.FormatTable}, nil, "CPF  Nome  status  Speed\n"},
	} {
		if got := list(t, c.o, c.rows); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.o, got, c.want)
		}
	}
}

func TestRawShowsADocumentWithoutColumns(t *testing.T) {
	doc := json.RawMessage(`{"b": 1,"a":["x"]}`)
	for format, want := range map[string]string{
		"":                 "{\n  \"b\": 1,\n  \"a\": [\n    \"x\"\n  ]\n}\n",
		render.FormatJSONL: "{\"b\":1,\"a\":[\"x\"]}\n", // also on a terminal
	} {
		var out bytes.Buffer
		must(t, render.Raw(t.Context(), &out, render.Options{Format: format, Screen: screen()}, doc))
		if got := out.String(); got != want {
			t.Errorf("%s: got %q, want %q", format, got, want)
		}
	}
	err := render.Raw(t.Context(), &bytes.Buffer{}, render.Options{Format: render.FormatCSV}, doc)
	if !isOption(err, "--output") {
		t.Errorf("CSV without columns: got %v, want a usage error", err)
	}
}

func TestYAMLReadsBackAsTheJSONItCameFrom(t *testing.T) {
	texts := []string{"", "yes", "NO", "0123", "1.0", "12:30:45", "~", "a: b", "# no", " lead", "- x", "é", "a\nb", "<<", "2026-01-31", "null", "y"}
	for _, text := range unsafeTexts() {
		if utf8.ValidString(text) {
			texts = append(texts, "a"+text+"b")
		}
	}
	encoded, err := json.Marshal(texts)
	must(t, err)
	doc := `{"s":` + string(encoded) + `,"n":[0,-1,1.5,1e5,12345678901],"b":[true,false,null],"o":{},"l":[],"yes":{"deep":[[1],[]]}}`
	var out bytes.Buffer
	must(t, render.Raw(t.Context(), &out, render.Options{Format: render.FormatYAML}, json.RawMessage(doc)))
	var got, want any
	must(t, yaml.Unmarshal(out.Bytes(), &got))
	again, err := json.Marshal(got)
	must(t, errors.Join(err, json.Unmarshal(again, &got), json.Unmarshal([]byte(doc), &want)))
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("(- got, + want)\n%s\nfrom\n%s", diff, out.String())
	}
}

// A query does not run on half a list, and nothing is written when nothing arrived.
func TestAListThatBreaksOffIsValidAndDoesNotSaySuccess(t *testing.T) {
	broken := errors.New("cut off")
	for _, c := range []struct {
		o       render.Options
		arrived int
		want    string
	}{
		{render.Options{Format: render.FormatJSON}, 1, `"response":"partial"`},
		{render.Options{Format: render.FormatYAML}, 1, "response: partial"},
		{render.Options{Format: render.FormatCSV}, 1, "52998224725,João da Silva"},
		{render.Options{JQ: ".subscribers|length"}, 3, ""},
		{render.Options{Format: render.FormatJSON}, 0, ""},
		{render.Options{Format: render.FormatYAML}, 0, ""},
		{render.Options{Format: render.FormatCSV}, 0, ""},
		{render.Options{Format: render.FormatTable}, 0, ""},
	} {
		var out bytes.Buffer
		err := listTo(t.Context(), &out, c.o, sequence(people()[:c.arrived], broken))
		if got := out.String(); !errors.Is(err, broken) || !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%+v: got %v and\n%s", c, err, got)
		}
		if c.o.Format == render.FormatJSON && c.arrived > 0 && !json.Valid(out.Bytes()) {
			t.Errorf("got invalid JSON\n%s", out.String())
		}
	}
}

func TestTrailingFieldsAreAtTheEndOfDocuments(t *testing.T) {
	for format, want := range map[string]string{
		render.FormatJSON: `,"next_cursor":"c1","response":"success"}` + "\n", render.FormatYAML: "next_cursor: c1\nresponse: success\n",
	} {
		got := printed(t, render.Options{Format: format}, personSchema(), func(p *render.Printer[person]) error {
			p.AddTrailingFields(func() any { return map[string]string{"next_cursor": "c1"} })
			return p.List(t.Context(), sequence(people(), nil))
		})
		if !strings.HasSuffix(got, want) {
			t.Errorf("%s: got %s, want it to end with %s", format, got, want)
		}
	}
}

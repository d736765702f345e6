package render_test

import (
	"bytes"
	"strings"
	"testing"

	"ativa/internal/render"
)

func TestWrongOptionsAreRefusedBeforeAnyRequest(t *testing.T) {
	cases := []struct {
		o      render.Options
		option string
		says   string
	}{
		{render.Options{Format: "xml"}, "--output", `there is no "xml"; choose one of table, json, jsonl, csv, tsv, yaml, name`},
		{render.Options{Columns: []string{"document", "naem"}}, "--columns", `there is no "naem"; choose one of document, name, status`},
		{render.Options{Sort: "naem"}, "--sort", "document, name"},
		{render.Options{Sort: "name:up"}, "--sort", `there is no "up"; choose one of asc, desc`},
		{render.Options{JQ: ".a |"}, "--jq", "the filter cannot be read"},
		{render.Options{JQ: "nothing"}, "--jq", "nothing"},
		{render.Options{JQ: ".", Format: render.FormatCSV}, "--jq", "needs --output json or jsonl, not csv"},
		{render.Options{Template: "{{"}, "--template", "the template cannot be read (1: unclosed action)"},
		{render.Options{Template: "x", JQ: "."}, "--template", "--jq"},
		{render.Options{Template: "x", Format: render.FormatYAML}, "--template", "not yaml"},
		{render.Options{Excel: true, Format: render.FormatTSV}, "--excel", "not tsv"},
		{render.Options{Columns: []string{"name"}, Format: render.FormatJSON}, "--columns", "--jq"},
	}
	for _, c := range cases {
		_, err := render.New(&bytes.Buffer{}, c.o, personSchema())
		if !isOption(err, c.option) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: got %v, want a usage error of %s that says %q", c.o, err, c.option, c.says)
		}
	}
}

func TestSortingIsAsPeopleSortAndKeepsEqualRowsInOrder(t *testing.T) {
	rows := []person{
		{Document: "1", Name: "Zélia", Speed: 9}, {Document: "2", Name: "Álvaro", Speed: 10},
		{Document: "3", Name: "bruno", Speed: 9}, {Document: "4", Name: "Ana", Speed: 100},
	}
	for sort, want := range map[string]string{
		"name":                   "2 4 3 1",
		"name:desc":              "1 3 4 2",
		"internet_speed_id":      "1 3 2 4",
		"internet_speed_id:desc": "4 2 1 3",
		"internet_speed_id:asc":  "1 3 2 4",
	} {
		got := list(t, render.Options{Format: render.FormatName, Sort: sort}, rows)
		if got := strings.Join(strings.Fields(got), " "); got != want {
			t.Errorf("%s: got %s, want %s", sort, got, want)
		}
	}
}

func TestColourObeysFlagThenEnvironmentThenTerminal(t *testing.T) {
	cases := []struct {
		flag     string
		terminal bool
		env      map[string]string
		want     bool
	}{
		{"auto", true, nil, true},
		{"", false, nil, false},
		{"always", false, map[string]string{"NO_COLOR": "1"}, true},
		{"never", true, map[string]string{"CLICOLOR_FORCE": "1"}, false},
		{"auto", true, map[string]string{"NO_COLOR": "1"}, false},
		{"auto", true, map[string]string{"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}, false},
		{"auto", false, map[string]string{"CLICOLOR_FORCE": "1"}, true},
		{"auto", false, map[string]string{"CLICOLOR_FORCE": "0"}, false},
		{"auto", true, map[string]string{"TERM": "dumb"}, false},
		{"auto", true, map[string]string{"CLICOLOR": "0"}, false},
	}
	for _, c := range cases {
		got, err := render.UseColour(c.flag, c.terminal, func(name string) string { return c.env[name] })
		if err != nil || got != c.want {
			t.Errorf("%+v: got %v, %v", c, got, err)
		}
	}
	s, err := render.DetectScreen(&bytes.Buffer{}, "auto", func(string) string { return "" })
	if err != nil || s != (render.Screen{}) {
		t.Errorf("a buffer: got %+v, %v; want no screen", s, err)
	}
	if _, err := render.DetectScreen(&bytes.Buffer{}, "blue", nil); !isOption(err, "--color") {
		t.Errorf("blue: got %v, want a usage error", err)
	}
}

func TestAnErrorIsOneLineWithAHintOrOneJSONObject(t *testing.T) {
	whole := render.ErrorInfo{Code: "subscriber_exists", Message: "create subscriber: <exists>\nforged", HTTPStatus: 409,
		RequestID: "req_1", Hint: "ativa subscribers get DOC"}
	bare := render.ErrorInfo{Code: "unavailable", Message: "no network", Retryable: true}
	for _, c := range []struct {
		format string
		e      render.ErrorInfo
		want   string
	}{
		{"", whole, "ativa: create subscriber: <exists>\\nforged\nativa subscribers get DOC\n"},
		{render.FormatCSV, bare, "ativa: no network\n"},
		{render.FormatJSON, whole, `{"code":"subscriber_exists","message":"create subscriber: <exists>\nforged","http_status":409,` +
			`"request_id":"req_1","retryable":false,"hint":"ativa subscribers get DOC"}` + "\n"},
		{render.FormatJSONL, bare, `{"code":"unavailable","message":"no network","http_status":null,"request_id":null,"retryable":true,"hint":null}` + "\n"},
	} {
		var out bytes.Buffer
		if err := render.WriteError(&out, c.format, c.e); err != nil || out.String() != c.want {
			t.Errorf("%q: got\n%s, %v\nwant\n%s", c.format, out.String(), err, c.want)
		}
	}
}

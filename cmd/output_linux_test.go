package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ativa/internal/cli"
)

// TestJSONShapesAreAsDocumented types the captured commands with -o json, and compares the
// shape of their output with docs/output.md, which -update writes below the text by hand.
func TestJSONShapesAreAsDocumented(t *testing.T) {
	path, err := filepath.Abs("../docs/output.md")
	must(t, err)
	f := newCaptureFixture(t)
	t.Chdir(f.home)
	shapes := map[string]map[string]string{} // by command
	f.shoot = func(line string, answers ...string) {
		name := commandOf(t, line)
		args := append(f.fill(words(line)), "-o", "json")
		if len(answers) > 0 {
			if answers[0] != "y\n" {
				return
			}
			args = append(args, "--yes")
		}
		var stdout bytes.Buffer
		e := f.environment(nil, "en")
		e.Out, e.Err = &stdout, io.Discard
		Run(t.Context(), e, args)
		var v any
		if columnsOf(name) != nil && json.Unmarshal(stdout.Bytes(), &v) == nil && !strings.Contains(line, "--message") && !strings.Contains(line, "--context all") {
			if shapes[name] == nil {
				shapes[name] = map[string]string{}
			}
			addShape(shapes[name], "", v)
		}
	}
	f.morning()
	must(f.t, f.m.RecordUse(t.Context()))
	for _, line := range []string{"version", "serve --print-config", "tokens list", "admin tokens list", "subscribers update 11144477735 --plan Fibra", "admin partners create novo --driver http --url https://partner.example.com/",
		"admin partners list"} {
		f.shoot(line)
	}
	var page strings.Builder
	byHand, _, _ := strings.Cut(readPage(t, path), "\n## ativa ")
	page.WriteString(byHand)
	for _, name := range slices.Sorted(maps.Keys(commands())) {
		if shape, ok := shapes[name]; ok {
			fmt.Fprintf(&page, "\n## ativa %s\n\n```\n", name)
			for _, path := range slices.Sorted(maps.Keys(shape)) {
				fmt.Fprintln(&page, path, shape[path])
			}
			page.WriteString("```\n")
		} else if columnsOf(name) != nil && name != "admin deliveries retry" { // prints the same as list
			t.Errorf("ativa %s printed no JSON: type it in captured_linux_test.go", name)
		}
	}
	golden(t, path, page.String()) // a change may need another schema_version
}

// columnsOf returns the output columns of a command, nil if it prints no rows.
func columnsOf(name string) []string {
	e := &cli.Env{}
	c, _, err := newRoot(e).Find(strings.Fields(name))
	if err != nil {
		return nil
	}
	return e.Columns(c)
}

// addShape adds the kind of each value by its path, as in a filter of jq. A kind comes before null.
func addShape(shape map[string]string, path string, v any) {
	kind := "null"
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			addShape(shape, path+"."+name, member)
		}
		return
	case []any:
		kind = "list"
		for _, element := range v {
			addShape(shape, path+"[]", element)
		}
	case string:
		kind = "string"
	case float64:
		kind = "number"
	case bool:
		kind = "boolean"
	}
	if kind != "null" || shape[path] == "" {
		shape[path] = kind
	}
}

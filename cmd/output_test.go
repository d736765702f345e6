package cmd

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"ativa/internal/cli"
)

// shapeLines are the commands whose shape is documented, as they are typed for
// it; those that are not here are typed as their first plain example.
func shapeLines() map[string]string {
	return map[string]string{
		"subscribers import":        "ativa subscribers import novos.csv",
		"subscribers export":        "ativa subscribers export",
		"imports undo":              "ativa imports undo $(ativa imports list -o name | head -n 1) --dry-run",
		"sync":                      "ativa sync assinantes.csv --dry-run",
		"report usage":              "ativa report usage --month $(date -u +%Y-%m) --tz UTC", // in which something was enabled
		"report reconcile":          "! ativa report reconcile fatura.csv",                   // something differs
		"imports show":              "ativa imports show $(ativa imports list -o name | head -n 1)",
		"admin copy":                "ativa admin backup $$.db -q && ativa admin copy --from sqlite:$$.db --to sqlite:new$$.db",
		"admin migrate":             "ativa admin migrate --status",
		"admin providers create":    "ativa admin providers create Verde --limit 5",
		"admin partners create":     "ativa admin partners create novo --driver http --url https://partner.example.com/",
		"admin deliveries retry":    "", // prints what list prints
		"admin callbacks test":      "", // calls the provider's own server
		"admin callbacks replay":    "", // prints what deliveries list prints
		"serve":                     "ativa serve --print-config",
		"subscribers search":        "ativa subscribers search ana",
		"admin operations list":     "ativa admin operations list --all",
		"admin partners events":     "ativa admin partners events",
		"provision deactivate":      "ativa provision deactivate --yes --product 1 52998224725",
		"admin callbacks list":      "ativa admin callbacks list",
		"admin tokens list":         "ativa admin tokens list Azul", // whose token is never used
		"admin callbacks set":       "ativa admin callbacks set Azul http://127.0.0.1:9/ --allow-private",
		"subscribers history":       "ativa subscribers history 52998224725",
		"provision change":          "ativa provision change 52998224725 --from 1 --to 2",
		"admin products update":     "ativa admin products update 1 --inactive=false",
		"admin partners update":     "ativa admin partners update parceiro-simulado --delay 10s",
		"admin providers set-limit": "ativa admin providers set-limit Azul 500",
	}
}

// dataLine is how a command is typed to print data, "" if it prints none.
func dataLine(name string, c *cobra.Command) string {
	if columnsOf(name) == nil {
		return ""
	}
	if line, ok := shapeLines()[name]; ok {
		return line
	}
	for _, line := range examples(c) {
		if strings.HasPrefix(line, "ativa ") && !strings.ContainsAny(line, "|>&$") && !strings.Contains(line, "--jq") && !strings.Contains(line, "--follow") {
			return strings.NewReplacer(" -o json", "", " -o name", "").Replace(line)
		}
	}
	return ""
}

// prepare makes a fixture in which the command has something to show.
func prepare(t *testing.T, template *exampleTemplate, name string) *exampleFixture {
	w := template.copy(t)
	first := before()[name]
	if strings.HasPrefix(name, "imports") {
		first = []string{"subscribers import novos.csv -q"}
	}
	if name == "imports undo" {
		first = []string{"provision suspend --product 1 --file documents.csv --wait -q"}
	}
	for _, line := range first {
		w.run("ativa "+line, cli.ExitOK)
	}
	return w
}

// print types a line and returns what it wrote to stdout.
func (w *exampleFixture) print(line string) []byte {
	w.t.Helper()
	c := exec.CommandContext(w.t.Context(), "bash", "-c", line)
	c.Dir, c.Env = w.dir, w.env
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		w.t.Errorf("%s: %v: %s", line, err, stderr.String())
	}
	return out
}

// TestJSONShapesAreAsDocumented runs every command that prints data, compares
// the shape of its JSON with docs/output.md, which -update writes, and types those that
// can be typed twice for their columns and names; one of each kind in every format.
func TestJSONShapesAreAsDocumented(t *testing.T) {
	t.Parallel()
	once := []string{"subscribers create", "provision change", "admin providers create", "admin partners create", "admin products create",
		"admin tokens create", "admin tokens rotate", "tokens create", "tokens rotate", "admin callbacks set", "admin speeds add"}
	kinds := []string{"subscribers list", "subscribers get", "subscribers export", "provision suspend", "report usage", "events", "version", "admin tokens list"}
	template := newExampleTemplate(t)
	shapes := sync.Map{} // by command
	t.Run("commands", func(t *testing.T) {
		for name, c := range commands() {
			line := dataLine(name, c)
			if line == "" {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w := prepare(t, template, name)
				var v any
				if out := w.print(line + " -o json"); json.Unmarshal(out, &v) != nil {
					t.Errorf("%s: no JSON: %s", line, out)
				}
				shapes.Store(name, shapeOf(v, ""))
				line, _, _ = strings.Cut(line, " --columns")
				if !slices.Contains(once, name) {
					checkOwn(t, w, name, line)
				}
				if slices.Contains(kinds, name) {
					checkFormats(t, w, name, line)
				}
			})
		}
	})
	var page strings.Builder
	page.WriteString(outputPage)
	for _, name := range slices.Sorted(maps.Keys(commands())) {
		if shape, ok := shapes.Load(name); ok {
			fmt.Fprintf(&page, "\n## ativa %s\n\n```\n%s\n```\n", name, shape)
		}
	}
	const path = "../docs/output.md"
	if *update {
		if err := os.WriteFile(path, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(have), "\n"), strings.Split(page.String(), "\n")); diff != "" {
		t.Errorf("%s is not what the commands print: run go test ./cmd -run JSONShapes -update, and think of schema_version\n%s", path, diff)
	}
}

// shapeOf is a value with its texts and numbers replaced by their kind.
func shapeOf(v any, indent string) string {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return "{}"
		}
		var lines []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			lines = append(lines, indent+"  "+name+": "+shapeOf(v[name], indent+"  "))
		}
		return "{\n" + strings.Join(lines, "\n") + "\n" + indent + "}"
	case []any:
		if len(v) == 0 {
			return "[]"
		}
		return "[" + shapeOf(merged(v), indent) + "]"
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	default:
		return "null"
	}
}

// merged is one element with the fields of all, where they are objects.
func merged(all []any) any {
	one, ok := all[0].(map[string]any)
	if !ok {
		return all[0]
	}
	one = maps.Clone(one)
	for _, other := range all[1:] {
		more, ok := other.(map[string]any)
		if !ok {
			continue
		}
		for name, v := range more {
			if have, there := one[name]; !there || have == nil {
				one[name] = v
			}
		}
	}
	return one
}

// checkOwn types a command for what is its own: its list, its columns and the names of
// its rows.
func checkOwn(t *testing.T, w *exampleFixture, name, line string) {
	t.Helper()
	if out := w.print(line + " -o jsonl"); len(out) > 0 {
		for l := range bytes.Lines(out) {
			if !json.Valid(l) {
				t.Errorf("jsonl: %s", l)
			}
		}
	}
	first := columnsOf(name)[0]
	out := w.print(line + " -o csv --columns " + first + " --sort " + first + ":desc")
	if header, _, _ := strings.Cut(string(out), "\n"); header != first && !strings.HasPrefix(name, "subscribers export") {
		t.Errorf("--columns: got %q, want %q", header, first)
	}
	w.print(line + " -o name")
}

// checkFormats types a command in every other format, and with every output flag.
func checkFormats(t *testing.T, w *exampleFixture, name, line string) {
	t.Helper()
	w.print(line + " -o table")
	var v any
	if out := w.print(line + " -o yaml"); yaml.Unmarshal(out, &v) != nil || v == nil {
		t.Errorf("yaml: %s", out)
	}
	for format, comma := range map[string]rune{"csv": ',', "tsv": '\t'} {
		r := csv.NewReader(bytes.NewReader(w.print(line + " -o " + format)))
		r.Comma, r.LazyQuotes = comma, format == "tsv"
		if rows, err := r.ReadAll(); err != nil || len(rows) == 0 {
			t.Errorf("%s: %v, %v", format, rows, err)
		}
	}
	first := columnsOf(name)[0]
	if out := w.print(line + " -o csv --no-header --columns " + first); strings.HasPrefix(string(out), first+"\n") {
		t.Errorf("--no-header: got %s", out)
	}
	w.print(line + " --excel")
	if out := w.print(line + " --jq 'type'"); string(out) != "object\n" {
		t.Errorf("--jq: got %s", out)
	}
	if out := w.print(line + " --template '{{len .}}'"); len(bytes.TrimSpace(out)) == 0 {
		t.Errorf("--template: got %s", out)
	}
}

const outputPage = `# What the commands print as JSON

Written by a test from what the commands print: ` + "`go test ./cmd -run JSONShapes -update`" + `.
` + "`-o json`" + ` is one document. ` + "`-o jsonl`" + ` prints the elements of its list, one a line;
` + "`-o yaml`" + ` is the same document. What the API answers is passed on with all of its fields,
also those that only one server has. An empty list is ` + "`[]`" + `, never null or absent.
With ` + "`--context all`" + ` it is ` + "`{\"contexts\":[{\"context\",\"subscribers\":[…]}|{\"context\",\"error\":{…}}]}`" + `, and
a line of jsonl is ` + "`{\"context\",\"subscriber\"}`" + `.
` + "`response`" + ` is "success", or "partial" when something failed or the list broke off.

## Stability

` + "`ativa version -o json`" + ` tells the ` + "`schema_version`" + ` of these shapes, now 1. Without a new one,
fields may be added, and texts for people may change; readers must ignore what they do
not know. A field that is renamed, removed, or changes its kind or meaning gets a new
schema_version, a major release, and a line in the changelog. The columns of csv and tsv
follow the same rule: new ones come only with ` + "`--columns`" + `, or at the end.

Errors are one JSON object on stderr with -o json and jsonl: code, message, http_status,
request_id, retryable, hint; the last five may be null except retryable.
`

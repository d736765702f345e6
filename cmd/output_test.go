package cmd

import (
	"bytes"
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
		"admin tokens list":         "ativa admin tokens list Azul",                                                                  // whose token is never used
		"tokens list":               `until ativa tokens list -o json | grep -q '"last_used_at": *"'; do :; done; ativa tokens list`, // once the use is written
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

// TestJSONShapesAreAsDocumented runs every command that prints data and compares the
// shape of its JSON with docs/output.md, which -update writes.
func TestJSONShapesAreAsDocumented(t *testing.T) {
	t.Parallel()
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

package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestTheFiguresOfTheDocuments: /metrics has the figures that the documents and
// the alerts name, and the documents name all that it has.
func TestTheFiguresOfTheDocuments(t *testing.T) {
	figure := regexp.MustCompile(`ativa_(?:store|http|outbox|services|operations|deliver|delivery|partner|circuit)[a-z_]*\b`)
	named := func(files ...string) map[string]bool {
		found := map[string]bool{}
		for _, file := range files {
			text, err := os.ReadFile(filepath.FromSlash(file))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range figure.FindAllString(string(text), -1) {
				found[name] = true
			}
		}
		return found
	}
	served := named("serve_figures.go", "../internal/server/log.go", "../internal/delivery/metrics.go")
	explained := named("../docs/operating.md")
	for name := range named("../docs/operating.md", "../docs/scaling.md") {
		if !served[name] {
			t.Errorf("the documents name %s, which /metrics does not have", name)
		}
	}
	for name := range served {
		if !explained[name] {
			t.Errorf("docs/operating.md does not explain %s", name)
		}
	}
	if len(served) < 10 {
		t.Errorf("got only %d figures", len(served))
	}
}

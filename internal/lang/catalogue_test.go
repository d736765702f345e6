package lang

import (
	"os/exec"
	"strings"
	"testing"
)

func TestTheCatalogueIsCompleteWithoutDuplicates(t *testing.T) {
	seen := map[key]bool{}
	for e := range entries(portugueseCatalogue) {
		k := key{e.context, e.english}
		if seen[k] || e.translation.text() == "" {
			t.Errorf("%q: got the translation %q, want one, once", e.english, e.translation.text())
		}
		seen[k] = true
	}
	const header = 1
	if want := strings.Count(portugueseCatalogue, "\nmsgstr ") - header; len(seen) != want || want < 1000 {
		t.Errorf("got %d entries, want %d", len(seen), want)
	}
}

// The format is gettext's own: its compiler accepts the file with all checks.
func TestTheCatalogueOpensInTheToolsOfTranslators(t *testing.T) {
	msgfmt, err := exec.LookPath("msgfmt")
	if err != nil {
		t.Skip("gettext is not installed")
	}
	out, err := exec.CommandContext(t.Context(), msgfmt, "--check", "--output-file=/dev/null", "pt_BR.po").CombinedOutput()
	if err != nil || strings.Contains(string(out), "warning") {
		t.Errorf("got %v: %s", err, out)
	}
}

// The translations use the words of a Brazilian support desk, not of an engineer.
func TestPortugueseOfASupportDesk(t *testing.T) {
	for e := range entries(portugueseCatalogue) {
		for _, never := range []string{
			"sozinhos", "segue sozinh", "confirma sozinho", "mascarad", "ponha entre aspas", "juntada",
			"x509", "HTTP ", "EOF", "i/o timeout", "goroutine", "panic", "nil ", "errno", "status code", "código HTTP", "requisição", "JSON inválido", "deadline", "handshake", "payload",
		} {
			if strings.Contains(e.translation.text(), never) {
				t.Errorf("%q: %q says %q", e.english, e.translation.text(), never)
			}
		}
	}
}

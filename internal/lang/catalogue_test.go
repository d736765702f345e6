package lang

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestTheCatalogueIsCompleteWithoutDuplicates(t *testing.T) {
	seen := map[key]bool{}
	for e, err := range entries(portugueseCatalogue) {
		if err != nil {
			t.Fatal(err)
		}
		k := key{e.context, e.english}
		if seen[k] {
			t.Errorf("%q occurs twice", e.english)
		}
		seen[k] = true
		if text, err := e.translation.unquote(); err != nil || text == "" {
			t.Errorf("%q: got the translation %q, %v", e.english, text, err)
		}
	}
	if len(seen) < 1000 {
		t.Errorf("got %d entries, want all", len(seen))
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

func TestACatalogueThatIsWrongIsRefusedWithItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"# comment\nmsgid \"a": "line 2",
		"\"a\"\n":              "line 1",
		"msgid_plural \"a\"\n": "line 1",
		"# comment\n\nmsgid \"a\"\nmsgstr[0] \"b\"\n": "line 4",
	} {
		var got error
		for _, err := range entries(text) {
			got = err
		}
		if got == nil || !strings.Contains(got.Error(), want) {
			t.Errorf("%q: got %v, want %s named", text, got, want)
		}
	}
}

func TestStringsOverSeveralLinesAreOne(t *testing.T) {
	text := "msgctxt \"word\"\nmsgid \"\"\n\"one\\n\"\n\"two\"\nmsgstr \"\"\n\"um\\n\"\n\"dois \\\"2\\\"\"\n"
	for e, err := range entries(text) {
		got := []string{e.context, e.english, e.translation.text()}
		if want := []string{"word", "one\ntwo", "um\ndois \"2\""}; err != nil || !slices.Equal(got, want) {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
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

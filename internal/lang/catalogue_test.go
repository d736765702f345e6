package lang

import (
	"os/exec"
	"strings"
	"testing"
)

func TestTheCatalogueIsWholeAndHasNoTextTwice(t *testing.T) {
	seen := map[key]bool{}
	for e, err := range entries(portugueseCatalogue) {
		if err != nil {
			t.Fatal(err)
		}
		k := key{e.context, e.english}
		if seen[k] {
			t.Errorf("%q stands twice", e.english)
		}
		seen[k] = true
		if e.translation == "" {
			t.Errorf("%q has no translation", e.english)
		}
	}
	if len(seen) < 1000 {
		t.Errorf("got %d entries, want all", len(seen))
	}
}

// The format is gettext's own: its compiler, with all checks, accepts the file.
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
		"msgid \"a\"\nmsgstr \"b": "line 2",
		"\"a\"\n":                 "line 1",
		"msgid_plural \"a\"\n":    "line 1",
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
		if want := (entry{"word", "one\ntwo", "um\ndois \"2\""}); err != nil || e != want {
			t.Errorf("got %q, %v, want %q", e, err, want)
		}
	}
}

// These are said as a Brazilian support desk says them (issue 34).
func TestPortugueseOfASupportDesk(t *testing.T) {
	for english, want := range map[string]string{
		"invalid_characters":               "digite só números, ou no formato 000.000.000-00",
		"not_replaceable":                  "não é possível trocar para este produto: é de outra família",
		"put a text with spaces in quotes": "coloque entre aspas textos com espaços",
		"documents are masked: --show-documents shows them whole":  "CPF oculto; para ver completo: --show-documents",
		"must be one plain e-mail address":                         "não é um endereço de e-mail válido; confira o e-mail e tente de novo",
		"the columns {first} and {second} are joined into {field}": "as colunas {first} e {second} foram reunidas no campo {field}",
		"Forget the token of the context":                          "Remover o token deste contexto",
		"Servers to work with, by name":                            "Servidores cadastrados",
		"Hello, %s! %s":                                            "Olá, %s! Sobre o seu serviço: %s",
		"y/N":                                                      "s = sim · qualquer outra tecla = não",
	} {
		if got := Portuguese.Text(english); got != want {
			t.Errorf("%s: got %q, want %q", english, got, want)
		}
	}
	if got := Portuguese.Word("ok"); got != "OK" {
		t.Errorf("got %q, want OK", got)
	}
	for e := range entries(portugueseCatalogue) {
		for _, never := range []string{"sozinhos", "segue sozinh", "confirma sozinho", "mascarad", "ponha entre aspas", "juntada"} {
			if strings.Contains(e.translation, never) {
				t.Errorf("%q: %q says %q", e.english, e.translation, never)
			}
		}
	}
}

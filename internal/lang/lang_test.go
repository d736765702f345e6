package lang_test

import (
	"strings"
	"testing"

	"ativa/internal/lang"
)

func TestTheLanguageOfALocale(t *testing.T) {
	for s, want := range map[string]lang.Language{
		"pt_BR.UTF-8": lang.Portuguese, "pt": lang.Portuguese, "pt-PT": lang.Portuguese, "PT_br@euro": lang.Portuguese,
		"en_US.UTF-8": lang.English, "C": lang.English, "C.UTF-8": lang.English, "POSIX": lang.English,
	} {
		if got, ok := lang.Parse(s); got != want || !ok {
			t.Errorf("%q: got %q, %v, want %q", s, got, ok, want)
		}
	}
	if got, ok := lang.Parse("fr_FR.UTF-8"); got != lang.English || ok {
		t.Errorf("an unknown one: got %q, %v, want English and a no", got, ok)
	}
}

func TestTheEnvironmentDecidesInItsOrder(t *testing.T) {
	for _, c := range []struct {
		env      map[string]string
		ofSystem string
		want     lang.Language
	}{
		{nil, "", lang.English},
		{nil, "pt-BR", lang.Portuguese},
		{map[string]string{"LANG": "C"}, "pt-BR", lang.English},
		{map[string]string{"LANG": "pt_BR.UTF-8"}, "en-US", lang.Portuguese},
		{map[string]string{"LANG": "pt_BR.UTF-8", "LC_MESSAGES": "en_US"}, "", lang.English},
		{map[string]string{"LANG": "en_US", "LC_MESSAGES": "en_US", "LC_ALL": "pt_BR"}, "", lang.Portuguese},
		{map[string]string{"LANG": "pt_BR", "LC_ALL": "fr_FR"}, "", lang.English},
	} {
		if got := lang.OfUser(func(name string) string { return c.env[name] }, func() string { return c.ofSystem }); got != c.want {
			t.Errorf("%v: got %q, want %q", c.env, got, c.want)
		}
	}
}

// A text without a translation stays English; the number one is singular; an argument with a text
// in each language is put into that of the message.
func TestTextsWithArguments(t *testing.T) {
	const rows = "%d [row|rows]: %d valid, %d invalid, %d merged into others"
	for _, c := range []struct {
		in   lang.Language
		text string
		args []any
		want string
	}{
		{lang.Portuguese, "no such text", nil, "no such text"},
		{lang.Portuguese, "line %d", []any{7}, "linha 7"},
		{lang.English, "line %d", []any{7}, "line 7"},
		{lang.English, rows, []any{1, 1, 0, 0}, "1 row: 1 valid, 0 invalid, 0 merged into others"},
		{lang.English, rows, []any{0, 0, 0, 0}, "0 rows: 0 valid, 0 invalid, 0 merged into others"},
		{lang.Portuguese, rows, []any{1, 1, 0, 0}, "1 linha: 1 válida, 0 com erro, 0 agrupadas com outras"},
		{lang.Portuguese, rows, []any{2, 2, 0, 0}, "2 linhas: 2 válidas, 0 com erro, 0 agrupadas com outras"},
		{lang.Portuguese, "%d of %d failed; the others are done", []any{1, 2}, "1 de 2 falhou; os demais foram concluídos"},
		{lang.English, "%s %s", []any{lang.StatusWord("suspend"), lang.StatusName("suspend")}, "suspended suspend"},
		{lang.Portuguese, "%s: %s", []any{lang.Term("created"), lang.Refusal{Code: "no_such_code", Detail: "no_such_code"}}, "criado: no such code"},
		{lang.English, "%d%% of [1] and [a|b], %s [c|d]", []any{1, "x"}, "1% of [1] and a, x d"},
	} {
		if got := lang.Msg(c.text, c.args...).Text(c.in); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestALargeNumberHasSeparators(t *testing.T) {
	for n, want := range map[lang.Count]string{7: "7", 999: "999", 1000: "1,000", 20217: "20,217", 1234567: "1,234,567"} {
		if got := n.Text(lang.English); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got := lang.Msg("%s", n).Text(lang.Portuguese); got != strings.ReplaceAll(want, ",", ".") {
			t.Errorf("got %s in Portuguese", got)
		}
	}
}

package provision_test

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"ativa/internal/provision"
)

func TestSearchFoldsCaseAndAccentsAndReadsDigits(t *testing.T) {
	w := newWorld(t, 10)
	f := fields(1)
	f.Name, f.Email = provision.Some("João da Conceição"), provision.Some("JOAO.c@example.com.br")
	_, err := w.m.CreateSubscriber(w.ctx, w.call(), f)
	w.must(err)
	w.register(2, 3)
	for term, want := range map[string]int{
		"joao": 1, "CONCEICAO joão": 1, "joão silva": 0, "joao.c@": 1, "%": -1, "as": 2, "a_s": 0, "%%": 0,
		doc(1): 1, document(1).Format(): 1, doc(1)[:5]: 3, "98765-43": 3, "ass 2": 1,
		"(11) 98765": 3, "joao 98765": 0, "98765@example.com": 0, "98765 x": 0,
	} {
		parsed, err := provision.ParseTerm(term)
		if want < 0 {
			wantCode(t, err, provision.ValidationFailed)
			continue
		}
		w.must(err)
		found, total, err := w.m.Search(w.ctx, w.p.ID, parsed, 0, 0)
		w.must(err)
		if len(found) != want || total != want {
			t.Errorf("search %q: got %d of %d, want %d", term, len(found), total, want)
		}
	}
}

// Whatever Unicode composes of a Latin letter and accents is found by the
// letter, in both of its normal forms.
func TestFoldKnowsEveryAccentedLatinLetter(t *testing.T) {
	seen := 0
	for r := rune(0x80); r < 0x1f00; r++ {
		apart := norm.NFD.String(string(r))
		if !unicode.IsLetter(r) || apart[0] >= 0x80 || len(apart) == 1 {
			continue
		}
		seen++
		want := strings.ToLower(apart[:1])
		for _, form := range []string{string(r), apart} {
			if got := provision.Fold(form); got != want {
				t.Errorf("Fold(%q): got %q, want %q", form, got, want)
			}
		}
	}
	if seen < 400 {
		t.Errorf("got %d letters to compare, want those of Latin", seen)
	}
	for text, want := range map[string]string{"Łukasz Øst": "lukasz ost", "Jo\u200bão\u00ad": "joao", "STRASSE straße": "strasse strasse", "Kaũã Ĩ": "kaua i", "Æ œ đ": "ae oe d"} {
		if got := provision.Fold(text); got != want {
			t.Errorf("Fold(%q): got %q, want %q", text, got, want)
		}
	}
}

package domain_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"ativa/internal/service/domain"
)

// A term has two characters at least, not counting invisible and ignored ones.
func TestAShortTermIsRefused(t *testing.T) {
	for _, text := range []string{"\u200b  \u200b", "\u0301  \u0301", "\u200b a", "a \u00ad", "%", "--", "'’", "a-"} {
		term, err := domain.ParseSearchTerm(text)
		if err == nil {
			t.Errorf("%q: got %+v", text, term)
			continue
		}
		wantCode(t, err, domain.ValidationFailed)
	}
	term, err := domain.ParseSearchTerm("\u200b ana \u200b")
	if err != nil || term.Whole != "ana" {
		t.Errorf("got %+v, %v, want ana", term, err)
	}
}

// A term is refused by its number of different words; redundant words cost nothing.
func TestATermHasUpTo32DifferentWords(t *testing.T) {
	words := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("w%02d", i))
		}
		return strings.Join(all, " ")
	}
	for text, want := range map[string]int{
		"ana": 1, "ana ana": 1, "Ana ANA ána": 1, strings.Repeat("ana ", 4000): 1, "ana anabela": 1, "bela ana anabela a": 1, "ana maria": 2,
		words(32): 32, words(32) + " " + words(32): 32, words(32) + " w": -1, words(33): -1, strings.Repeat("ana ", 4000) + words(32): -1,
	} {
		term, err := domain.ParseSearchTerm(text)
		if want < 0 {
			wantCode(t, err, domain.ValidationFailed)
			if !strings.Contains(err.Error(), "32") {
				t.Errorf("got %q, want the number", err)
			}
			continue
		}
		if err != nil || len(term.Words) != want {
			t.Errorf("%.40q: got %d words, %v, want %d", text, len(term.Words), err, want)
		}
	}
}

// readFoldedLetters reads testdata/folded_letters.txt: each line has a folding and its small letters.
// Stores keep folded text, so a folding never changes.
func readFoldedLetters(t *testing.T) map[rune]string {
	t.Helper()
	text, err := os.ReadFile("testdata/folded_letters.txt")
	if err != nil {
		t.Fatal(err)
	}
	folded := map[rune]string{}
	for line := range strings.Lines(string(text)) {
		folding, letters, _ := strings.Cut(strings.TrimSpace(line), " ")
		for _, r := range letters {
			folded[r] = folding
		}
	}
	return folded
}

func TestFoldOfEveryCharacter(t *testing.T) {
	folded := readFoldedLetters(t)
	if len(folded) < 250 {
		t.Fatalf("got %d letters to compare, want those of Latin", len(folded))
	}
	for r := range unicode.MaxRune + 1 {
		lower := unicode.ToLower(r)
		want, accented := folded[lower]
		switch {
		case accented:
			if apart := norm.NFD.String(string(r)); domain.Fold(apart) != want {
				t.Errorf("Fold(%q), decomposed: got %q, want %q", r, domain.Fold(apart), want)
			}
		case lower >= utf8.RuneSelf && unicode.In(lower, unicode.Mn, unicode.Cf), strings.ContainsRune("'`´‘’‛ʹʻʼʽ′＇−", r), unicode.Is(unicode.Pd, r):
			want = ""
		default:
			want = string(lower)
		}
		if got := domain.Fold(string(r)); got != want {
			t.Errorf("Fold(%q): got %q, want %q", r, got, want)
		}
	}
	for text, want := range map[string]string{"Łukasz Øst": "lukasz ost", "Jo\u200bão\u00ad": "joao", "STRASSE straße": "strasse strasse", "Kaũã Ĩ": "kaua i", "Æ œ đ": "ae oe d", "a\xffÉ": "a\ufffde"} {
		if got := domain.Fold(text); got != want {
			t.Errorf("Fold(%q): got %q, want %q", text, got, want)
		}
	}
}

// A term without letters is also compared with the digits of documents and telephones. It may be
// compared with all fields at once if the field of the match does not matter.
func TestTheDigitsOfATermAndWhetherItMatchesAnyField(t *testing.T) {
	for _, c := range []struct {
		text, digits string
		any          bool
	}{
		{"ana", "", true},
		{"ana@example.com", "", true},
		{"98765@example.com", "", true},
		{"98765", "98765", true},
		{"a1", "", true},
		{"12", "", false},             // too short for the digits, and would occur in them
		{"98765-43", "9876543", true}, // the hyphen is ignored
		{"98765.43", "9876543", false},
		{"529.982.247-25", "52998224725", false},
		{"(11) 98765", "1198765", false},
		{"joao 98765", "", false},
		{"ana maria", "", false},
		{"ana ana", "", false},
	} {
		term, err := domain.ParseSearchTerm(c.text)
		if err != nil || term.Digits != c.digits || term.MatchesAnyField() != c.any {
			t.Errorf("%q: got the digits %q, %t, %v, want %q, %t", c.text, term.Digits, term.MatchesAnyField(), err, c.digits, c.any)
		}
	}
}

func wantCode(t *testing.T, err error, want domain.Code) {
	t.Helper()
	if !domain.IsCode(err, want) {
		t.Fatalf("got error %v, want code %s", err, want)
	}
}

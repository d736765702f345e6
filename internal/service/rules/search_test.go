package rules_test

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

func TestSearchFoldsCaseAndAccentsAndReadsDigits(t *testing.T) {
	fx := newFixture(t, 10)
	f := fields(1)
	f.Name, f.Email = domain.Some("João da Conceição"), domain.Some("JOAO.c@example.com.br")
	_, err := fx.m.CreateSubscriber(fx.ctx, fx.call(), f)
	fx.must(err)
	fx.register(2, 3)
	for term, want := range map[string]int{
		"joao": 1, "CONCEICAO joão": 1, "joão silva": 0, "joao.c@": 1, "%": -1, "as": 2, "a_s": 0, "%%": 0,
		doc(1): 1, document(1).Format(): 1, doc(1)[:5]: 3, "98765-43": 3, "ass 2": 1,
		"(11) 98765": 3, "joao 98765": 0, "98765@example.com": 0, "98765 x": 0,
	} {
		parsed, err := domain.ParseSearchTerm(term)
		if want < 0 {
			wantCode(t, err, domain.ValidationFailed)
			continue
		}
		fx.must(err)
		_, total, err := fx.m.Search(fx.ctx, fx.p.ID, parsed, 0, 1)
		fx.must(err)
		all := 0
		fx.must(fx.m.EachMatch(fx.ctx, fx.p.ID, parsed, func(*domain.SubscriberServices) error { all++; return nil }))
		if all != want || total != want {
			t.Errorf("search %q: got %d of %d, want %d", term, all, total, want)
		}
	}
}

// Apostrophes and hyphens of every kind are ignored in names, addresses and terms
// (decisions.md 6).
func TestApostrophesAndHyphensAreIgnored(t *testing.T) {
	fx := newFixture(t, 10)
	for n, name := range []string{"Sant'Ana", "Sant’Ana", "Santana", "Sant´Ana", "Sant`Ana", "Santʼana", "Sant‘Ana", "Sant-Ana", "Sant\u2010Ana", "Sant\u2011Ana", "Sant\u2013Ana"} {
		f := fields(n + 1)
		f.Name, f.Email = domain.Some("Dora "+name), domain.Some(fmt.Sprintf("dora-%d@porto-alegre.example.com", n))
		_, err := fx.m.CreateSubscriber(fx.ctx, fx.call(), f)
		fx.must(err)
	}
	const all = 11
	for _, term := range []string{"santana", "sant'ana", "SANT’ANA", "dora sant´ana", "sant-ana", "sant\u2010ana", "sant\u2011ana", "sant\u2013ana", "sant\u2014ana", "sant`ana",
		"@porto-alegre", "@portoalegre", "'dora'"} {
		parsed, err := domain.ParseSearchTerm(term)
		fx.must(err)
		_, total, err := fx.m.Search(fx.ctx, fx.p.ID, parsed, 0, 1)
		fx.must(err)
		if total != all {
			t.Errorf("search %q: got %d, want %d", term, total, all)
		}
	}
	for _, term := range []string{"--", "'’", "a-"} {
		_, err := domain.ParseSearchTerm(term)
		wantCode(t, err, domain.ValidationFailed)
	}
}

// Invisible characters are no part of a term, and so no way around its least length.
func TestATermOfInvisibleCharactersIsRefused(t *testing.T) {
	for _, text := range []string{"\u200b  \u200b", "\u0301  \u0301", "\u200b a", "a \u00ad"} {
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

// A term of many words is refused by the number of different ones, and words
// that say nothing new cost nothing.
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

// readFoldedLetters reads testdata/folded_letters.txt: in each line a folding
// and the small letters that have it. Stores keep folded text, so a folding
// never changes.
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

// A term may be compared with all fields at once when it does not matter in
// which one it occurs.
func TestWhichTermsMatchAnyField(t *testing.T) {
	for text, want := range map[string]bool{
		"ana": true, "ana@example.com": true, "98765": true, "a1": true,
		"12":          false, // too short for the digits, and would occur in them
		"98765-43":    true,  // the hyphen is ignored
		"98765.43":    false, // its digits are compared without the point
		"ana maria":   false,
		"ana ana":     false,
		"11 98765432": false,
	} {
		term, err := domain.ParseSearchTerm(text)
		if err != nil || term.MatchesAnyField() != want {
			t.Errorf("%q: got %t, %v, want %t", text, term.MatchesAnyField(), err, want)
		}
	}
}

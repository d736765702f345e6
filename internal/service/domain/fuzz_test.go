package domain_test

import (
	"testing"

	"ativa/internal/service/domain"
)

// An id has one spelling: parsing and formatting it returns the same text.
func FuzzIDs(f *testing.F) {
	for _, text := range []string{"", "op_1", "op_0", "op_1y2p0ij32e8e7", "op_01", "op_-1", "op_A", "job_1", "ev_1", "ev_0", "ev_1y2p0ij32e8e7f", "op_1_2", "ev_", "op_\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read := map[string]string{}
		if id, err := domain.ParseOperationID(text); err == nil {
			read["operation"] = id.String()
		}
		if id, err := domain.ParseDeliveryID(text); err == nil {
			read["delivery"] = id.String()
		}
		if id, err := domain.ParseEventID(text); err == nil && text != "" {
			read["event"] = id.String()
			if id == 0 {
				t.Errorf("%q is the beginning of the feed", text)
			}
		}
		for of, written := range read {
			if written != text || len(read) != 1 {
				t.Errorf("%q is the %s %q, of %d kinds", text, of, written, len(read))
			}
		}
	})
}

// An accepted colour is readable on white and on its ground, and parses to itself.
func FuzzColor(f *testing.F) {
	for _, text := range []string{"", "#0b6b44", "#0000ff", "#c00000", "#6a6a6a", "#8a2be2", "#0B6B44 ", "#ffffff", "#000000", "#+12345", "#12345", "0b6b444", "#0x1234", "#_1_2_3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := domain.ParseColor(text)
		if err != nil || c == "" {
			return
		}
		if again, err := domain.ParseColor(string(c)); err != nil || again != c || len(c) != 7 {
			t.Errorf("%q is %q, and that is %q, %v", text, c, again, err)
		}
		if white, ground := domain.Contrast(c, "#ffffff"), domain.Contrast(c, domain.BrandGround); white < 4.5 || ground < 4.5 {
			t.Errorf("%q has the contrasts %.2f and %.2f", c, white, ground)
		}
	})
}

// An accepted search term has something to search for, and few words.
func FuzzSearchTerm(f *testing.F) {
	for _, text := range []string{"", "a", "ana", "José da Silva", "529.982", "a b c", "ana ana", "%_", "\xff\xfe", "İstanbul ﬁ", "  x  ", "12", "123", "maria1990", "\u200b  \u200b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		term, err := domain.ParseSearchTerm(text)
		if err != nil {
			return
		}
		if len(term.Words) == 0 || len(term.Words) > domain.MaxSearchWords || term.Whole == "" || term.Digits != "" && len(term.Digits) < 3 {
			t.Errorf("%q: got %+v", text, term)
		}
		if folded := domain.Fold(term.Whole); folded != term.Whole {
			t.Errorf("%q is folded to %q, and that to %q", text, term.Whole, folded)
		}
	})
}

package formula_test

import (
	"testing"

	"ativa/internal/formula"
)

// Only a telephone number keeps its plus.
func TestAnEscapedTextRunsNothingAndReadsBack(t *testing.T) {
	for _, c := range []struct{ in, want, phone string }{
		{"=1+1", "'=1+1", "'=1+1"},
		{"+1", "'+1", "+1"},
		{"-1", "'-1", "'-1"},
		{"@SUM(A1)", "'@SUM(A1)", "'@SUM(A1)"},
		{"\t=1", "'\t=1", "'\t=1"},
		{"\r=1", "'\r=1", "'\r=1"},
		{"'=1", "''=1", "''=1"},
		{"+5511987654321", "'+5511987654321", "+5511987654321"},
		{"+55 (11) 98765-4321", "'+55 (11) 98765-4321", "+55 (11) 98765-4321"},
		{"+1+cmd|' /C calc'!A0", "'+1+cmd|' /C calc'!A0", "'+1+cmd|' /C calc'!A0"},
		{"+", "'+", "'+"},
		{"'quoted'", "'quoted'", "'quoted'"},
		{"D'Ávila", "D'Ávila", "D'Ávila"},
		{"'", "'", "'"},
		{"", "", ""},
	} {
		if got, phone := formula.Escape(c.in), formula.EscapePhone(c.in); got != c.want || phone != c.phone {
			t.Errorf("%q: got %q, as a telephone number %q, want %q, %q", c.in, got, phone, c.want, c.phone)
		}
		for _, escaped := range []string{c.want, c.phone} {
			if got := formula.Unescape(escaped); got != c.in {
				t.Errorf("Unescape(%q): got %q, want %q", escaped, got, c.in)
			}
		}
	}
}

func FuzzUnescapeUndoesEscape(f *testing.F) {
	f.Add("'=x")
	f.Add("+55")
	f.Fuzz(func(t *testing.T, s string) {
		for _, escaped := range []string{formula.Escape(s), formula.EscapePhone(s)} {
			if got := formula.Unescape(escaped); got != s {
				t.Errorf("%q reads back as %q, want %q", escaped, got, s)
			}
		}
	})
}

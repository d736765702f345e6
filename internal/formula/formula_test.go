package formula_test

import (
	"testing"

	"ativa/internal/formula"
)

func TestAnEscapedTextRunsNothingAndReadsBack(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"=1+1", "'=1+1"},
		{"+1", "'+1"},
		{"-1", "'-1"},
		{"@SUM(A1)", "'@SUM(A1)"},
		{"\t=1", "'\t=1"},
		{"\r=1", "'\r=1"},
		{"'=1", "''=1"},
		{"+5511987654321", "'+5511987654321"},
		{"'quoted'", "'quoted'"},
		{"D'Ávila", "D'Ávila"},
		{"'", "'"},
		{"", ""},
	} {
		if got := formula.Escape(c.in); got != c.want {
			t.Errorf("Guard(%q): got %q, want %q", c.in, got, c.want)
		}
		if got := formula.Unescape(c.want); got != c.in {
			t.Errorf("Unescape(%q): got %q, want %q", c.want, got, c.in)
		}
	}
}

func TestOnlyATelephoneNumberKeepsItsPlus(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"+5511987654321", "+5511987654321"},
		{"+55 (11) 98765-4321", "+55 (11) 98765-4321"},
		{"+1+cmd|' /C calc'!A0", "'+1+cmd|' /C calc'!A0"},
		{"=1", "'=1"},
		{"+", "'+"},
	} {
		if got := formula.EscapePhone(c.in); got != c.want {
			t.Errorf("GuardPhone(%q): got %q, want %q", c.in, got, c.want)
		}
		if got := formula.Unescape(c.want); got != c.in {
			t.Errorf("Unescape(%q): got %q, want %q", c.want, got, c.in)
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

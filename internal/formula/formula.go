// Package formula decides which texts a spreadsheet would run as a formula, and
// prevents it with an apostrophe (cli.md, Output). Writers of cells escape them
// and readers unescape them, so that an export can be imported unchanged.
//
// It refuses to know files and columns: the caller says which cells are
// telephone numbers. All functions are pure.
package formula

import "strings"

// Escape puts an apostrophe before a text that begins with
//
//	= + - @ TAB CR
//
// or with apostrophes and then one of these, which makes [Unescape] exact.
func Escape(s string) string {
	if startsFormula(s) {
		return "'" + s
	}
	return s
}

// EscapePhone is Escape for a telephone number. It leaves a + that is followed
// only by digits, spaces and ( ) - . unchanged, because that runs nothing.
func EscapePhone(s string) string {
	rest, plus := strings.CutPrefix(s, "+")
	if plus && rest != "" && strings.Trim(rest, "0123456789 ()-.") == "" {
		return s
	}
	return Escape(s)
}

// Unescape undoes [Escape]. It also removes an apostrophe that a person typed to stop a
// spreadsheet from calculating; other texts are unchanged.
func Unescape(s string) string {
	if s != "" && s[0] == '\'' && startsFormula(s) {
		return s[1:]
	}
	return s
}

// startsFormula reports whether s begins like a formula, ignoring apostrophes before it.
func startsFormula(s string) bool {
	s = strings.TrimLeft(s, "'")
	return s != "" && strings.IndexByte("=+-@\t\r", s[0]) >= 0
}

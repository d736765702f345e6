// Package formula decides which texts a spreadsheet would run as a formula,
// and how an apostrophe keeps it from that (cli.md, Output). What writes cells
// guards them, what reads cells takes the guard away, so that an export imports
// again unchanged.
//
// It refuses to know files and columns: which text stands where a telephone
// number is meant is for the caller to say. Everything here is pure.
package formula

import "strings"

// Escape is s as a cell that runs nothing: a text that begins with
//
//	= + - @ TAB CR
//
// gets an apostrophe before it, and so does one that begins with apostrophes
// and then one of these, which makes [Unguard] exact.
func Escape(s string) string {
	if startsFormula(s) {
		return "'" + s
	}
	return s
}

// EscapePhone is Guard for what should be a telephone number. One keeps its +:
// with nothing but digits, spaces and ( ) - . behind it there is nothing in it
// to run.
func EscapePhone(s string) string {
	rest, plus := strings.CutPrefix(s, "+")
	if plus && rest != "" && strings.Trim(rest, "0123456789 ()-.") == "" {
		return s
	}
	return Escape(s)
}

// Unescape is the text that [Guard] made s from. A text that it did not make
// comes back as it is, except for an apostrophe that a person typed to keep a
// spreadsheet from calculating.
func Unescape(s string) string {
	if s != "" && s[0] == '\'' && startsFormula(s) {
		return s[1:]
	}
	return s
}

// startsFormula reports whether s begins as a formula does, behind any number of
// apostrophes.
func startsFormula(s string) bool {
	s = strings.TrimLeft(s, "'")
	return s != "" && strings.IndexByte("=+-@\t\r", s[0]) >= 0
}

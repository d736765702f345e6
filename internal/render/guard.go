package render

import "strings"

// The formula rule, for what spreadsheets may open. A text that starts with
// one of
//
//	= + - @ TAB CR
//
// gets an apostrophe before it, and so does a text that starts with
// apostrophes and then one of these. Taking one apostrophe away from before
// (apostrophes and) one of these gives back every text unchanged. A telephone
// number keeps its +: with nothing but digits, spaces and ( ) - . behind it
// there is nothing in it to run.

// Guard is the text of a cell as CSV carries it.
func Guard(kind Kind, s string) string {
	if !formula(s) || kind == Phone && phoneNumber(s) {
		return s
	}
	return "'" + s
}

// Unguard is the text that Guard made s from. A text that it did not make
// comes back as it is, except for an apostrophe that a person typed to keep a
// spreadsheet from calculating.
func Unguard(s string) string {
	if strings.HasPrefix(s, "'") && formula(s) {
		return s[1:]
	}
	return s
}

func formula(s string) bool {
	s = strings.TrimLeft(s, "'")
	return s != "" && strings.IndexByte("=+-@\t\r", s[0]) >= 0
}

func phoneNumber(s string) bool {
	rest, plus := strings.CutPrefix(s, "+")
	return plus && rest != "" && strings.Trim(rest, "0123456789 ()-.") == ""
}

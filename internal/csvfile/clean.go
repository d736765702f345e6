package csvfile

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ativa/internal/formula"
)

// Lengths of text fields in characters (decisions.md 7).
const (
	maxName = 255
	maxPlan = 255
)

// invisible characters come along when a cell is copied from a web page or an
// address book: soft hyphens, spaces without width, marks of the direction of
// writing, byte order marks. Joiners, which form signs with others, are none.
func invisible(r rune) bool {
	switch r {
	case '\u00ad', '\u200b', '\u200e', '\u200f', '\u2060', '\ufeff':
		return true
	}
	return '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

// trim removes spaces of every kind around s, and all that is invisible.
func trim(s string) string {
	s = strings.TrimSpace(s)
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf && strings.ContainsFunc(s[i:], invisible) {
			return strings.TrimSpace(strings.Join(strings.FieldsFunc(s, invisible), ""))
		}
	}
	return s
}

// clean removes what spreadsheets put around a value: spaces, the guard of
// [formula.Guard] and the form ="00123" that keeps zeros.
func clean(cell string) (value, repair string) {
	s := trim(cell)
	if len(s) > 3 && s[0] == '=' && s[1] == '"' && s[len(s)-1] == '"' {
		return trim(strings.ReplaceAll(s[2:len(s)-1], `""`, `"`)), RepairTextFormula
	}
	return trim(formula.Unescape(s)), ""
}

// textFault is the code of what makes a text unfit for any field, or "".
func textFault(s string) string {
	ascii := true
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7f {
			return CodeControlCharacter
		}
		ascii = ascii && s[i] < utf8.RuneSelf
	}
	switch {
	case s == "":
		return ""
	case s[0] == '#' && spreadsheetError(s):
		return CodeFormulaError
	case ascii:
		return ""
	case !utf8.ValidString(s) || strings.ContainsRune(s, utf8.RuneError):
		return CodeUnreadableText
	case strings.ContainsFunc(s, unicode.IsControl):
		return CodeControlCharacter
	case garbled(s):
		return CodeGarbledText
	}
	return ""
}

// spreadsheetError reports whether s is what a spreadsheet shows for a formula
// that failed, in English or Portuguese, or for a column that is too narrow.
func spreadsheetError(s string) bool {
	switch strings.ToUpper(s) {
	case "#N/A", "#N/D", "#REF!", "#VALUE!", "#VALOR!", "#NAME?", "#NOME?", "#DIV/0!", "#NULL!", "#NULO!", "#NUM!", "#NÚM!":
		return true
	}
	return len(s) > 1 && strings.Trim(s, "#") == ""
}

// garbled reports whether s shows UTF-8 that was read as Windows-1252: Ã or Â
// before a character from U+0080 to U+00BF, which no name has there.
func garbled(s string) bool {
	const continued = "\xc2" // the first byte of those characters
	return strings.Contains(s, "Ã"+continued) || strings.Contains(s, "Â"+continued)
}

// fault is what is wrong with a value: a code and the arguments of its message.
type fault struct {
	code string
	args map[string]string
}

package provision

import (
	"strings"
	"unicode"

	"ativa/internal/cpf"
)

// Term is a search term in the form that is compared (decisions.md 6):
// subscribers match when every word occurs in the folded name, or the whole
// term in the folded e-mail, or, with three digits or more, the digits inside
// document or phone.
type Term struct {
	Words  []string // folded
	Whole  string   // folded, inner spaces kept
	Digits string   // "" when the term has fewer than three
}

// ParseTerm prepares a search; a term under two characters is refused.
func ParseTerm(s string) (Term, error) {
	whole := Fold(strings.TrimSpace(s))
	if len([]rune(whole)) < 2 {
		return Term{}, &Error{Code: ValidationFailed, Message: "a search term needs two characters or more",
			Fields: []FieldError{{Field: "searchValue", Code: "too_short", Message: "two characters or more"}}}
	}
	t := Term{Words: strings.Fields(whole), Whole: whole}
	if digits := cpf.Digits(whole); len(digits) >= 3 {
		t.Digits = digits
	}
	return t, nil
}

// Document returns the document that the term spells out in full, if it does.
func (t Term) Document() (cpf.Document, bool) {
	if len(t.Digits) != 11 || strings.ContainsFunc(t.Whole, unicode.IsLetter) {
		return "", false
	}
	return cpf.Lookup(t.Digits)
}

// Anywhere reports that it does not matter in which field the term occurs:
// either any will do, as for digits alone, or the term cannot occur in the
// digits of document and phone.
func (t Term) Anywhere() bool {
	if len(t.Words) != 1 || t.Words[0] != t.Whole {
		return false
	}
	digit := func(r rune) bool { return '0' <= r && r <= '9' }
	return t.Digits == t.Whole || t.Digits == "" && !strings.ContainsFunc(t.Whole, digit)
}

// Fold lowers the case and strips the accents of Latin letters, so that
// "JOÃO" and "joao" compare equal.
func Fold(s string) string {
	ascii := true
	for i := range len(s) {
		if c := s[i]; c >= 0x80 || 'A' <= c && c <= 'Z' {
			ascii = false
			break
		}
	}
	if ascii {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		r = unicode.ToLower(r)
		switch {
		case r < 0x80:
			b.WriteByte(byte(r))
		case unicode.Is(unicode.Mn, r): // a combining accent
		default:
			b.WriteString(foldRune(r))
		}
	}
	return b.String()
}

func foldRune(r rune) string {
	switch r {
	case 'á', 'à', 'â', 'ã', 'ä', 'å', 'ā', 'ă', 'ą', 'ª':
		return "a"
	case 'é', 'è', 'ê', 'ë', 'ē', 'ė', 'ę', 'ě':
		return "e"
	case 'í', 'ì', 'î', 'ï', 'ī', 'į', 'ı':
		return "i"
	case 'ó', 'ò', 'ô', 'õ', 'ö', 'ø', 'ō', 'ő', 'º':
		return "o"
	case 'ú', 'ù', 'û', 'ü', 'ū', 'ů', 'ű':
		return "u"
	case 'ç', 'ć', 'č':
		return "c"
	case 'ñ', 'ń', 'ň':
		return "n"
	case 'ý', 'ÿ':
		return "y"
	case 'š', 'ś':
		return "s"
	case 'ž', 'ź', 'ż':
		return "z"
	case 'ß':
		return "ss"
	case 'æ':
		return "ae"
	case 'œ':
		return "oe"
	}
	return string(r)
}

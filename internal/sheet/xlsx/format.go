package xlsx

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// numberFormat is the display format of a value: texts, and between them its digits, or the whole
// value. A nil format shows the value alone.
type numberFormat []formatToken

type formatToken struct {
	text string // as it is shown
	kind tokenKind
}

type tokenKind uint8

const (
	literal   tokenKind = iota
	digit               // one digit, or nothing: # and ?
	zeroDigit           // one digit, or 0
	whole               // the value itself
)

// cellFormat is the display format of a cell: a date, or texts around its value.
type cellFormat struct {
	date         bool
	number, text numberFormat // of a positive number, and of a text
}

// newCellFormat parses a format code (ECMA-376, numFmt): a date or time of day, else the formats of a
// positive number and of a text. Formats that need computing, such as conditions, per cent or
// fractions, are ignored, because a wrong number is worse than a bare one.
func newCellFormat(code string) *cellFormat {
	const most = 1024 // bytes; a spreadsheet allows 255 characters
	f := &cellFormat{}
	if len(code) > most {
		return f
	}
	for i, section := range sections(code) {
		s := parseSection(section)
		if i == 0 && s.date && !s.elapsed {
			return &cellFormat{date: true}
		}
		if s.computed || !slices.ContainsFunc(s.tokens, formatToken.visible) || !slices.ContainsFunc(s.tokens, formatToken.place) {
			continue
		}
		if i == 0 {
			f.number = s.tokens
		}
		if s.ofText {
			f.text = s.tokens
		}
	}
	return f
}

// visible reports whether the token shows more than the value: a text, or the zeros before it.
func (t formatToken) visible() bool {
	return t.kind == zeroDigit || t.kind == literal && strings.TrimSpace(t.text) != ""
}

// place reports whether the token shows some or all of the value.
func (t formatToken) place() bool { return t.kind != literal }

// sections splits a format code at the semicolons outside texts.
func sections(code string) []string {
	var all []string
	start := 0
	for i := 0; i < len(code); i++ {
		switch code[i] {
		case '\\':
			i++
		case '"':
			i += max(0, strings.IndexByte(code[i+1:], '"')+1)
		case ';':
			all = append(all, code[start:i])
			start = i + 1
		}
	}
	return append(all, code[min(start, len(code)):])
}

// formatSection is one section of a format code.
type formatSection struct {
	tokens   numberFormat
	ofText   bool
	computed bool // it shows more than texts and a whole number
	date     bool // it has a letter of a date or a time of day
	elapsed  bool // it shows an amount of hours, minutes or seconds
}

func parseSection(s string) (f formatSection) {
	amount := false
	add := func(text string, kind tokenKind) { f.tokens = append(f.tokens, formatToken{text, kind}) }
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		rest := s[n:]
		switch {
		case r == '\\':
			_, n = utf8.DecodeRuneInString(rest)
			add(rest[:n], literal)
			rest = rest[n:]
		case r == '_' || r == '*': // a space of some width, and a filling
			_, n = utf8.DecodeRuneInString(rest)
			rest = rest[n:]
		case r == '"':
			text, after, _ := strings.Cut(rest, `"`)
			add(text, literal)
			rest = after
		case r == '[':
			inside, after, _ := strings.Cut(rest, "]")
			f.computed = f.computed || strings.ContainsAny(inside, "<>=")
			f.elapsed = f.elapsed || inside != "" && strings.Trim(strings.ToLower(inside), "hms") == ""
			if currency, found := strings.CutPrefix(inside, "$"); found {
				currency, _, _ = strings.Cut(currency, "-")
				add(currency, literal)
			}
			rest = after
		case r == '0':
			add("", zeroDigit)
		case r == '#' || r == '?':
			add("", digit)
		case r == '.':
			amount = true
		case r == ',':
			amount = true
			f.computed = f.computed || strings.IndexAny(rest, "0#?,") != 0 // after the digits it divides by a thousand
		case r == '@':
			add("", whole)
			f.ofText = true
		case len(s) >= len("general") && strings.EqualFold(s[:len("general")], "general"):
			add("", whole)
			rest = s[len("general"):]
		case strings.ContainsRune("dmyhs", unicode.ToLower(r)):
			f.date, f.computed = true, true
		case strings.ContainsRune(" -+():!^&'~{}$=", r) || r >= utf8.RuneSelf:
			add(string(r), literal)
		default:
			f.computed = true
		}
		s = rest
	}
	if amount {
		f.tokens = f.tokens.unfilled()
	}
	return f
}

// unfilled replaces the places of digits by the whole value.
func (f numberFormat) unfilled() numberFormat {
	first := slices.IndexFunc(f, formatToken.place)
	if first < 0 {
		return f
	}
	last := len(f) - 1
	for !f[last].place() {
		last--
	}
	return slices.Concat(f[:first], numberFormat{{kind: whole}}, f[last+1:])
}

// show returns a value as the cell shows it.
func (f numberFormat) show(v string) string {
	if f == nil || v == "" || v[0] == '-' {
		return v
	}
	if strings.Trim(v, "0123456789") != "" {
		f = f.unfilled()
	}
	var parts []string // from the last to the first
	left := v
	first := slices.IndexFunc(f, formatToken.place)
	for i := len(f) - 1; i >= 0; i-- {
		switch t := f[i]; {
		case t.kind == literal:
			parts = append(parts, t.text)
		case t.kind == whole || i == first && left != "":
			parts, left = append(parts, left), ""
		case left != "":
			parts, left = append(parts, left[len(left)-1:]), left[:len(left)-1]
		case t.kind == zeroDigit:
			parts = append(parts, "0")
		}
	}
	slices.Reverse(parts)
	return strings.Join(parts, "")
}

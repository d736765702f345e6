package xlsx

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// numberFormat is how a workbook shows a value: texts, and between them its digits, or the whole
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
	zeroDigit           // one digit, 0 when there is none
	whole               // the value itself
)

// valueFormats parses a format code (ECMA-376, numFmt) and returns how it shows a positive number
// and how a text. Formats that need computing, such as conditions, per cent or fractions, are
// ignored, because a wrong number is worse than a bare one.
func valueFormats(code string) (number, text numberFormat) {
	const most = 1024 // bytes; a spreadsheet allows 255 characters
	if len(code) > most {
		return nil, nil
	}
	for i, section := range sections(code) {
		f, ofText, ok := parseFormat(section)
		if !ok || !slices.ContainsFunc(f, formatToken.visible) {
			continue
		}
		if i == 0 {
			number = f
		}
		if ofText {
			text = f
		}
	}
	return number, text
}

func (t formatToken) visible() bool { return t.kind == literal && strings.TrimSpace(t.text) != "" }

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

// parseFormat parses one section. ok is false if it shows more than texts and a whole number.
func parseFormat(s string) (f numberFormat, ofText, ok bool) {
	amount := false
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		rest := s[n:]
		switch {
		case r == '\\':
			_, n = utf8.DecodeRuneInString(rest)
			f, rest = f.with(rest[:n], literal), rest[n:]
		case r == '_' || r == '*': // a space of some width, and a filling
			_, n = utf8.DecodeRuneInString(rest)
			rest = rest[n:]
		case r == '"':
			text, behind, _ := strings.Cut(rest, `"`)
			f, rest = f.with(text, literal), behind
		case r == '[':
			inside, behind, _ := strings.Cut(rest, "]")
			if strings.ContainsAny(inside, "<>=") {
				return nil, false, false
			}
			if currency, found := strings.CutPrefix(inside, "$"); found {
				currency, _, _ = strings.Cut(currency, "-")
				f = f.with(currency, literal)
			}
			rest = behind
		case r == '0':
			f = f.with("", zeroDigit)
		case r == '#' || r == '?':
			f = f.with("", digit)
		case r == '.' || r == ',':
			amount = true
		case r == '@':
			f, ofText = f.with("", whole), true
		case len(s) >= len("general") && strings.EqualFold(s[:len("general")], "general"):
			f, rest = f.with("", whole), s[len("general"):]
		case strings.ContainsRune(" -+():!^&'~{}$=", r) || r >= utf8.RuneSelf:
			f = f.with(string(r), literal)
		default:
			return nil, false, false
		}
		s = rest
	}
	places := slices.ContainsFunc(f, func(t formatToken) bool { return t.kind != literal })
	if amount {
		f = f.unfilled()
	}
	return f, ofText, places
}

func (f numberFormat) with(text string, kind tokenKind) numberFormat {
	return append(f, formatToken{text, kind})
}

// unfilled replaces the places of digits by the whole value.
func (f numberFormat) unfilled() numberFormat {
	place := func(t formatToken) bool { return t.kind != literal }
	first := slices.IndexFunc(f, place)
	if first < 0 {
		return f
	}
	last := len(f) - 1
	for !place(f[last]) {
		last--
	}
	return slices.Concat(f[:first], numberFormat{{kind: whole}}, f[last+1:])
}

// show returns a value as its cell shows it.
func (f numberFormat) show(v string) string {
	if f == nil || v == "" || v[0] == '-' {
		return v
	}
	if strings.Trim(v, "0123456789") != "" {
		f = f.unfilled()
	}
	var parts []string // from the last to the first
	left := v
	first := slices.IndexFunc(f, func(t formatToken) bool { return t.kind != literal })
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

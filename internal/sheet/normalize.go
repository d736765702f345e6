package sheet

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"ativa/internal/api"
	"ativa/internal/cpf"
	"ativa/internal/formula"
)

// Document reads a CPF as people type and copy it: with any punctuation, but with every digit.
// The error is a *[cpf.Error].
func Document(s string) (cpf.Document, error) {
	d, err := cpf.Parse(s)
	if digits, ok := unpunctuated(plainPunctuation(s)); err != nil && ok {
		return cpf.Parse(digits)
	}
	return d, err
}

// normalized is what a cell means to its field: a value and the repairs that it needed, or a fault and
// no value.
type normalized struct {
	value   string
	repairs [3]string // codes; "" for none
	fault   fault
}

func faulty(code string) normalized { return normalized{fault: fault{code: code}} }

// Name reads the name of a subscriber like a cell of a file. The error is a *[Problem].
func Name(s string) (string, error) { return normalizeName(s).typed(api.FieldName, s) }

// Plan reads the name of a plan like a cell of a file; it may be empty. The error is a *[Problem].
func Plan(s string) (string, error) { return normalizeText(s).typed(api.FieldCustomerPlan, s) }

// Email reads an e-mail address like a cell of a file. The error is a *[Problem].
func Email(s string) (string, error) { return normalizeEmail(s).typed(api.FieldEmail, s) }

// Phone reads a telephone number like a cell of a file and returns its E.164 form. Of several numbers
// it takes the first valid one. The error is a *[Problem].
func Phone(s string) (string, error) { return normalizePhone(s, "").typed(api.FieldPhone, s) }

// typed returns the value of what was typed for a field.
func (n normalized) typed(field, s string) (string, error) { return n.value, n.fault.problem(field, s) }

// mostLostZeros is the maximum number of lost zeros of a CPF that are restored. With more, any small
// number has a good chance of valid check digits.
const mostLostZeros = 3

// normalizeDocument reads the cell of a CPF.
func normalizeDocument(cell string) normalized {
	value, repair := clean(cell)
	d, how, bad := repairDocument(value)
	if code := textFault(value); code == CodeFormulaError || code == CodeControlCharacter {
		bad = code
	}
	n := normalized{value: string(d), repairs: [3]string{repair, how}}
	if bad != "" {
		whole, _, _ := normalizeNumber(value) // a decimal tail has none of its digits
		n.value, n.fault = "", fault{bad, map[string]string{"digits": number(len(cpf.OnlyDigits(whole)))}}
	}
	return n
}

// repairDocument reads a CPF from a spreadsheet. It restores lost zeros only if the check digits
// then match; an uncertain value is refused with the code in bad.
func repairDocument(s string) (d cpf.Document, repair, bad string) {
	if d, err := cpf.Parse(s); err == nil {
		return d, "", ""
	}
	s, repair, bad = normalizeNumber(plainPunctuation(s))
	if bad != "" {
		return "", "", bad
	}
	d, err := cpf.Parse(s)
	if err == nil {
		return d, repair, ""
	}
	digits, ok := unpunctuated(s)
	if !ok {
		return "", "", errorCode(err)
	}
	if padded, ok := strings.CutPrefix(digits, "000"); ok && len(padded) == cpf.Size { // to the length of a CNPJ
		if d, err := cpf.Parse(padded); err == nil {
			return d, RepairExtraZeros, ""
		}
	}
	if missing := cpf.Size - len(digits); missing > 0 && missing <= mostLostZeros {
		d, err := cpf.Parse(strings.Repeat("0", missing) + digits)
		if err != nil {
			return "", "", cpf.CodeInvalidLength
		}
		return d, RepairLostZeros, ""
	}
	d, err = cpf.Parse(digits)
	if err != nil {
		return "", "", errorCode(err)
	}
	return d, cmp.Or(repair, RepairSeparators), ""
}

// normalizePhone reads the cell of a telephone number, which may have its area code in another one.
func normalizePhone(cell, area string) normalized {
	value, repair := clean(cell)
	phone, how, bad := repairPhone(value)
	joined := ""
	if bad == cpf.CodeMissingAreaCode && area != "" && !isDate(value) {
		phone, how, bad = repairPhone(area + value)
		joined = RepairAreaCode
	}
	return normalized{phone, [3]string{repair, how, joined}, fault{code: bad}}
}

// repairPhone takes the first valid number of several.
func repairPhone(s string) (phone, repair, bad string) {
	s, repair, bad = normalizeNumber(plainPunctuation(s))
	if bad != "" {
		return "", "", bad
	}
	phone, err := cpf.ParsePhone(s)
	if err == nil {
		return phone, repair, ""
	}
	if bare := withoutPhoneNotes(s); bare != s {
		if phone, err := cpf.ParsePhone(bare); err == nil {
			return phone, RepairPhoneNotes, ""
		}
	}
	several := func(r rune) bool { return strings.ContainsRune("/;,|\n\r", r) }
	parts := strings.FieldsFunc(strings.ReplaceAll(s, " ou ", "/"), several)
	if len(parts) > 1 {
		for _, part := range parts {
			if phone, err := cpf.ParsePhone(part); err == nil {
				return phone, RepairSeveralPhones, ""
			}
		}
	}
	return "", "", errorCode(err)
}

// Notes around a telephone number: a text in brackets, an extension, the code of
// the operator between the 0 and the area code of a call. A single quote before it marks a text.
var (
	phoneBrackets  = lazily(`[(\[{][^()\[\]{}0-9]*\pL[^()\[\]{}0-9]*[)\]}]`)
	phoneExtension = lazily(`(?i)[\s,;-]*\b(ramal|ram|r|ext)\.?:?\s*\d{1,6}$`)
	phoneOperator  = lazily(`(?i)^(\(?)0\s*(?:xx|[1-9]\d)\s*(\(?)([1-9]\d\D*\d{4,5}\D?\d{4})$`)
)

// lazily compiles an expression on its first use, not at every start.
func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

func withoutPhoneNotes(s string) string {
	s = trim(phoneBrackets().ReplaceAllString(strings.TrimPrefix(s, "'"), " "))
	s = phoneExtension().ReplaceAllString(s, "")
	return phoneOperator().ReplaceAllString(s, "$1$2$3")
}

// normalizeNumber undoes a spreadsheet's changes to a long number: a decimal tail, or scientific
// notation if every digit is still there.
func normalizeNumber(s string) (normalized, repair, bad string) {
	if digits, ok := decimalTail(s); ok {
		return digits, RepairDecimalTail, ""
	}
	mantissa, exponent, ok := strings.Cut(strings.ToUpper(s), "E")
	exponent = strings.TrimPrefix(exponent, "+")
	whole, fraction, _ := strings.Cut(strings.Replace(mantissa, ",", ".", 1), ".")
	if !ok || !digitsOnly(whole) || exponent == "" || !digitsOnly(exponent) || fraction != "" && !digitsOnly(fraction) {
		return s, "", ""
	}
	if len(whole) == 1 && number(len(fraction)) == strings.TrimLeft(exponent, "0") {
		return whole + fraction, RepairScientific, ""
	}
	return "", "", CodeScientific
}

// decimalTail splits off .0 or ,00 after digits, which programs append to a number that they take
// for an amount.
func decimalTail(s string) (digits string, ok bool) {
	i := strings.IndexAny(s, ".,")
	if i <= 0 || !digitsOnly(s[:i]) {
		return "", false
	}
	tail := s[i+1:]
	return s[:i], tail == "0" || tail == "00"
}

func digitsOnly(s string) bool { return s != "" && cpf.OnlyDigits(s) == s }

// plainPunctuation replaces the dashes and spaces of word processors by those
// of a keyboard.
func plainPunctuation(s string) string {
	if s = trim(s); isASCII(s) { // the replacer copies
		return s
	}
	return punctuation.Replace(s)
}

var punctuation = strings.NewReplacer(
	"\u00a0", " ", "\u2007", " ", "\u2009", " ", "\u202f", " ",
	"\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2014", "-", "\u2212", "-")

// unpunctuated returns the digits of s if it contains only digits and separators.
func unpunctuated(s string) (string, bool) {
	separator := func(r rune) bool { return strings.ContainsRune(" .,-/'", r) }
	digits := strings.Join(strings.FieldsFunc(s, separator), "")
	return digits, digitsOnly(digits)
}

func errorCode(err error) string {
	if e, ok := errors.AsType[*cpf.Error](err); ok {
		return e.Code
	}
	return ""
}

// maxText is the maximum length of a name and of a plan in characters (decisions.md 7).
const maxText = 255

func tooLong(most int) fault { return fault{CodeTooLong, map[string]string{"max": number(most)}} }

// normalizeText reads a cell of free text.
func normalizeText(cell string) normalized {
	value, repair := clean(cell)
	value = strings.ReplaceAll(value, "\u00a0", " ")
	if code := textFault(value); code != "" {
		return faulty(code)
	}
	if len(value) > maxText && utf8.RuneCountInString(value) > maxText {
		return normalized{fault: tooLong(maxText)}
	}
	return normalized{value: value, repairs: [3]string{repair}}
}

// normalizeName reads the cell of a name.
func normalizeName(cell string) normalized {
	n := normalizeText(cell)
	if n.value == "" && n.fault.code == "" {
		n.fault.code = api.CodeRequired
	}
	return n
}

// normalizeEmail reads the cell of an e-mail address.
func normalizeEmail(cell string) normalized {
	value, repair := clean(cell)
	email, unwrapped := unwrapEmail(value)
	switch code := textFault(value); {
	case code != "":
		return faulty(code)
	case email == "":
		return normalized{repairs: [3]string{repair}, fault: fault{code: api.CodeRequired}}
	case len(email) > cpf.MaxEmail:
		return normalized{fault: tooLong(cpf.MaxEmail)}
	case !cpf.IsPlainEmail(email):
		return faulty(CodeInvalidEmail)
	}
	return normalized{value: email, repairs: [3]string{repair, unwrapped}}
}

// unwrapEmail takes quotes, angle brackets and mailto: off an e-mail address.
func unwrapEmail(s string) (email, repair string) {
	for unwrapped := true; unwrapped; {
		if unwrapped = len(s) > len("mailto:") && strings.EqualFold(s[:len("mailto:")], "mailto:"); unwrapped {
			s, repair = trim(s[len("mailto:"):]), RepairMailto
		}
		for _, pair := range [...][2]string{{`"`, `"`}, {"'", "'"}, {"“", "”"}, {"‘", "’"}, {"<", ">"}} {
			if inside, ok := strings.CutPrefix(s, pair[0]); ok && strings.HasSuffix(inside, pair[1]) {
				s, repair, unwrapped = trim(strings.TrimSuffix(inside, pair[1])), RepairQuotes, true
			}
		}
	}
	return s, repair
}

// invisible reports whether r is a character copied along from web pages and address books: soft
// hyphens, zero-width spaces, direction marks, byte order marks. Joiners, which form characters
// with others, are not.
func invisible(r rune) bool {
	switch r {
	case '\u00ad', '\u200b', '\u200e', '\u200f', '\u2060', '\ufeff':
		return true
	}
	return '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

// trim removes white space around s, and all invisible characters. A blank text is empty.
func trim(s string) string {
	s = strings.TrimSpace(s)
	switch {
	case isASCII(s):
		return s
	case cpf.IsBlank(s):
		return ""
	case strings.ContainsFunc(s, invisible):
		return strings.TrimSpace(strings.Join(strings.FieldsFunc(s, invisible), ""))
	}
	return s
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// clean removes what spreadsheets put around a value: spaces, the guard of [formula.Escape] and
// the form ="00123" that keeps zeros.
func clean(cell string) (value, repair string) {
	s := trim(cell)
	if len(s) >= len(`=""`) && s[0] == '=' && s[1] == '"' && s[len(s)-1] == '"' {
		if value = trim(strings.ReplaceAll(s[2:len(s)-1], `""`, `"`)); value != "" {
			repair = RepairTextFormula
		}
		return value, repair
	}
	if isNoValue(s) {
		return "", RepairNoValue
	}
	return trim(formula.Unescape(s)), ""
}

// isNoValue reports whether s is a word for no value, as databases and programs write it.
func isNoValue(s string) bool {
	if s == "" || strings.IndexByte(`nN(\<`, s[0]) < 0 {
		return false
	}
	return slices.ContainsFunc([]string{"null", "(null)", `\N`, "none", "nan", "<na>"}, func(word string) bool { return strings.EqualFold(s, word) })
}

// filled reports whether a cell has a value.
func filled(cell string) bool {
	value, _ := clean(cell)
	return value != ""
}

// textFault returns the code of a fault that no field may have, or "".
func textFault(s string) string {
	switch {
	case strings.ContainsFunc(s, unicode.IsControl):
		return CodeControlCharacter
	case spreadsheetError(s):
		return CodeFormulaError
	case isASCII(s):
		return ""
	case !utf8.ValidString(s) || strings.ContainsRune(s, utf8.RuneError):
		return CodeUnreadableText
	case garbled(s):
		return CodeGarbledText
	}
	return ""
}

// spreadsheetError reports whether s is a spreadsheet's text in place of a value: #N/D, #NOME?,
// #SPILL! or a similar word, Err:502, the text shown while it computes, or the signs of a
// column that is too narrow.
func spreadsheetError(s string) bool {
	if s == "" || strings.IndexByte("#EeLlCc", s[0]) < 0 {
		return false
	}
	return strings.Trim(s, "#") == "" && len(s) > 1 || errorWord().MatchString(s)
}

var errorWord = lazily(`(?i)^(#(n/[ad]|getting_data|[\pL][\pL\d/_]*[!?])|err:\d{3}|(loading|carregando)(\.\.\.|…))$`)

// garbled reports whether s shows UTF-8 that was read as Windows-1252.
func garbled(s string) bool { return strings.ContainsAny(s, "ÃÂâ") && garbledText().MatchString(s) }

// The second byte of most letters shows as a character from U+0080 to U+00BF; that of capitals shows as a
// sign or a letter. A quotation mark or dash may also follow a word, so it counts only before a letter.
var garbledText = lazily(`[ÃÂ][\x{80}-\x{bf}]|Ã[€‚ƒ„†‡ˆ‰Š‹ŒŽ“˜š›œžŸ]|Ã[‘’”•–—…™]\pL|â€`)

// fault is what is wrong with a value: a code and the arguments of its message.
type fault struct {
	code string
	args map[string]string
}

// problem returns the error of a typed value, or nil for a fault without a code.
func (f fault) problem(field, value string) error {
	if f.code == "" {
		return nil
	}
	return &Problem{Field: field, Code: f.code, Value: value, Args: f.args}
}

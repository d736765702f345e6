package cpf

import "strings"

const countryBrazil = "55"

// ParsePhone parses a telephone number and returns its E.164 form, such as
// +5511987654321 (decisions.md 7). Brazilian numbers may have punctuation and a
// leading 0, 55 or 0055; other countries' numbers need their + prefix. The error
// is an *[Error].
func ParsePhone(s string) (string, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", &Error{CodeRequired, "the telephone number is missing"}
	}
	number := phonePunctuation.Replace(s)
	number, international := strings.CutPrefix(number, "+")
	if !isDigits(number) {
		return "", &Error{CodeInvalidPhone, "a telephone number has digits, spaces, ( ) - . and a + before the country"}
	}
	if international && !strings.HasPrefix(number, countryBrazil) {
		return checkForeign(number)
	}
	return checkBrazilian(stripPhonePrefixes(number, international))
}

// phonePunctuation removes the usual punctuation of numbers.
var phonePunctuation = strings.NewReplacer("(", "", ")", "", "-", "", " ", "", ".", "")

// stripPhonePrefixes returns a Brazilian number without the prefixes before its
// area code. 55 is an area code too; the length decides whether it is the country.
func stripPhonePrefixes(number string, international bool) string {
	const longest = 11 // area code and nine digits
	if international {
		return strings.TrimPrefix(number[len(countryBrazil):], "0")
	}
	if rest, ok := strings.CutPrefix(number, "00"+countryBrazil); ok {
		return strings.TrimPrefix(rest, "0")
	}
	if rest, ok := strings.CutPrefix(number, "0"); ok {
		return rest
	}
	if rest, ok := strings.CutPrefix(number, countryBrazil); ok && len(number) > longest {
		return strings.TrimPrefix(rest, "0")
	}
	return number
}

// checkBrazilian checks an area code and the number after it.
func checkBrazilian(number string) (string, error) {
	const area, mobile, landline = 2, 9, 8
	switch len(number) {
	case area + mobile, area + landline:
	case mobile, landline:
		return "", &Error{CodeMissingAreaCode, "the area code is missing before the telephone number"}
	default:
		return "", &Error{CodeInvalidPhone, "a Brazilian telephone number has an area code and eight or nine digits"}
	}
	if !isAreaCode(number[:area]) {
		return "", &Error{CodeInvalidAreaCode, "Brazil has no area code like that of the telephone number"}
	}
	first, digits := number[area], len(number)-area
	if digits == mobile && first != '9' {
		return "", &Error{CodeInvalidPhone, "a telephone number of nine digits starts with 9"}
	}
	if digits == landline && (first < '2' || first > '5') {
		return "", &Error{CodeInvalidPhone, "a telephone number of eight digits starts with 2 to 5; a mobile one has nine"}
	}
	return "+" + countryBrazil + number, nil
}

// checkForeign checks the length of a number of another country.
func checkForeign(number string) (string, error) {
	if len(number) < 8 || len(number) > 15 || number[0] == '0' {
		return "", &Error{CodeInvalidPhone, "a telephone number has + and 8 to 15 digits, country code first"}
	}
	return "+" + number, nil
}

// isAreaCode reports whether Anatel has assigned the two-digit area code.
func isAreaCode(code string) bool {
	units := ""
	switch code[0] {
	case '1', '4', '6', '8', '9':
		units = "123456789"
	case '2':
		units = "12478"
	case '3':
		units = "1234578"
	case '5':
		units = "1345"
	case '7':
		units = "134579"
	}
	return strings.IndexByte(units, code[1]) >= 0
}

// FormatPhone returns a Brazilian telephone number as people write it:
// (11) 98765-4321. Any other is unchanged.
func FormatPhone(s string) string {
	const landline, mobile = 10, 11
	number, brazilian := strings.CutPrefix(s, "+55")
	n := len(number)
	if !brazilian || n != landline && n != mobile || OnlyDigits(number) != number {
		return s
	}
	return "(" + number[:2] + ") " + number[2:n-4] + "-" + number[n-4:]
}

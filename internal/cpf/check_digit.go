package cpf

import "strings"

const zeros = "00000000000"

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isDigits reports whether s has only digits. It is true for "".
func isDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}

// isFormatted reports whether s is ddd.ddd.ddd-dd.
func isFormatted(s string) bool {
	return len(s) == Size+3 && s[3] == '.' && s[7] == '.' && s[11] == '-' &&
		isDigits(s[0:3]) && isDigits(s[4:7]) && isDigits(s[8:11]) && isDigits(s[12:])
}

func isRepeatedDigit(s string) bool { return strings.Count(s, s[:1]) == len(s) }

// checkDigits computes the two check digits of a root: each is the sum of the
// digits before it, weighted 2, 3, … from the right, times ten, modulo eleven,
// with ten written as zero.
func checkDigits(digits string) string {
	first, second := 0, 0
	for i := range RootSize {
		d := int(digits[i] - '0')
		first += d * (RootSize + 1 - i)
		second += d * (RootSize + 2 - i)
	}
	first = first * 10 % 11 % 10
	second = (second + 2*first) * 10 % 11 % 10
	return string([]byte{byte('0' + first), byte('0' + second)})
}

// looksLikeCNPJ reports whether s has the form of a company number: twelve
// digits or letters (letters since 2026) and two digits, with or without the
// punctuation XX.XXX.XXX/XXXX-XX.
func looksLikeCNPJ(s string) bool {
	const root, size, formattedSize = 12, 14, 18
	if len(s) != size && len(s) != formattedSize {
		return false
	}
	if len(s) == formattedSize {
		if s[2] != '.' || s[6] != '.' || s[10] != '/' || s[15] != '-' {
			return false
		}
		s = s[0:2] + s[3:6] + s[7:10] + s[11:15] + s[16:]
	}
	for i := range len(s) {
		c := s[i] | 0x20 // ASCII letters in lower case; digits stay
		if !isDigit(s[i]) && (i >= root || c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

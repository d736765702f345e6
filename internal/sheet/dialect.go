package sheet

import "strings"

// Dialect is how a file is written.
type Dialect struct {
	// Workbook means an .xlsx file; then only Sheet and the header's fields are meaningful, and
	// rejected rows are written in UTF-8 with a mark and `;`.
	Workbook   bool
	Sheet      string
	Encoding   Encoding
	BOM        bool // a byte order mark opens the file
	Delimiter  byte
	Sep        bool // a line `sep=` opens the file
	HeaderLine int  // the physical line of the header, 0 without one
}

// separatorLine parses the line `sep=;` that tells Excel the delimiter.
func separatorLine(text []byte) (byte, bool) {
	s := strings.Trim(string(text), `"`)
	if len(s) == 5 && strings.EqualFold(s[:4], "sep=") && canDelimit(s[4]) {
		return s[4], true
	}
	return 0, false
}

// blank reports whether a record has nothing but delimiters, spaces and quotes.
func blank(text []byte, d byte) bool {
	for _, c := range text {
		if c != d && c != ' ' && c != '\t' && c != '"' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}

// parseDelimiter reads the delimiter as people write it.
func parseDelimiter(s string) (byte, bool) {
	if t := strings.ToLower(s); t == "tab" || t == `\t` {
		return '\t', true
	}
	if len(s) != 1 || !canDelimit(s[0]) {
		return 0, false
	}
	return s[0], true
}

// canDelimit reports whether c can be a delimiter: a tab, or printable ASCII other than letters,
// digits, spaces and quotes.
func canDelimit(c byte) bool {
	letter := 'a' <= c|0x20 && c|0x20 <= 'z'
	digit := '0' <= c && c <= '9'
	return c == '\t' || c > ' ' && c < 0x7f && c != '"' && !letter && !digit
}

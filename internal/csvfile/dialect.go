package csvfile

import "strings"

// Dialect is how a file is written.
type Dialect struct {
	// Workbook tells an .xlsx file; then only Sheet and the header's fields mean
	// anything, and what is written back is UTF-8 with a mark and `;`.
	Workbook bool
	Sheet    string
	Encoding Encoding
	// BOM tells that a byte order mark opens the file.
	BOM       bool
	Delimiter byte
	// Sep tells that a line `sep=` opens the file.
	Sep bool
	// HeaderLine is the physical line of the header, 0 without one.
	HeaderLine int
}

// candidates are the delimiters that are looked for.
var candidates = []byte{';', ',', '\t', '|'}

// sampled is how many records decide about the delimiter.
const sampled = 50

// detectDelimiter reads a sample with each candidate. The one whose first
// record has most known column names wins, then the one with which most
// records have as many cells as the first, then the one with most cells.
func detectDelimiter(sample []byte, e Encoding, aliases aliasIndex) byte {
	best, bestScore := candidates[0], [3]int{-1}
	for _, d := range candidates {
		score := score(sample, d, e, aliases)
		for i := range score {
			if score[i] != bestScore[i] {
				if score[i] > bestScore[i] {
					best, bestScore = d, score
				}
				break
			}
		}
	}
	return best
}

func score(sample []byte, d byte, e Encoding, aliases aliasIndex) (score [3]int) {
	s := newScanner(strings.NewReader(string(sample)), d)
	first := 0
	split := splitter{encoding: e}
	for range sampled {
		r, err := s.next()
		if err != nil {
			break
		}
		if blank(r.text, d) {
			continue
		}
		if first == 0 {
			for _, name := range split.split(r.text, r.ends) {
				if aliases.find(name) != nil {
					score[0]++
				}
			}
			if r.fault == "" {
				first = len(r.ends)
				score[2] = first
			}
		} else if r.fault == "" && len(r.ends) == first && first > 1 {
			score[1]++
		}
	}
	return score
}

// separatorLine reads the line `sep=;` that tells Excel the delimiter.
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

package csvfile

import (
	"bytes"
	"errors"
)

var errTooLong = errors.New("record over the limit")

// quoting follows the quotes of one record, line by line.
type quoting struct {
	delim byte
	open  bool
	// cells counts those begun.
	cells int
	// column is the cell of the last opening quote.
	column int
	// inside counts the delimiters of the last line that stand in a quoted cell
	// begun in an earlier one.
	inside int
}

// scan reads one physical line and reports whether its quotes are sound. As
// in RFC 4180 a quote opens a cell at its start only and is doubled inside;
// in a cell that is not quoted it is a character like any other.
func (q *quoting) scan(line []byte) bool {
	q.inside = 0
	begun := q.open
	for at := 0; ; {
		quote := bytes.IndexByte(line[at:], '"')
		end := at + quote
		if quote < 0 {
			end = len(line)
		}
		switch n := bytes.Count(line[at:end], []byte{q.delim}); {
		case !q.open:
			q.cells += n
		case begun:
			q.inside += n
		}
		if quote < 0 {
			return true
		}
		at = end + 1
		switch {
		case q.open && at < len(line) && line[at] == '"':
			at++
		case q.open:
			q.open, begun = false, false
			if at < len(line) && line[at] != q.delim {
				return false
			}
		case end == 0 || line[end-1] == q.delim:
			q.open, q.column = true, q.cells
		}
	}
}

// cellEnd is the index in text where cell n (from 1) ends, or -1 when there
// are fewer cells. The quotes of text are sound.
func cellEnd(text []byte, delim byte, n int) int {
	open, start := false, true
	for i, c := range text {
		switch {
		case c == '"' && (open || start):
			open = !open
			// A doubled quote closes and opens again, which start allows for.
			start = !open
			continue
		case c == delim && !open:
			if n--; n == 0 {
				return i
			}
			start = true
			continue
		}
		start = false
	}
	if n == 1 {
		return len(text)
	}
	return -1
}

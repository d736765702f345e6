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
	if bytes.IndexByte(line, '"') < 0 {
		if n := bytes.Count(line, []byte{q.delim}); q.open {
			q.inside = n
		} else {
			q.cells += n
		}
		return true
	}
	start, begun := !q.open, q.open
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case q.open && c == '"':
			if i+1 < len(line) && line[i+1] == '"' {
				i++
				continue
			}
			q.open, begun = false, false
			if i+1 < len(line) && line[i+1] != q.delim {
				return false
			}
		case q.open:
			if begun && c == q.delim {
				q.inside++
			}
		case c == q.delim:
			q.cells++
			start = true
			continue
		case c == '"' && start:
			q.open, q.column = true, q.cells
		}
		start = false
	}
	return true
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

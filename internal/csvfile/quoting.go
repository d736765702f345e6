package csvfile

import "bytes"

// quoting follows the quotes of one record, line by line.
type quoting struct {
	delim  byte
	open   bool
	ends   []int // the offsets in the record where its cells end, without the last
	column int   // the cell of the last opening quote, from 1
	// inside counts the delimiters of the last line that stand in a quoted cell
	// begun in an earlier one.
	inside int
}

// scan reads one physical line, which begins at an offset in the record, and
// reports whether its quotes are sound. As in RFC 4180 a quote opens a cell at
// its start only and is doubled inside; in a cell that is not quoted it is a
// character like any other.
func (q *quoting) scan(line []byte, offset int) bool {
	q.inside = 0
	begun := q.open
	for at := 0; ; {
		quote := bytes.IndexByte(line[at:], '"')
		end := at + quote
		if quote < 0 {
			end = len(line)
		}
		switch {
		case !q.open:
			q.addEnds(line[at:end], offset+at)
		case begun:
			q.inside += bytes.Count(line[at:end], []byte{q.delim})
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
			q.open, q.column = true, len(q.ends)+1
		}
	}
}

// addEnds notes the delimiters of text, which has no quotes.
func (q *quoting) addEnds(text []byte, offset int) {
	for {
		n := bytes.IndexByte(text, q.delim)
		if n < 0 {
			return
		}
		q.ends = append(q.ends, offset+n)
		text, offset = text[n+1:], offset+n+1
	}
}

// looseEnds appends where the cells of text end, as well as can be told when its
// quotes are not sound.
func looseEnds(ends []int, text []byte, delim byte) []int {
	open, start := false, true
	for i, c := range text {
		switch {
		case c == '"' && (open || start):
			open = !open
			// A doubled quote closes and opens again, which start allows for.
			start = !open
			continue
		case c == delim && !open:
			ends = append(ends, i)
			start = true
			continue
		}
		start = false
	}
	return append(ends, len(text))
}

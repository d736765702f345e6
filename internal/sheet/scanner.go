package sheet

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// maxRecord is the maximum size of a record in bytes (cli.md, Import 2). Without it, a file with a
// quote that is never closed would be one record.
const maxRecord = 64 << 10

// ctrlZ is the character with which programs of DOS end a text. It ends the last line.
const ctrlZ = "\x1a"

// record is the text between two line ends that are not inside quotes.
type record struct {
	line int // the physical line on which it starts
	// raw holds its bytes with the line end, text without. Both are in the scanner's encoding and
	// valid until the next record is read. A record over maxRecord has neither; long is its place.
	raw, text []byte
	long      span
	ends      []int  // the offsets in text where its cells end, valid as long as text
	fault     string // the code of the fault in its shape, or ""
	column    int    // column of the fault, from 1; 0 for the whole line
	dates     []int  // the columns, from 1, of the cells that a workbook shows as dates
	merged    []int  // likewise of cells that have the value of the first of merged cells
	hidden    bool   // a workbook does not show the row
}

// clone returns the record with its own copy of the bytes.
func (r record) clone() record {
	if r.raw != nil {
		length := len(r.text)
		r.raw, r.ends = bytes.Clone(r.raw), slices.Clone(r.ends)
		r.text = r.raw[:length]
	}
	return r
}

var errTooLong = errors.New("record over the limit")

// scanner splits a stream into records. CR, LF and CRLF end a line, mixed or not. After a broken
// quote it continues with the next physical line, so that one mistake costs one row and not the
// rest of the file.
type scanner struct {
	r       io.Reader
	delim   byte
	columns int // columns of the header, 0 while it is not known

	buf        []byte
	start, end int   // the unread part of buf
	base       int64 // where buf begins in the stream
	eof        bool
	line       int // number of the line that starts at start
	quoting    quoting
}

func newScanner(r io.Reader, delim byte) *scanner {
	return &scanner{r: r, delim: delim, buf: make([]byte, 3*maxRecord), line: 1}
}

// newSampleScanner returns a scanner of a text in memory.
func newSampleScanner(text []byte, delim byte) *scanner {
	return &scanner{delim: delim, buf: text, end: len(text), eof: true, line: 1}
}

// next returns the next record, blank ones included, and io.EOF at the end.
func (s *scanner) next() (record, error) {
	s.quoting = quoting{delim: s.delim, ends: s.quoting.ends[:0]}
	q := &s.quoting
	first, off, lines := 0, 0, 0
	for {
		content, end, err := s.physicalLine(off)
		switch ended, long := errors.Is(err, io.EOF), errors.Is(err, errTooLong); {
		case long && off == 0:
			return s.skipLine()
		case (ended || long) && off > 0:
			return s.fail(first, CodeUnclosedQuote), nil
		case err != nil:
			return record{}, err
		}
		ok := q.scan(s.buf[s.start+off:s.start+content], off)
		swallowed := off > 0 && s.columns > 1 && q.inside >= s.columns-1
		lines++
		switch {
		case !ok && off == 0:
			return s.fail(end, CodeStrayQuote), nil
		case !ok || swallowed:
			return s.fail(first, CodeUnclosedQuote), nil
		case !q.open:
			q.ends = append(q.ends, content)
			r := record{line: s.line, raw: s.buf[s.start : s.start+end], text: s.buf[s.start : s.start+content], ends: q.ends}
			s.start += end
			s.line += lines
			return r, nil
		}
		if off == 0 {
			first = end
		}
		off = end
	}
}

// fail consumes a line of n bytes as a record with a fault of its quotes. Its cells are those that
// the scan has found. A quote that is not closed, or closed so late that it seems to contain whole
// rows, costs only its first line: the following lines are read again.
func (s *scanner) fail(n int, fault string) record {
	raw := s.buf[s.start : s.start+n]
	r := record{line: s.line, raw: raw, text: bytes.TrimRight(raw, "\r\n"), fault: fault, column: s.quoting.column}
	following := func(end int) bool { return end >= len(r.text) }
	r.ends = append(slices.DeleteFunc(s.quoting.ends, following), len(r.text))
	s.start += n
	s.line++
	return r
}

// physicalLine finds the line that starts at start+off. It returns the offsets from start at which
// its content and its line end end, io.EOF if nothing is left, and errTooLong if the record would
// exceed maxRecord.
func (s *scanner) physicalLine(off int) (content, end int, err error) {
	for {
		if at := s.lineEnd(s.start + off); at >= 0 {
			content, end = at-s.start, s.terminator(at)-s.start
			if content > maxRecord {
				return 0, 0, errTooLong
			}
			return content, end, nil
		}
		switch unread := s.end - s.start; {
		case s.eof && unread == off:
			return 0, 0, io.EOF
		case s.eof && unread <= maxRecord:
			line := bytes.TrimRight(s.buf[s.start+off:s.end], ctrlZ)
			return off + len(line), unread, nil
		case unread > maxRecord:
			return 0, 0, errTooLong
		}
		if err := s.fill(); err != nil {
			return 0, 0, err
		}
	}
}

// lineEnd returns the index of the first CR or LF from pos on, or -1. A CR at the very end of the
// buffer is undecided until what follows is known.
func (s *scanner) lineEnd(pos int) int {
	i := bytes.IndexAny(s.buf[pos:s.end], "\r\n")
	if i < 0 {
		return -1
	}
	at := pos + i
	if s.buf[at] == '\r' && !s.eof && s.buf[s.end-1] == '\r' && s.terminator(at) == s.end {
		return -1
	}
	return at
}

// terminator returns the index after the line end at pos: LF, CR, CRLF, or the CRCRLF that a
// double conversion leaves.
func (s *scanner) terminator(pos int) int {
	after := pos
	for after < s.end && s.buf[after] == '\r' {
		after++
	}
	if after < s.end && s.buf[after] == '\n' {
		return after + 1
	}
	if after == s.end && !s.eof {
		return after
	}
	return pos + 1
}

// skipLine skips a line over maxRecord in constant memory.
func (s *scanner) skipLine() (record, error) {
	r := record{line: s.line, fault: CodeRecordTooLong, long: span{from: s.base + int64(s.start)}}
	for {
		if at := s.lineEnd(s.start); at >= 0 {
			r.long.to = s.base + int64(at)
			s.start = s.terminator(at)
			s.line++
			return r, nil
		}
		if s.eof {
			s.start = s.end
			r.long.to = s.base + int64(s.end)
			return r, nil
		}
		keep := 0 // line ends at the end of the buffer, not decided yet
		for s.end-keep > s.start && s.buf[s.end-keep-1] == '\r' {
			keep++
		}
		s.start = s.end - min(keep, 2)
		if err := s.fill(); err != nil {
			return record{}, err
		}
	}
}

// fill moves the unread bytes to the front and reads more after them.
func (s *scanner) fill() error {
	copy(s.buf, s.buf[s.start:s.end])
	s.base += int64(s.start)
	s.end -= s.start
	s.start = 0
	n, err := s.r.Read(s.buf[s.end:])
	s.end += n
	if err == io.EOF {
		s.eof = true
		return nil
	}
	return err
}

// quoting tracks the quotes of one record, line by line.
type quoting struct {
	delim  byte
	open   bool
	ends   []int // the offsets in the record where its cells end, without the last
	column int   // the cell of the last opening quote, from 1; of several faults, of the first
	// inside counts the delimiters of the last line inside a quoted cell that began in an earlier
	// line.
	inside int
}

// scan reads one physical line, which begins at offset in the record, and reports whether its
// quotes are sound. As in RFC 4180, a quote opens a cell only at its start, spaces aside, and is doubled
// inside; in an unquoted cell it is an ordinary character.
func (q *quoting) scan(line []byte, offset int) (sound bool) {
	q.inside, sound = 0, true
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
			return sound
		}
		at = end + 1
		switch {
		case q.open && at < len(line) && line[at] == '"':
			at++
		case q.open:
			q.open, begun = false, false
			sound = sound && (at == len(line) || line[at] == q.delim)
		case len(withoutMargin(line[q.cellStart(offset):end])) == 0:
			q.open = true
			if sound {
				q.column = len(q.ends) + 1
			}
		}
	}
}

// cellStart returns where the cell being scanned begins in the line at offset.
func (q *quoting) cellStart(offset int) int {
	if n := len(q.ends); n > 0 {
		return max(0, q.ends[n-1]+1-offset)
	}
	return 0
}

// withoutMargin returns a cell without spaces and byte order marks before its text or quote.
func withoutMargin(cell []byte) []byte { return bytes.TrimLeft(cell, " \ufeff") }

// addEnds records the delimiters of text, which has no quotes.
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

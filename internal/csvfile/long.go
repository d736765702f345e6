package csvfile

import (
	"errors"
	"io"
	"unicode/utf8"
)

// span is where a line over maxRecord stands in [File.text], without its line
// end. The zero value is none.
type span struct{ from, to int64 }

// copyLong copies a line that is too long for the memory, in the encoding of
// the file, up to the end of so many cells; 0 means all. It returns how many
// cells it has copied.
func (f *File) copyLong(w io.Writer, s span, most int) (cells int, err error) {
	r := f.text()
	if _, err := io.CopyN(io.Discard, r, s.from); err != nil {
		return 0, err
	}
	r = io.LimitReader(r, s.to-s.from)
	buf, quoted := make([]byte, maxRecord), false
	kept := 0
	for cells = 1; ; {
		n, err := io.ReadFull(r, buf[kept:])
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return cells, err
		}
		text := buf[:kept+n]
		whole := len(text)
		if !last { // a character that goes on in what follows waits for it
			for whole > 0 && whole > len(text)-utf8.UTFMax && !utf8.RuneStart(text[whole-1]) {
				whole--
			}
			whole--
		}
		for i, c := range text[:whole] {
			switch {
			case c == '"':
				quoted = !quoted
			case c == f.Dialect.Delimiter && !quoted && cells == most:
				whole, last = i, true
			case c == f.Dialect.Delimiter && !quoted:
				cells++
			}
			if whole == i {
				break
			}
		}
		if _, err := w.Write(f.Dialect.Encoding.original(nil, text[:whole])); err != nil || last {
			return cells, err
		}
		kept = copy(buf, text[whole:])
	}
}

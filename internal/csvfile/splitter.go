package csvfile

import "bytes"

// splitter decodes the cells of records. It is not safe for concurrent use.
type splitter struct {
	encoding Encoding
	text     []byte
	ends     []int
	cells    cells
}

// split returns the cells of a record as UTF-8, without their quotes. The slice
// is valid until the next call, its strings for good.
func (s *splitter) split(text []byte, ends []int) cells {
	s.text, s.ends, s.cells = s.text[:0], s.ends[:0], s.cells[:0]
	start := 0
	for _, end := range ends {
		s.add(text[start:end])
		s.ends = append(s.ends, len(s.text))
		start = min(end+1, len(text))
	}
	all, start := string(s.text), 0
	for _, end := range s.ends {
		s.cells = append(s.cells, all[start:end])
		start = end
	}
	return s.cells
}

// add decodes one cell. Line ends inside quotes become \n.
func (s *splitter) add(cell []byte) {
	if len(cell) == 0 || cell[0] != '"' {
		s.text = s.encoding.toUTF8(s.text, cell)
		return
	}
	for cell = cell[1:]; len(cell) > 0; {
		plain := bytes.IndexAny(cell, "\"\r")
		if plain < 0 {
			plain = len(cell)
		}
		s.text = s.encoding.toUTF8(s.text, cell[:plain])
		switch cell = cell[plain:]; {
		case len(cell) == 0:
		case bytes.HasPrefix(cell, []byte(`""`)):
			s.text, cell = append(s.text, '"'), cell[2:]
		case bytes.HasPrefix(cell, []byte("\r\n")):
			s.text, cell = append(s.text, '\n'), cell[2:]
		case len(cell) == 1 && cell[0] == '"': // the closing quote
			cell = nil
		default:
			s.text, cell = append(s.text, cell[0]), cell[1:]
		}
	}
}

// cells are the texts of one record by column.
type cells []string

// of returns the cell of a column; "" where the record has none.
func (c cells) of(column Column) string {
	if column.Number < 1 || column.Number > len(c) {
		return ""
	}
	return c[column.Number-1]
}

package sheet

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strconv"

	"ativa/internal/api"
)

// Row is one checked record of the file. It stays valid after the next one is read. Rows may share
// their lists of products.
type Row struct {
	// ImportRow is the data to send. Its document is digits only, its telephone E.164, its speed
	// always set. Fields with problems are empty; of several products, the right ones stay.
	api.ImportRow
	Status string            // the API's name of the desired status; only [Sync] fills it
	Days   api.Optional[int] // the number of days for which it was enabled; only [Invoice] fills it

	Line int // the physical line on which the row starts, from 1
	// MergedInto is the line of the row that has this one's products, 0 if none has. A merged row is
	// not sent.
	MergedInto int
	Merged     bool // others are merged into this one

	Repairs  []Repair
	Problems []Problem

	source   record // the zero value after Trim
	nameless bool   // has a value in a column without a name
	unserved bool   // registered without a service
}

// OK reports whether the row can be sent: it has no problems and is not merged into another.
func (r *Row) OK() bool { return len(r.Problems) == 0 && r.MergedInto == 0 }

// Trim drops the row's original text to save memory; [RejectedWriter] then omits the row. Another
// pass over the file yields it again.
func (r *Row) Trim() { r.source = record{} }

// fingerprint returns a hash that is equal for rows that differ only in their products.
func (r *Row) fingerprint(seed maphash.Seed) uint32 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, s := range [...]string{r.Name, r.Email, r.Phone, r.CustomerPlan, r.Status} {
		_, _ = h.WriteString(s)
		_ = h.WriteByte(0)
	}
	_, _ = h.WriteString(strconv.Itoa(int(r.InternetSpeedID.Value)))
	return uint32(h.Sum64())
}

// splitter decodes the cells of records. It is not safe for concurrent use.
type splitter struct {
	encoding Encoding
	text     []byte
	ends     []int
	cells    cells
}

// split returns the cells of a record as UTF-8, without their quotes. The slice is valid until the
// next call; its strings stay valid.
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
	quoted, ok := bytes.CutPrefix(withoutMargin(cell), []byte(`"`))
	if !ok {
		s.text = s.encoding.toUTF8(s.text, cell)
		return
	}
	for cell = quoted; len(cell) > 0; {
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

// of returns the record's cell in a column, "" if there is none.
func (c cells) of(column Column) string {
	if column.Number < 1 || column.Number > len(c) {
		return ""
	}
	return c[column.Number-1]
}

// anyFilled reports whether the record has a value in one of the columns.
func (c cells) anyFilled(columns []Column) bool {
	return slices.ContainsFunc(columns, func(column Column) bool { return filled(c.of(column)) })
}

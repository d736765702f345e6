package xlsx

import (
	"encoding/xml"
	"strconv"
)

// sharedStrings holds the texts of a workbook, to which its cells refer by number, in one block,
// because there may be a million of them.
type sharedStrings struct {
	block []byte
	ends  []uint32
}

// maxStrings limits the texts of a workbook and their ends, in bytes.
const maxStrings = 256 << 20

func (b *Workbook) readStrings() (*sharedStrings, error) {
	s, text := &sharedStrings{}, textElements{}
	return s, b.tokens(b.related[typeStrings], func(t xml.Token) error {
		s.block = text.add(s.block, t)
		if end, ok := t.(xml.EndElement); ok && end.Name.Local == "si" {
			s.ends = append(s.ends, uint32(len(s.block)))
		}
		if len(s.block)+4*len(s.ends) > maxStrings {
			return &DamagedError{"its texts are too many; save it as CSV"}
		}
		return nil
	})
}

func (s *sharedStrings) get(number string) (string, bool) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n >= len(s.ends) {
		return "", false
	}
	start := uint32(0)
	if n > 0 {
		start = s.ends[n-1]
	}
	return string(s.block[start:s.ends[n]]), true
}

// textElements collects the text of the elements t and v. Formulas are left
// out, and so are phonetic hints (rPh).
type textElements struct {
	inside, phonetic bool
	start            int // start of the element's text in dst
}

// add appends the text of a token to dst.
func (e *textElements) add(dst []byte, t xml.Token) []byte {
	switch t := t.(type) {
	case xml.StartElement:
		e.inside, e.start = t.Name.Local == "t" || t.Name.Local == "v", len(dst)
		e.phonetic = e.phonetic || t.Name.Local == "rPh"
	case xml.EndElement:
		if e.inside {
			dst = unescapeFrom(dst, e.start)
		}
		e.inside = false
		e.phonetic = e.phonetic && t.Name.Local != "rPh"
	case xml.CharData:
		if e.inside && !e.phonetic {
			dst = append(dst, t...)
		}
	}
	return dst
}

package xlsx

import (
	"encoding/xml"
	"strconv"
	"unicode/utf8"

	"ativa/internal/tempfile"
)

// maxStrings limits the size of the texts of a workbook, in bytes.
const maxStrings = 256 << 20

// readStrings reads the texts of the workbook, to which its cells refer by number.
func (b *Workbook) readStrings() error {
	const header = 16 // what a text counts for besides its bytes
	b.strings = &tempfile.Texts{Of: "the texts of the workbook"}
	var text []byte
	elements, size := textElements{}, 0
	return b.tokens(b.related[typeStrings], func(t xml.Token) error {
		text = elements.add(text, t)
		if size+len(text) > maxStrings {
			return &DamagedError{"its texts are too many; save it as CSV"}
		}
		if end, ok := t.(xml.EndElement); ok && end.Name.Local == "si" {
			err := b.strings.Add(text)
			size, text = size+len(text)+header, text[:0]
			return err
		}
		return nil
	})
}

// sharedString returns the text with a number.
func (b *Workbook) sharedString(number string) (string, error) {
	if n, err := strconv.Atoi(number); err == nil && n >= 0 && n < b.strings.Len() {
		return b.strings.At(n)
	}
	return string(utf8.RuneError), nil
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

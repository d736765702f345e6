package csvfile

import (
	"encoding/xml"
	"errors"
	"io"
	"strconv"
)

// sharedStrings are the texts of a workbook, which its cells name by number.
// They lie in one block, because there may be a million of them.
type sharedStrings struct {
	block []byte
	ends  []int
}

// maxStrings is the most bytes that the texts of a workbook may have.
const maxStrings = 256 << 20

func (b *workbook) readStrings() (*sharedStrings, error) {
	s := &sharedStrings{}
	if !b.has(stringsPart) {
		return s, nil
	}
	p, err := b.open(stringsPart)
	if err != nil {
		return nil, err
	}
	return s, errors.Join(s.read(p), p.close())
}

func (s *sharedStrings) read(p *xmlPart) error {
	inText, phonetic, begun := false, false, 0
	for {
		t, err := p.token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			inText, begun = t.Name.Local == "t", len(s.block)
			phonetic = phonetic || t.Name.Local == "rPh"
		case xml.EndElement:
			if inText {
				s.block = unescapeFrom(s.block, begun)
			}
			inText = false
			switch t.Name.Local {
			case "rPh":
				phonetic = false
			case "si":
				s.ends = append(s.ends, len(s.block))
			}
		case xml.CharData:
			if inText && !phonetic {
				s.block = append(s.block, t...)
			}
			if len(s.block) > maxStrings {
				return errors.New("its texts are too many; save it as CSV")
			}
		}
	}
}

// get gives the text of that number.
func (s *sharedStrings) get(number string) (string, bool) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n >= len(s.ends) {
		return "", false
	}
	start := 0
	if n > 0 {
		start = s.ends[n-1]
	}
	return string(s.block[start:s.ends[n]]), true
}

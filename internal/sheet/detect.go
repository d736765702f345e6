package sheet

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"

	"ativa/internal/sheet/columns"
)

var boms = []struct {
	mark     string
	encoding Encoding
}{
	{"\xef\xbb\xbf", UTF8},
	{"\xff\xfe", UTF16LE},
	{"\xfe\xff", UTF16BE},
}

// detectEncoding detects the encoding by byte order mark, by the zero bytes of UTF-16, or by
// reading the whole file: valid UTF-8, else Windows-1252. It also returns the length of the mark.
// UTF-32 is a *Problem.
func detectEncoding(r io.Reader) (Encoding, int, error) {
	b := bufio.NewReaderSize(r, maxRecord)
	head, err := b.Peek(4096)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", 0, err
	}
	if isUTF32(head) {
		return "", 0, &Problem{Code: CodeUTF32}
	}
	for _, bom := range boms {
		if bytes.HasPrefix(head, []byte(bom.mark)) {
			return bom.encoding, len(bom.mark), nil
		}
	}
	if e, ok := detectUTF16(head); ok {
		return e, 0, nil
	}
	switch _, err = io.Copy(io.Discard, transform.NewReader(b, encoding.UTF8Validator)); {
	case errors.Is(err, encoding.ErrInvalidUTF8):
		return Windows1252, 0, nil
	case err != nil:
		return "", 0, err
	}
	return UTF8, 0, nil
}

// detectUTF16 recognises UTF-16 without a mark: in Latin text every other byte is zero.
func detectUTF16(head []byte) (Encoding, bool) {
	var zeros [2]int
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	half := len(head) / 2
	switch {
	case half == 0:
		return "", false
	case zeros[1] > half*3/4 && zeros[0] == 0:
		return UTF16LE, true
	case zeros[0] > half*3/4 && zeros[1] == 0:
		return UTF16BE, true
	}
	return "", false
}

// isUTF32 recognises UTF-32 by its byte order mark, or by its zero bytes: in Latin text three of four
// are zero.
func isUTF32(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	switch first := string(head[:4]); {
	case first == "\xff\xfe\x00\x00", first == "\x00\x00\xfe\xff":
		return true
	case first[1:] != "\x00\x00\x00" && first[:3] != "\x00\x00\x00":
		return false
	}
	zeros := bytes.Count(head, []byte{0})
	return len(head)*2/3 < zeros && zeros <= len(head)*3/4
}

// isMacOrDOS reports whether text that is not UTF-8 has accents in an encoding of the Macintosh or
// of DOS, as Excel for Mac and old systems write them: read as Windows-1252, they are signs between
// letters, where no name has them.
func isMacOrDOS(text []byte) bool {
	small := func(c byte) bool { return 'a' <= c && c <= 'z' }
	capital := func(c byte) bool { return 'A' <= c && c <= 'Z' }
	for i := 1; i+1 < len(text); i++ {
		before, after := text[i-1], text[i+1]
		switch text[i] {
		case 0x87, 0x88, 0x89, 0x8b, 0x8d, 0x90, 0x99, 0x9b: // ‡ ˆ ‰ ‹ ™ › and two that are nothing
			if small(before|0x20) && small(after) {
				return true
			}
		case 0xc6: // Æ
			if small(before) && small(after) {
				return true
			}
		case 0x82, 0x83, 0xcc: // ‚ ƒ Ì
			if capital(before) && capital(after) {
				return true
			}
		}
	}
	return false
}

// delimiters are the candidates for the delimiter.
var delimiters = []byte{';', ',', '\t', '|'}

// sampledRecords is the number of records that decide on the delimiter.
const sampledRecords = 50

// detectDelimiter splits a sample with each candidate. It prefers the one with which a record at the head
// has most known column names, then the one with which most records have as many cells as that one (the
// first if none has a known name), then the one with most cells.
func detectDelimiter(sample []byte, e Encoding, aliases columns.Index) byte {
	best, bestScore := delimiters[0], [3]int{-1}
	for _, d := range delimiters {
		if score := score(sample, d, e, aliases); slices.Compare(score[:], bestScore[:]) > 0 {
			best, bestScore = d, score
		}
	}
	return best
}

func score(sample []byte, d byte, e Encoding, aliases columns.Index) (score [3]int) {
	s := newSampleScanner(sample, d)
	first, records := 0, 0
	split := splitter{encoding: e}
	for range sampledRecords {
		r, err := s.next()
		if err != nil {
			break
		}
		if blank(r.text, d) {
			continue
		}
		known := 0
		if records++; records <= headRecords {
			for _, name := range split.split(r.text, r.ends) {
				if aliases.Find(name) != nil {
					known++
				}
			}
		}
		switch {
		case first == 0, known > score[0]: // a title may stand above the header
			score[0] = max(score[0], known)
			if r.fault == "" {
				first = len(r.ends)
				score[1], score[2] = 0, first
			}
		case r.fault == "" && len(r.ends) == first && first > 1:
			score[1]++
		}
	}
	return score
}

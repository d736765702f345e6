package csvfile

import (
	"archive/zip"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// workbook is an .xlsx file: a zip of XML parts (ECMA-376). Only what a table
// of values needs is read: sheets, shared strings, which formats are of dates,
// and cells. A whole library
// for it would cost every command a millisecond of start-up.
type workbook struct {
	zip     *zip.Reader
	sheets  []sheet
	strings *sharedStrings // nil before the first reading
	styles  *styles        // likewise

	since1904 bool
}

type sheet struct {
	name, part string
	hidden     bool
}

// maxToken is the most bytes of XML that may stand between two tags. A cell
// holds 32,767 characters at most.
const maxToken = 1 << 20

const (
	stringsPart  = "xl/sharedStrings.xml"
	workbookPart = "xl/workbook.xml"
)

func damaged(detail string) *Problem {
	return &Problem{Code: CodeDamagedWorkbook, Args: map[string]string{"detail": detail}}
}

// openWorkbook reads the list of sheets.
func openWorkbook(in *input) (*workbook, error) {
	z, err := zip.NewReader(in.file, in.size)
	if err != nil {
		return nil, damaged("not a whole zip file")
	}
	b := &workbook{zip: z}
	if !b.has(workbookPart) {
		return nil, &Problem{Code: CodeNotATable, Args: map[string]string{"kind": b.kind()}}
	}
	var book struct {
		Properties struct {
			Date1904 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			Name  string `xml:"name,attr"`
			State string `xml:"state,attr"` // hidden, veryHidden
			ID    string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
			// Strict workbooks name the relation by another namespace.
			StrictID string `xml:"http://purl.oclc.org/ooxml/officeDocument/relationships id,attr"`
		} `xml:"sheets>sheet"`
	}
	var relations struct {
		List []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	if err := errors.Join(b.decode(workbookPart, &book), b.decode("xl/_rels/workbook.xml.rels", &relations)); err != nil {
		return nil, damaged(err.Error())
	}
	b.since1904 = book.Properties.Date1904 == "1" || book.Properties.Date1904 == "true"
	for _, s := range book.Sheets {
		for _, r := range relations.List {
			if part := partName(r.Target); r.ID == cmp.Or(s.ID, s.StrictID) && strings.Contains(part, "worksheets/") {
				b.sheets = append(b.sheets, sheet{unescape(s.Name), part, strings.HasSuffix(strings.ToLower(s.State), "hidden")})
			}
		}
	}
	if len(b.sheets) == 0 {
		return nil, damaged("it has no sheet of cells")
	}
	return b, nil
}

// partName resolves a target that is relative to the workbook part.
func partName(target string) string {
	if absolute, ok := strings.CutPrefix(target, "/"); ok {
		return absolute
	}
	return path.Join("xl", target)
}

// kind names a zip file that is no .xlsx.
func (b *workbook) kind() string {
	switch {
	case b.has("xl/workbook.bin"):
		return "a binary Excel workbook (.xlsb)"
	case b.has("content.xml"):
		return "an OpenDocument file (.ods)"
	case b.has("word/document.xml"):
		return "a Word document"
	}
	return "a zip archive"
}

func (b *workbook) has(part string) bool {
	return slices.ContainsFunc(b.zip.File, func(f *zip.File) bool { return f.Name == part })
}

// open starts reading a part, each of whose tokens is limited.
func (b *workbook) open(part string) (*xmlPart, error) {
	f, err := b.zip.Open(part)
	if err != nil {
		return nil, fmt.Errorf("%s is missing", part)
	}
	p := &xmlPart{file: f}
	p.xml = xml.NewDecoder(p)
	return p, nil
}

func (b *workbook) decode(part string, v any) error {
	p, err := b.open(part)
	if err != nil {
		return err
	}
	return errors.Join(p.xml.Decode(v), p.close())
}

// choose finds the sheet to read, by default the first that is not hidden, and
// says so when there are others.
func (b *workbook) choose(name string) (string, *Problem, error) {
	names := make([]string, len(b.sheets))
	for i, s := range b.sheets {
		names[i] = s.name
	}
	first := max(0, slices.IndexFunc(b.sheets, func(s sheet) bool { return !s.hidden }))
	args := map[string]string{"sheet": cmp.Or(name, names[first]), "found": strings.Join(names, ", ")}
	switch {
	case name != "" && !slices.Contains(names, name):
		return "", nil, &Problem{Code: CodeNoSuchSheet, Args: args}
	case name == "" && len(names) > 1:
		return args["sheet"], &Problem{Code: NoticeSheets, Args: args}, nil
	}
	return args["sheet"], nil, nil
}

// xmlPart is an XML file of the workbook while it is read.
type xmlPart struct {
	file  io.ReadCloser
	xml   *xml.Decoder
	since int // bytes since the last token
}

// Read implements io.Reader for the decoder, which keeps a token in memory
// however long it is.
func (p *xmlPart) Read(b []byte) (int, error) {
	if p.since > maxToken {
		return 0, errors.New("a cell is longer than a spreadsheet allows")
	}
	n, err := p.file.Read(b)
	p.since += n
	return n, err
}

// token gives the next token. It is valid until the following one.
func (p *xmlPart) token() (xml.Token, error) {
	p.since = 0
	return p.xml.RawToken()
}

func (p *xmlPart) close() error { return p.file.Close() }

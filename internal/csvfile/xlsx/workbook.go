// Package xlsx reads the sheets of an .xlsx workbook (ECMA-376) row by row, as
// the texts that a spreadsheet shows. It decides what a cell shows: its shared
// string, its number as its format writes it, its date, the value of the merged
// cells that it is one of. It refuses to know what the cells mean, and reads
// nothing else: no formulas, no styles but number formats.
//
// A library for all of the format would cost every command a millisecond of
// start-up.
package xlsx

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

// Workbook is an open .xlsx file: a zip archive of XML parts. It is not safe
// for concurrent use.
type Workbook struct {
	Sheets []Sheet // those of cells, in the order of their tabs; at least one

	zip       *zip.Reader
	since1904 bool           // days are counted from 1904, as on old Macs
	strings   *sharedStrings // nil before the first [Workbook.Rows]
	styles    *styles        // likewise
}

// Sheet is one sheet of a workbook.
type Sheet struct {
	Name   string
	Hidden bool // tells that the spreadsheet does not show its tab

	part string
}

// NotWorkbookError is the error of [Open] for a file of another kind.
type NotWorkbookError struct {
	Kind string // with its article, as "a Word document"
}

// Error implements error.
func (e *NotWorkbookError) Error() string { return "this is " + e.Kind + ", not an .xlsx workbook" }

// DamagedError is the error for a workbook that cannot be read to its end.
type DamagedError struct{ Detail string }

// Error implements error.
func (e *DamagedError) Error() string { return "damaged workbook: " + e.Detail }

func damaged(err error) error { return &DamagedError{err.Error()} }

const (
	stringsPart   = "xl/sharedStrings.xml"
	stylesPart    = "xl/styles.xml"
	workbookPart  = "xl/workbook.xml"
	relationsPart = "xl/_rels/workbook.xml.rels"
)

// Open reads the list of sheets. The error is a *[NotWorkbookError] or a
// *[DamagedError]. The caller keeps r open as long as rows are read.
func Open(r io.ReaderAt, size int64) (*Workbook, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, &DamagedError{"not a whole zip file"}
	}
	b := &Workbook{zip: z}
	if !b.has(workbookPart) {
		return nil, &NotWorkbookError{b.kind()}
	}
	if err := b.readSheets(); err != nil {
		return nil, damaged(err)
	}
	if len(b.Sheets) == 0 {
		return nil, &DamagedError{"it has no sheet of cells"}
	}
	return b, nil
}

// kind names a zip archive that is no .xlsx.
func (b *Workbook) kind() string {
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

// readSheets finds the sheets in the workbook part and their parts in its
// relations.
func (b *Workbook) readSheets() error {
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
	if err := errors.Join(b.decode(workbookPart, &book), b.decode(relationsPart, &relations)); err != nil {
		return err
	}
	b.since1904 = isTrue(book.Properties.Date1904)
	targets := make(map[string]string, len(relations.List))
	for _, r := range relations.List {
		targets[r.ID] = partName(r.Target)
	}
	for _, s := range book.Sheets {
		if part := targets[cmp.Or(s.ID, s.StrictID)]; strings.Contains(part, "worksheets/") {
			b.Sheets = append(b.Sheets, Sheet{unescape(s.Name), strings.HasSuffix(strings.ToLower(s.State), "hidden"), part})
		}
	}
	return nil
}

// partName resolves a target that is relative to the workbook part.
func partName(target string) string {
	if absolute, ok := strings.CutPrefix(target, "/"); ok {
		return absolute
	}
	return path.Join("xl", target)
}

func isTrue(s string) bool { return s == "1" || s == "true" }

func (b *Workbook) has(part string) bool {
	return slices.ContainsFunc(b.zip.File, func(f *zip.File) bool { return f.Name == part })
}

func (b *Workbook) decode(part string, v any) error {
	p, err := b.open(part)
	if err != nil {
		return err
	}
	return errors.Join(p.xml.Decode(v), p.close())
}

func (b *Workbook) open(part string) (*xmlPart, error) {
	f, err := b.zip.Open(part)
	if err != nil {
		return nil, fmt.Errorf("%s is missing", part)
	}
	p := &xmlPart{file: f}
	p.xml = xml.NewDecoder(p)
	return p, nil
}

// tokens calls each for every token of a part that a workbook may lack.
func (b *Workbook) tokens(part string, each func(xml.Token) error) error {
	if !b.has(part) {
		return nil
	}
	p, err := b.open(part)
	if err != nil {
		return err
	}
	for err == nil {
		var t xml.Token
		if t, err = p.token(); err == nil {
			err = each(t)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, p.close())
}

// maxToken is the most bytes of XML that may stand between two tags, and of the
// texts of a cell and of a row. A cell holds 32,767 characters at most.
const maxToken = 1 << 20

var (
	errLongCell = errors.New("a cell is longer than a spreadsheet allows")
	errLongRow  = errors.New("a row is longer than a spreadsheet allows")
)

// xmlPart is a part of the workbook while it is read.
type xmlPart struct {
	file  io.ReadCloser
	xml   *xml.Decoder
	since int // bytes since the last token
}

// Read implements io.Reader for the decoder, which keeps a token in memory
// however long it is.
func (p *xmlPart) Read(b []byte) (int, error) {
	if p.since > maxToken {
		return 0, errLongCell
	}
	n, err := p.file.Read(b)
	p.since += n
	return n, err
}

// token returns the next token. It is valid until the following one.
func (p *xmlPart) token() (xml.Token, error) {
	p.since = 0
	return p.xml.RawToken()
}

func (p *xmlPart) close() error { return p.file.Close() }

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}

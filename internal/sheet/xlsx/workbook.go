// Package xlsx reads the sheets of an .xlsx workbook (ECMA-376) row by row, as the texts that a
// spreadsheet shows. It decides the text of a cell: its shared string, its number in its format,
// its date, the value of its merged cells. It refuses to know what the cells mean, and reads
// nothing else: no formulas, no styles but number formats.
//
// A library for the whole format would add a millisecond of start-up to every command.
package xlsx

import (
	"archive/zip"
	"bufio"
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"ativa/internal/tempfile"
)

// Workbook is an open .xlsx file: a zip archive of XML parts. It may keep its texts on disk until
// it is closed, and is not safe for concurrent use.
type Workbook struct {
	Sheets []Sheet // worksheets in the order of their tabs; at least one

	parts     map[string]*zip.File // by name, as partKey writes it
	related   map[string]string    // the parts of strings and styles, by the last word of their relation's type
	since1904 bool                 // days are counted from 1904, as on old Macs

	// Read by the first [Workbook.Rows].
	complete bool
	strings  *tempfile.Texts
	formats  []*cellFormat // by the number that cells refer to
}

// Sheet is one sheet of a workbook.
type Sheet struct {
	Name   string
	Hidden bool // the spreadsheet does not show its tab

	part string
}

// NotWorkbookError is the error of [Open] for a file of another kind.
type NotWorkbookError struct {
	Kind string // with its article, such as "a Word document"
}

// Error implements error.
func (e *NotWorkbookError) Error() string { return "this is " + e.Kind + ", not an .xlsx workbook" }

// DamagedError is the error for a workbook that cannot be read to its end.
type DamagedError struct{ Detail string }

// Error implements error.
func (e *DamagedError) Error() string { return "damaged workbook: " + e.Detail }

// damaged returns err in this package's words, because the words of the libraries are not for
// people. Errors of files stay.
func damaged(err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err
	}
	if d, ok := errors.AsType[*DamagedError](err); ok {
		return d
	}
	if _, ok := errors.AsType[*xml.SyntaxError](err); ok {
		return &DamagedError{"a part of it is no valid XML"}
	}
	return &DamagedError{"a part of it is not whole"}
}

// Relation types end in these words, also in strict workbooks.
const (
	typeWorkbook  = "officeDocument"
	typeWorksheet = "worksheet"
	typeStrings   = "sharedStrings"
	typeStyles    = "styles"
)

// Open reads the list of sheets. The error is a *[NotWorkbookError] or a *[DamagedError]. The
// caller keeps r open while rows are read.
func Open(r io.ReaderAt, size int64) (*Workbook, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, &DamagedError{"not a whole zip file"}
	}
	b := &Workbook{parts: make(map[string]*zip.File, len(z.File)), related: map[string]string{typeStrings: "xl/sharedStrings.xml", typeStyles: "xl/styles.xml"}}
	for _, f := range z.File {
		b.parts[partKey(f.Name)] = f
	}
	book := "xl/workbook.xml"
	if all, err := b.relations(""); err == nil {
		for _, r := range all {
			if path.Base(r.Type) == typeWorkbook {
				book = r.part("")
			}
		}
	}
	if !b.has(book) || b.has("xl/workbook.bin") || b.has("word/document.xml") {
		return nil, &NotWorkbookError{b.kind()}
	}
	if err := b.readSheets(book); err != nil {
		return nil, damaged(err)
	}
	if len(b.Sheets) == 0 {
		return nil, &DamagedError{"it has no sheet of cells"}
	}
	return b, nil
}

// Close removes the data on disk.
func (b *Workbook) Close() error {
	if b.strings == nil {
		return nil
	}
	return b.strings.Close()
}

// kind names the kind of a zip archive that is not an .xlsx file.
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

// relation is the role of a part for another.
type relation struct {
	ID     string `xml:"Id,attr"`
	Type   string `xml:"Type,attr"`
	Target string `xml:"Target,attr"`
}

// part resolves the target, which is absolute or relative to its source part.
func (r relation) part(of string) string {
	target := strings.ReplaceAll(r.Target, `\`, "/")
	if absolute, ok := strings.CutPrefix(target, "/"); ok {
		return absolute
	}
	return path.Join(path.Dir(of), target)
}

// relations returns the relations of a part, or with "" of the whole workbook.
func (b *Workbook) relations(of string) ([]relation, error) {
	var all struct {
		List []relation `xml:"Relationship"`
	}
	dir, name := path.Split(of)
	err := b.decode(dir+"_rels/"+name+".rels", &all)
	return all.List, err
}

// readSheets finds the sheets in the workbook part and their parts in its
// relations.
func (b *Workbook) readSheets(part string) error {
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
	relations, err := b.relations(part)
	if err := errors.Join(err, b.decode(part, &book)); err != nil {
		return err
	}
	b.since1904 = isTrue(book.Properties.Date1904)
	sheets := map[string]string{}
	for _, r := range relations {
		switch role := path.Base(r.Type); {
		case role == typeWorksheet, r.Type == "" && strings.Contains(strings.ToLower(r.Target), "worksheets/"):
			sheets[r.ID] = r.part(part)
		case role == typeStrings, role == typeStyles:
			b.related[role] = r.part(part)
		}
	}
	for _, s := range book.Sheets {
		if part, ok := sheets[cmp.Or(s.ID, s.StrictID)]; ok {
			b.Sheets = append(b.Sheets, Sheet{unescape(s.Name), strings.HasSuffix(strings.ToLower(s.State), "hidden"), part})
		}
	}
	return nil
}

// partKey returns a part's name without differences between programs: case and, in some archives,
// backslashes.
func partKey(name string) string {
	return strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "/"))
}

func isTrue(s string) bool { return s == "1" || s == "true" }

func (b *Workbook) has(part string) bool {
	return b.parts[partKey(part)] != nil
}

func (b *Workbook) decode(part string, v any) error {
	p, err := b.open(part)
	if err != nil {
		return err
	}
	return errors.Join(p.xml.Decode(v), p.close())
}

// open opens a part and decodes UTF-16 to UTF-8. Other encodings, in which ASCII is unchanged, are
// left to the XML decoder.
func (b *Workbook) open(part string) (*xmlPart, error) {
	f := b.parts[partKey(part)]
	if f == nil {
		return nil, &DamagedError{part + " is missing"}
	}
	file, err := f.Open()
	if err != nil {
		return nil, err
	}
	p := &xmlPart{file: file, text: bufio.NewReader(file)}
	inUTF16 := func(b byte) bool { return b == 0 || b == 0xFF } // half of "<", or of a byte order mark
	if head, _ := p.text.Peek(2); slices.ContainsFunc(head, inUTF16) {
		order := unicode.LittleEndian
		if head[0] == 0 {
			order = unicode.BigEndian
		}
		p.text = bufio.NewReader(unicode.UTF16(order, unicode.UseBOM).NewDecoder().Reader(p.text))
	}
	p.xml = xml.NewDecoder(p)
	p.xml.CharsetReader = decoded
	return p, nil
}

// decoded decodes a part whose XML declares an encoding other than UTF-8. UTF-16 has been decoded
// before the declaration could be read.
func decoded(name string, text io.Reader) (io.Reader, error) {
	switch strings.ToLower(name) {
	case "utf-16", "utf-16le", "utf-16be", "us-ascii", "ascii":
		return text, nil
	case "iso-8859-1", "latin1", "windows-1252", "cp1252": // browsers read the first as the last, too
		return charmap.Windows1252.NewDecoder().Reader(text), nil
	case "iso-8859-15":
		return charmap.ISO8859_15.NewDecoder().Reader(text), nil
	}
	return nil, &DamagedError{"it is written in the encoding " + strconv.Quote(name)}
}

// tokens calls each for every token of a part. A missing part has none.
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

// maxToken limits the bytes of XML between two tags, and the texts of a cell and of a row. A cell
// holds 32,767 characters at most.
const maxToken = 1 << 20

var (
	errLongCell error = &DamagedError{"a cell is longer than a spreadsheet allows"}
	errLongRow  error = &DamagedError{"a row is longer than a spreadsheet allows"}
)

// xmlPart is a part of the workbook that is being read.
type xmlPart struct {
	file  io.Closer
	text  *bufio.Reader
	xml   *xml.Decoder
	since int // bytes since the last token
}

// Read implements io.Reader for the decoder. It limits the size of a token, which the decoder
// keeps in memory.
func (p *xmlPart) Read(b []byte) (int, error) {
	if p.since > maxToken {
		return 0, errLongCell
	}
	n, err := p.text.Read(b)
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

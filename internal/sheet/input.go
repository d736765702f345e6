package sheet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"ativa/internal/tempfile"
)

type input struct {
	file      *os.File
	opened    fs.FileInfo // when it was opened
	temporary bool
}

func openInput(path string) (*input, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if info.IsDir() {
		return nil, errors.Join(&fs.PathError{Op: "read", Path: path, Err: errors.New("is a directory")}, file.Close())
	}
	if !info.Mode().IsRegular() {
		spooled, err := spool(file)
		return spooled, errors.Join(err, file.Close())
	}
	return &input{file: file, opened: info}, nil
}

// spool copies a stream, which can be read only once, to a temporary file.
func spool(r io.Reader) (*input, error) {
	file, err := tempfile.Create()
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(file, r)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("keeping the input: %w", err), tempfile.Remove(file))
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, tempfile.Remove(file))
	}
	return &input{file: file, opened: info, temporary: true}, nil
}

// unchanged returns a *[Problem] if the size or the modification time of the file has changed since it was
// opened: its content may differ from the checked one, or another program is still writing
// it.
func (in *input) unchanged() error {
	now, err := in.file.Stat()
	if err == nil && (now.Size() != in.opened.Size() || !now.ModTime().Equal(in.opened.ModTime())) {
		return &Problem{Code: CodeFileChanged}
	}
	return err
}

// ReadAt implements [io.ReaderAt]. It returns nothing from a changed file.
func (in *input) ReadAt(p []byte, from int64) (int, error) {
	n, err := in.file.ReadAt(p, from)
	if changed := in.unchanged(); changed != nil {
		return 0, changed
	}
	return n, err
}

// reader reads the file from an offset on.
func (in *input) reader(from int64) io.Reader {
	return io.NewSectionReader(in, from, in.opened.Size()-from)
}

func (in *input) close() error {
	if in.temporary {
		return tempfile.Remove(in.file)
	}
	return in.file.Close()
}

// signatures are the beginnings of files that are often sent instead of a CSV.
var signatures = []struct{ start, kind string }{
	{"\xd0\xcf\x11\xe0", "an old Excel workbook (.xls) or one with a password"},
	{"%PDF", "a PDF document"},
	{"\x1f\x8b", "a compressed file (gzip)"},
	{"Rar!", "a compressed file (rar)"},
	{"7z\xbc\xaf", "a compressed file (7z)"},
	{"\x89PNG", "a picture"},
	{"\xff\xd8\xff", "a picture"},
	{"{\\rtf", "a text document (RTF)"},
	{"{\"", "a JSON document"},
	{"[{", "a JSON document"},
}

// isWorkbook distinguishes a workbook from a text by the first bytes and refuses anything else.
func (in *input) isWorkbook() (bool, error) {
	if in.opened.Size() == 0 {
		return false, &Problem{Code: CodeEmptyFile}
	}
	head := make([]byte, 512)
	n, err := io.ReadFull(in.reader(0), head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	head = head[:n]
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return true, nil
	}
	trimmed := plainHead(head)
	for _, s := range signatures {
		if bytes.HasPrefix(head, []byte(s.start)) || bytes.HasPrefix(trimmed, []byte(s.start)) {
			return false, &Problem{Code: CodeNotATable, Args: map[string]string{"kind": s.kind}}
		}
	}
	if kind := markup(trimmed); kind != "" {
		return false, &Problem{Code: CodeNotATable, Args: map[string]string{"kind": kind}}
	}
	encoding, _, err := detectEncoding(bytes.NewReader(head))
	if err != nil {
		return false, err
	}
	if zeros := bytes.Count(head, []byte{0}); zeros > len(head)/20 && !encoding.isUTF16() {
		return false, &Problem{Code: CodeNotATable, Args: map[string]string{"kind": "a file of binary data"}}
	}
	return false, nil
}

// plainHead returns the beginning of a file in lower case, without marks, spaces and the zero
// bytes of UTF-16.
func plainHead(head []byte) []byte {
	for _, bom := range boms {
		head = bytes.TrimPrefix(head, []byte(bom.mark))
	}
	if _, wide := detectUTF16(head); wide {
		head = bytes.ReplaceAll(head, []byte{0}, nil)
	}
	return bytes.ToLower(bytes.TrimSpace(head))
}

// markup names the kind of a text that begins with a tag, or "": many systems write a web page and
// call it .xls.
func markup(head []byte) string {
	switch {
	case len(head) < 2 || head[0] != '<' || !bytes.ContainsAny(head[1:2], "!?abcdefghijklmnopqrstuvwxyz"):
		return ""
	case bytes.HasPrefix(head, []byte("<?xml")) && !bytes.Contains(head, []byte("<html")) && !bytes.Contains(head, []byte("<!doctype html")):
		return "an XML document"
	}
	return "a web page (HTML)"
}

package csvfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"ativa/internal/tempfile"
)

type input struct {
	file      *os.File
	size      int64
	ignored   int64 // bytes at the end
	temporary bool
}

// ignoreCtrlZ leaves out the Ctrl-Z with which programs of the days of DOS end a text.
func (in *input) ignoreCtrlZ() error {
	var last [1]byte
	for ; in.size > in.ignored; in.ignored++ {
		if _, err := in.file.ReadAt(last[:], in.size-in.ignored-1); err != nil || last[0] != 0x1a {
			return err
		}
	}
	return nil
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
		return nil, errors.Join(fmt.Errorf("%s is a directory, not a file", path), file.Close())
	}
	if !info.Mode().IsRegular() {
		spooled, err := spool(file)
		return spooled, errors.Join(err, file.Close())
	}
	return &input{file: file, size: info.Size()}, nil
}

// spool keeps a stream, which can be read only once, in a temporary file.
func spool(r io.Reader) (*input, error) {
	file, err := tempfile.Create()
	if err != nil {
		return nil, err
	}
	size, err := io.Copy(file, r)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("keeping the input: %w", err), tempfile.Remove(file))
	}
	return &input{file: file, size: size, temporary: true}, nil
}

// A file that does not end where it did when it was opened: what was checked is not there
// any more, or somebody still writes it. Its last line may be half of one.
var (
	errShorter = errors.New("the file became shorter while it was read")
	errLonger  = errors.New("the file became longer while it was read")
)

// reader reads the file from an offset to the end that it had when it was opened. The end
// of a file that ends elsewhere is errShorter or errLonger.
func (in *input) reader(from int64) io.Reader {
	length := in.size - in.ignored - from
	return &wholeReader{in: in, r: io.NewSectionReader(in.file, from, length), left: length}
}

type wholeReader struct {
	in   *input
	r    io.Reader
	left int64 // bytes
}

func (w *wholeReader) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if w.left -= int64(n); !errors.Is(err, io.EOF) {
		return n, err
	}
	if w.left > 0 {
		return n, errShorter
	}
	info, failed := w.in.file.Stat()
	if failed == nil && info.Size() > w.in.size {
		failed = errLonger
	}
	return n, cmp.Or(failed, err)
}

func (in *input) close() error {
	if in.temporary {
		return tempfile.Remove(in.file)
	}
	return in.file.Close()
}

// format is what kind of file it is, by its first bytes.
type format int

const (
	formatText format = iota
	formatWorkbook
)

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

// sniff tells text from a workbook and refuses what is neither.
func (in *input) sniff() (format, error) {
	if in.size == 0 {
		return 0, &Problem{Code: CodeEmptyFile}
	}
	head := make([]byte, 512)
	n, err := io.ReadFull(in.reader(0), head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, err
	}
	head = head[:n]
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return formatWorkbook, nil
	}
	trimmed := plainHead(head)
	for _, s := range signatures {
		if bytes.HasPrefix(head, []byte(s.start)) || bytes.HasPrefix(trimmed, []byte(s.start)) {
			return 0, &Problem{Code: CodeNotATable, Args: map[string]string{"kind": s.kind}}
		}
	}
	if kind := markup(trimmed); kind != "" {
		return 0, &Problem{Code: CodeNotATable, Args: map[string]string{"kind": kind}}
	}
	marked := bytes.HasPrefix(head, []byte(UTF16LE.mark())) || bytes.HasPrefix(head, []byte(UTF16BE.mark()))
	_, wide := detectUTF16(head)
	if zeros := bytes.Count(head, []byte{0}); zeros > len(head)/20 && !wide && !marked {
		return 0, &Problem{Code: CodeNotATable, Args: map[string]string{"kind": "a file of binary data"}}
	}
	return formatText, nil
}

// plainHead is the beginning of a file in lower case, without marks, spaces and
// the zero bytes of UTF-16.
func plainHead(head []byte) []byte {
	for _, bom := range boms {
		head = bytes.TrimPrefix(head, []byte(bom.mark))
	}
	if _, wide := detectUTF16(head); wide {
		head = bytes.ReplaceAll(head, []byte{0}, nil)
	}
	return bytes.ToLower(bytes.TrimSpace(head))
}

// markup tells what a text is that begins with a tag, whatever tag that is:
// many systems write a web page and call it .xls.
func markup(head []byte) string {
	switch {
	case len(head) < 2 || head[0] != '<' || !bytes.ContainsAny(head[1:2], "!?abcdefghijklmnopqrstuvwxyz"):
		return ""
	case bytes.HasPrefix(head, []byte("<?xml")) && !bytes.Contains(head, []byte("<html")) && !bytes.Contains(head, []byte("<!doctype html")):
		return "an XML document"
	}
	return "a web page (HTML)"
}

package sheet_test

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"ativa/internal/sheet"
)

func TestAStreamThatBreaksOffIsNoFile(t *testing.T) {
	broken := errors.New("connection reset")
	_, err := sheet.OpenReader(io.MultiReader(strings.NewReader(header+ana), iotest.ErrReader(broken)), sheet.Options{})
	if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "keeping the input: ") {
		t.Errorf("got %v, want the error of the stream", err)
	}
}

// A path that is not a regular file, such as a pipe, is read once and kept.
func TestAPathThatIsNoFileIsReadAsAStream(t *testing.T) {
	if _, err := sheet.Open(os.DevNull, sheet.Options{}); errorText(err) != "the file is empty" {
		t.Errorf("got %v, want an empty file", err)
	}
}

func TestFilesOfOtherKindsAreNamedByTheirFirstBytes(t *testing.T) {
	for start, kind := range map[string]string{
		"Rar!\x1a\x07": "a compressed file (rar)", "7z\xbc\xaf\x27\x1c": "a compressed file (7z)", "\x1f\x8b\x08": "a compressed file (gzip)",
		"\x89PNG\r\n\x1a\n": "a picture", "\xff\xd8\xff\xe0": "a picture", `{\rtf1\ansi`: "a text document (RTF)",
		`{"name":"Ana"}`: "a JSON document", "\ufeff\n {\"name\":1}": "a JSON document", "\n[{": "a JSON document",
		"<!DOCTYPE html>": "a web page (HTML)", "<?xml version=\"1.0\"?><rows>": "an XML document", "<TABLE>": "a web page (HTML)",
		strings.Repeat("a\x00b\x00\x00", 10): "a file of binary data",
	} {
		_, err := sheet.OpenReader(strings.NewReader(start), sheet.Options{})
		if want := "this is " + kind + ", not a table; save it as CSV or .xlsx"; errorText(err) != want {
			t.Errorf("%q: got %q, want %q", start, errorText(err), want)
		}
	}
	// Text that only begins like one of them is a table, even with a few zero bytes.
	for _, start := range []string{"<>;", "< cidade;", "<1>;", "[cidade];", "{cidade};", "PK;", "%;", strings.Repeat("x", 100) + "\x00;"} {
		wantRow(t, start+header+"y;"+ana, sheet.Options{}, "2 "+anaRow)
	}
}

package sheet_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ativa/internal/cpf"
	"ativa/internal/sheet"
)

func TestADocumentIsReadAsPeopleTypeIt(t *testing.T) {
	for text, want := range map[string]string{
		"52998224725": "52998224725", "529.982.247-25": "52998224725", "529.982.247/25": "52998224725",
		"529.982.247–25": "52998224725", "'52998224725": "52998224725", "00000000191": "00000000191",
		"\u00a0529 982 247 25\t": "52998224725",
		// Every digit must be there: missing ones are not restored.
		"191": "", "12345601": "", "52998224726": "", "11111111111": "", "12345678000195": "", "5,2998224725E+10": "", "Ana": "", "": "",
	} {
		got, err := sheet.Document(text)
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
}

func TestATrimmedRowIsNotWrittenBack(t *testing.T) {
	f, _, err := read(t, header+cell(3, "1")[len(header):], sheet.Options{})
	must(t, err)
	var b bytes.Buffer
	w := f.NewRejectedWriter(&b)
	for row, err := range f.Rows(t.Context()) {
		must(t, err)
		row.Trim()
		must(t, w.Write(row))
	}
	if err := w.Flush(); err != nil || b.Len() > 0 {
		t.Errorf("got %q, %v, want nothing", b.String(), err)
	}
}

// If there is no directory for temporary files, every use of one is an error.
func TestAMissingTemporaryDirectoryIsAnError(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the directory is found in another way")
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	if _, err := sheet.OpenReader(strings.NewReader(header+ana), sheet.Options{}); !os.IsNotExist(err) {
		t.Errorf("a stream: %v", err)
	}
	path := filepath.Join(t.TempDir(), "many.csv")
	var b strings.Builder
	for i := range 1<<18 + 1 {
		b.WriteString(string(cpf.WithCheckDigits(number(100_000_000+i))) + "\n")
	}
	must(t, os.WriteFile(path, []byte(b.String()), 0o600))
	f, err := sheet.Open(path, sheet.Options{Profile: sheet.Documents})
	must(t, err)
	defer f.Close()
	if _, err := f.Check(t.Context(), sheet.Catalog{}); err == nil || !strings.HasPrefix(err.Error(), "keeping the documents of the file: ") {
		t.Errorf("many documents: %v", err)
	}
}

func TestALongValueIsShownShortAndMappedWhole(t *testing.T) {
	long := strings.Repeat("combo ", 20) + "500"
	f, _, err := read(t, cell(7, long), sheet.Options{})
	must(t, err)
	s, err := f.Check(t.Context(), catalog())
	if err != nil || len(s.Values) != 1 {
		t.Fatal(s, err)
	}
	args := s.Values[0].First.Args
	if want := `"` + long[:59] + `…"`; args["value"] != want {
		t.Errorf("got %s, want %s", args["value"], want)
	}
	if want := "products:" + long; args["mapping"] != want {
		t.Errorf("got %s, want %s", args["mapping"], want)
	}
	if _, rows, err := read(t, cell(7, long), sheet.Options{Values: values(t, args["mapping"]+"=1")}); err != nil || rows[0] != "2 "+anaRow {
		t.Errorf("mapped by its whole value: %v, %v", rows, err)
	}
}

// A second check with other products finds the columns again and reports each notice once.
func TestAFileMayBeCheckedTwice(t *testing.T) {
	f, _, err := read(t, withColumns("Play Básico;Cidade", "x;Natal"), sheet.Options{})
	must(t, err)
	for _, want := range []struct {
		catalog  sheet.Catalog
		products int
		notices  string
	}{
		{sheet.Catalog{}, 0, sheet.NoticeUnknownColumn + " " + sheet.NoticeUnknownColumn},
		{catalog(), 1, sheet.NoticeProductColumn + " " + sheet.NoticeUnknownColumn},
	} {
		s, err := f.Check(t.Context(), want.catalog)
		if err != nil || s.Products != want.products {
			t.Errorf("%d products, %v, want %d", s.Products, err, want.products)
		}
		var codes []string
		for _, n := range f.Notices {
			codes = append(codes, n.Code)
		}
		if got := strings.Join(codes, " "); got != want.notices {
			t.Errorf("got %s, want %s", got, want.notices)
		}
	}
}

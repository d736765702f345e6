package sheet_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"ativa/internal/sheet"
)

func encoded(in encoding.Encoding, s string) string {
	out, err := in.NewEncoder().String(s)
	if err != nil {
		panic(err)
	}
	return out
}

func latin(s string) string { return encoded(charmap.Windows1252, s) }

func wide(s string, order unicode.Endianness) string {
	return encoded(unicode.UTF16(order, unicode.IgnoreBOM), s)
}

// A table reads the same in every encoding, with every delimiter and line end;
// TestWorkbooksAreReadLikeFiles reads workbooks.
func TestATableReadsTheSameInEveryForm(t *testing.T) {
	with := func(delimiter, newline string) string { // in place of · and ¶
		return strings.NewReplacer("·", delimiter, "¶", newline).Replace("Plano·Telefone·CPF·Nome·Observação·\"E-mail\"¶" +
			`"Fibra; ""500"", casa"·"11987654321"·52998224725·"Ana d'Ávila | Çelik"·"liga` + "\n" + `depois"·ana@example.com¶` +
			`"a|b, c;d"·1133334444·11144477735·"""Zé"", o 1º"··"ze@example.com"¶`)
	}
	want := []string{
		`ok Ana d'Ávila | Çelik|ana@example.com|52998224725|+5511987654321|38|Fibra; "500", casa|`,
		`ok "Zé", o 1º|ze@example.com|11144477735|+551133334444|38|a|b, c;d|`,
	}
	for name, content := range map[string]string{
		"utf-8, comma":                 with(",", "\n"),
		"utf-8 with mark, semicolon":   "\ufeff" + with(";", "\r\n"),
		"utf-8, pipe, CR":              with("|", "\r"),
		"sep= line":                    "sep=,\r\n" + with(",", "\r\n"),
		"blank lines between the rows": with(";", "\n\n"),
		"windows-1252":                 latin(with(";", "\r\n")),
		"utf-16le":                     wide("\ufeff"+with("\t", "\r\n"), unicode.LittleEndian),
		"utf-16be without mark":        wide(with(",", "\n"), unicode.BigEndian),
	} {
		_, rows, err := read(t, content, sheet.Options{})
		must(t, err)
		for i, row := range rows {
			_, rows[i], _ = strings.Cut(row, " ") // its line
		}
		if diff := cmp.Diff(rows, want); diff != "" {
			t.Errorf("%s (- got, + want):\n%s\n%q", name, diff, content)
		}
	}
}

func TestEveryEncodingIsFoundOrRefused(t *testing.T) {
	const old = "the accents are written in an encoding of old Macs or of DOS; save the file as CSV UTF-8 or .xlsx"
	const wider = "the file is written in UTF-32; save it as CSV UTF-8 or .xlsx"
	both := []string{"2 " + anaRow, "3 " + joaoRow}
	text := header + ana + joao
	late := header + strings.Repeat(ana, 2000) + joao
	lateRows := []string{"2 " + anaRow}
	for line := range 1999 {
		lateRows = append(lateRows, number(line+3)+" merged 2")
	}
	for name, content := range map[string]string{
		"UTF-8": text, "utf8": "\ufeff" + text, "cp1252": latin(text), "ANSI": latin(text), "ISO-8859-1": latin(text), "Latin-1": latin(text),
		"UTF-16": wide("\ufeff"+text, unicode.BigEndian), "utf-16le": wide(text, unicode.LittleEndian), "utf-16be": wide(text, unicode.BigEndian),
	} {
		runFiles(t, []fileCase{{name: "given as " + name, content: content, options: sheet.Options{Encoding: name}, want: both}})
	}
	runFiles(t, []fileCase{
		{name: "windows-1252 whose first accent comes after 100 kB", content: latin(late), want: append(lateRows, "2002 "+joaoRow)},
		{name: "Macintosh", content: encoded(charmap.Macintosh, text), err: old},
		{name: "Macintosh in capitals", content: encoded(charmap.Macintosh, header+strings.Replace(ana, "Ana", "JOÃO", 1)), err: old},
		{name: "DOS", content: encoded(charmap.CodePage850, text), err: old},
		{name: "Macintosh whose first accent comes after 100 kB", content: encoded(charmap.Macintosh, late), err: "line 2002: " + old},
		{name: "punctuation of Windows-1252", content: latin(header + strings.Replace(ana, "Ana", "D’Ávila – Lœwe™ Žižek", 1)),
			want: []string{"2 " + strings.Replace(anaRow, "Ana", "D’Ávila – Lœwe™ Žižek", 1)}},
		{name: "utf-16 with half a surrogate pair",
			content: wide("\ufeff"+header+"Ana", unicode.LittleEndian) + "\x00\xd8" + wide(strings.TrimPrefix(ana, "Ana"), unicode.LittleEndian),
			want:    []string{"2 1:unreadable_text"}},
		{name: "utf-32le with mark", content: encoded(utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), "\ufeff"+text), err: wider},
		{name: "utf-32be with mark", content: encoded(utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), "\ufeff"+text), err: wider},
		{name: "utf-32le without mark", content: encoded(utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), text), err: wider},
		{name: "utf-32be without mark", content: encoded(utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), text), err: wider},
		{name: "utf-16 cut in the middle of a character", content: wide("\ufeff"+text, unicode.LittleEndian) + "x",
			err: "the file ends in the middle of a character; it was not copied whole"},
		{name: "utf-8 mark and a byte that is not utf-8", content: "\ufeff" + header + strings.Replace(ana, "Ana", "\xc3na", 1),
			want: []string{"2 1:unreadable_text"}},
		{name: "utf-8 pasted into windows-1252", content: latin(header+joao) + strings.Replace(ana, "Ana", "Aná", 1),
			want: []string{"2 " + joaoRow, "3 0:mixed_encoding"}},
		{name: "wrong encoding given", content: latin(text), options: sheet.Options{Encoding: "utf-8"},
			want: []string{"2 " + anaRow, "3 1:unreadable_text"}},
		{name: "unknown encoding given", content: text, options: sheet.Options{Encoding: "ebcdic"},
			err: "the encoding ebcdic is not known; use utf-8, utf-16le, utf-16be or windows-1252"},
	})
}

func TestFilesWithoutATableAreRefused(t *testing.T) {
	runFiles(t, []fileCase{
		{name: "empty", content: "", err: "the file is empty"},
		{name: "nothing but blank lines", content: "\r\n\r\n  \n", err: "the file is empty"},
		{name: "only a mark", content: "\ufeff", err: "the file is empty"},
		{name: "header only", content: header, err: "the file has a header and no rows"},
		{name: "--sheet with a text file", content: header + ana, options: sheet.Options{Sheet: "Clientes"},
			err: "a text file has no sheet Clientes; leave out --sheet, or save the file as .xlsx"},
		{name: "broken zip", content: "PK\x03\x04garbage", err: "the workbook cannot be read (not a whole zip file); open it and save it again"},
	})
}

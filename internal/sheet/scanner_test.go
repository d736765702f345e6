package sheet_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/sheet"
)

const (
	maxRecord = 64 << 10      // bytes of a record
	readAhead = 3 * maxRecord // bytes of one read
)

// Wherever a read ends, even within a line end, every line keeps its number and its bytes, and a line
// that is too long is skipped whole.
func TestALineEndMayBeCutByTheEndOfABuffer(t *testing.T) {
	const wrong = "529982247;y"
	for _, end := range []string{"\n", "\r", "\r\n", "\r\r\n"} { // the last comes from a double conversion
		for cut := range len(end) + 1 { // this many bytes of the line end are still read
			head := "cpf;obs" + end
			room := readAhead - cut - len(head)
			good := end + "52998224725;" + strings.Repeat("x", 988)
			more := strings.Repeat(good, room/len(good)-1)
			short := "52998224725;" + strings.Repeat("x", room-len(more)-12) + more
			long := "11144477735;" + strings.Repeat("x", room-12)
			for _, lines := range []string{short, long} {
				content := head + lines + end + wrong + end + "12345678909;z" + end
				last := strings.Count(content, end)
				before, reported := number(last-2)+" merged 2", ""
				if last == 4 {
					before, reported = "2 0:record_too_long", long+";2;;record_too_long;the line is longer than 65536 bytes"+end
				}
				f, rows, err := read(t, content, sheet.Options{Profile: sheet.Documents})
				must(t, err)
				want := []string{before, number(last-1) + " 1:invalid_length", number(last) + " ok ||12345678909||0||"}
				if diff := cmp.Diff(rows[len(rows)-3:], want); diff != "" || len(rows) != last-1 {
					t.Errorf("%q cut after %d: got %d rows (- got, + want):\n%s", end, cut, len(rows), diff)
				}
				reported = "cpf;obs;" + errorHeader + end + reported + wrong + ";" + number(last-1) +
					`;cpf;invalid_length;"a CPF has 11 digits; this has 9"` + end
				if got := rejected(t, f); got != reported {
					t.Errorf("%q cut after %d: got %d bytes that end with %.150q", end, cut, len(got), got[max(0, len(got)-150):])
				}
			}
		}
	}
}

// The limit applies to a record, whatever line ends its cells have.
func TestARecordMayHaveSixtyFourKiB(t *testing.T) {
	const before = "52998224725;"
	for name, tt := range map[string]struct{ open, fill, close string }{
		"in a line":        {"", "x", ""},
		"in quotes":        {`"`, "x", `"`},
		"in several lines": {`"`, strings.Repeat("x", 98) + "\n", `"`},
		"in lines of CRLF": {`"`, strings.Repeat("x", 98) + "\r\n", `"`},
	} {
		for more, want := range map[int]string{-1: "ok ||52998224725||0||", 0: "ok ||52998224725||0||", 1: "0:record_too_long"} {
			for _, last := range []bool{false, true} {
				room := maxRecord + more - len(before+tt.open+tt.close)
				record := before + tt.open + strings.Repeat("y", room%len(tt.fill)) + strings.Repeat(tt.fill, room/len(tt.fill)) + tt.close
				content := "cpf;obs\n" + record
				if !last {
					content += "\n11144477735;\n"
				}
				_, rows, err := read(t, content, sheet.Options{Profile: sheet.Documents})
				if strings.Contains(tt.fill, "\n") && more > 0 { // read line by line then
					want = "2:unclosed_quote"
				}
				if err != nil || len(rows) == 0 || rows[0] != "2 "+want {
					t.Errorf("%s, %d bytes: got %.200q, %v, want %q", name, len(record), rows, err, want)
				}
			}
		}
	}
}

func number(n int) string { return strconv.Itoa(n) }

// Line ends and delimiters alone are tested by TestATableReadsTheSameInEveryForm.
func TestRecordsKeepTheirTrueLines(t *testing.T) {
	replace := strings.NewReplacer
	both := []string{"2 " + anaRow, "3 " + joaoRow}
	runFiles(t, []fileCase{
		{name: "mixed line ends", content: replace("\n", "\r\n").Replace(header) + replace("\n", "\r").Replace(ana) + joao, want: both},
		{name: "sep= line with an odd delimiter", content: "\"sep=^\"\n" + replace(";", "^").Replace(header+ana), want: []string{"3 " + anaRow}},
		{name: "blank lines and rows of delimiters", content: "\n" + header + "\n;;;;;;\n" + ana + "  \n;;;;;;\n", want: []string{"5 " + anaRow}},
		{name: "line break inside quotes of another column", content: "obs;" + header + "\"liga\r\ndepois\n\";" + ana + "x;" + joao,
			want: []string{"2 " + anaRow, "5 " + joaoRow}, notices: []string{sheet.NoticeUnknownColumn}},
		{name: "line break inside a name", content: header + "\"Ana\nSouza\"" + strings.TrimPrefix(ana, "Ana Souza") + joao,
			want: []string{"2 1:control_character", "4 " + joaoRow}},
		{name: "a quote inside a plain cell", content: header + `Ana "Nina" Souza` + strings.TrimPrefix(ana, "Ana Souza"),
			want: []string{`2 ` + strings.Replace(anaRow, "Ana Souza", `Ana "Nina" Souza`, 1)}},
		{name: "spaces or a byte order mark before a quote", content: header + ` "Ana Souza"; "ana@example.com"` + strings.TrimPrefix(ana, "Ana Souza;ana@example.com") +
			"\ufeff\"João Lima\"" + strings.Replace(strings.TrimPrefix(joao, "João Lima"), ";;;", `;; "Fibra; ""600""";`, 1),
			want: []string{"2 " + anaRow, "3 " + strings.Replace(joaoRow, "||", `|Fibra; "600"|`, 1)}},
		{name: "text behind a closing quote", content: header + `"Ana" Souza` + strings.TrimPrefix(ana, "Ana Souza") + joao,
			want: []string{"2 1:stray_quote", "3 " + joaoRow}},
		{name: "unclosed quote costs its own line only", content: header + ana + `"Rui` + strings.TrimPrefix(ana, "Ana Souza") + joao,
			want: []string{"2 " + anaRow, "3 1:unclosed_quote", "4 " + joaoRow}},
		{name: "unclosed quote that a later one seems to close", content: header + `"Rui` + strings.TrimPrefix(ana, "Ana Souza") + ana + `Zoe";` + joao,
			want: []string{"2 1:unclosed_quote", "3 " + anaRow, "4 2:invalid_email 3:invalid_characters 4:invalid_phone 5:unknown_internet_speed"}},
		{name: "unclosed quote that a later one closes at the end of its cell", content: "cpf;nome\n52998224725;\"Ana\n11144477735;Rui\n12345678909;Zoe\"\n", options: sheet.Options{Profile: sheet.Documents},
			want: []string{"2 2:unclosed_quote", "3 ok ||11144477735||0||", "4 ok ||12345678909||0||"}},
		{name: "unclosed quote over a very long rest", content: header + `"Rui` + strings.TrimPrefix(ana, "Ana Souza") + strings.Repeat("\n", 70<<10) + joao,
			want: []string{"2 1:unclosed_quote", number(3+70<<10) + " " + joaoRow}},
		{name: "empty columns behind the last", content: header + strings.Replace(ana, "\n", ";;;\n", 1), want: []string{"2 " + anaRow}},
		{name: "header repeated in the middle", content: header + ana + header + joao,
			want: []string{"2 " + anaRow, "3 0:repeated_header", "4 " + joaoRow}},
		{name: "a null byte in the middle", content: header + ana + strings.Replace(joao, "João", "Jo\x00ão", 1),
			want: []string{"2 " + anaRow, "3 1:control_character"}},
	})
}

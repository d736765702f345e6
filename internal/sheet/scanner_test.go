package sheet_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/sheet"
)

// lineEnds are the valid line ends; the last comes from a double conversion.
var lineEnds = []string{"\n", "\r", "\r\n", "\r\r\n"}

const (
	maxRecord = 64 << 10      // bytes of a record
	readAhead = 3 * maxRecord // bytes of one read
)

// Wherever a read ends, even within a line end, every line keeps its number and its bytes.
func TestALineEndMayBeCutByTheEndOfABuffer(t *testing.T) {
	good := "52998224725;" + strings.Repeat("x", 988)
	wrong := "529982247;" + strings.Repeat("y", 990)
	for _, end := range lineEnds {
		for cut := range len(end) + 1 { // this many bytes of the line end are still read
			header := "cpf;obs"
			fill := (readAhead - cut - len(header)) % (len(good) + len(end))
			header += strings.Repeat("o", fill)
			content := header + end
			for len(content) < readAhead {
				content += good + end
			}
			lines := strings.Count(content, end)
			content += wrong + end + good
			f, rows, err := read(t, content, sheet.Options{Profile: sheet.Documents})
			if err != nil || len(rows) != lines+1 {
				t.Fatalf("%q cut after %d: got %d rows, %v, want %d", end, cut, len(rows), err, lines+1)
			}
			want := []string{number(lines) + " merged 2", number(lines+1) + " 1:invalid_length", number(lines+2) + " merged 2"}
			if diff := cmp.Diff(rows[lines-2:], want); diff != "" {
				t.Errorf("%q cut after %d (- got, + want):\n%s", end, cut, diff)
			}
			if got := rejected(t, f); !strings.HasSuffix(got, wrong+";"+number(lines+1)+`;cpf;invalid_length;"a CPF has 11 digits; this has 9"`+end) {
				t.Errorf("%q cut after %d: got %.60q, want the wrong line as it stood", end, cut, got)
			}
		}
	}
}

// A line that is too long is skipped whole, even if a read cuts its end.
func TestTheEndOfAVeryLongLineMayBeCutByABuffer(t *testing.T) {
	for _, end := range lineEnds {
		for cut := range len(end) + 1 {
			head := "cpf;obs" + end + "52998224725;x" + end
			long := "11144477735;" + strings.Repeat("x", readAhead-cut-len(head)-len("11144477735;"))
			f, rows, err := read(t, head+long+end+"12345678909;y"+end, sheet.Options{Profile: sheet.Documents})
			want := []string{"2 ok ||52998224725||0||", "3 0:record_too_long", "4 ok ||12345678909||0||"}
			if diff := cmp.Diff(rows, want); err != nil || diff != "" {
				t.Errorf("%q cut after %d: %v (- got, + want):\n%s", end, cut, err, diff)
				continue
			}
			if got, want := rejected(t, f), "cpf;obs;"+errorHeader+end+long+";3;;record_too_long;the line is longer than 65536 bytes"+end; got != want {
				t.Errorf("%q cut after %d: got %d bytes that end with %.100q, want %d", end, cut, len(got), got[max(0, len(got)-100):], len(want))
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
	comma := replace(";", ",")
	both := []string{"2 " + anaRow, "3 " + joaoRow}
	runFiles(t, []fileCase{
		{name: "mixed line ends", content: replace("\n", "\r\n").Replace(header) + replace("\n", "\r").Replace(ana) + joao, want: both},
		{name: "doubled CR of a double conversion", content: strings.ReplaceAll(header+ana+joao, "\n", "\r\r\n"), want: both},
		{name: "no line end at the end", content: strings.TrimSuffix(header+ana+joao, "\n"), want: both},
		{name: "sep= line", content: "sep=;\r\n" + header + ana, want: []string{"3 " + anaRow}},
		{name: "sep= line with an odd delimiter", content: "\"sep=^\"\n" + replace(";", "^").Replace(header+ana), want: []string{"3 " + anaRow}},
		{name: "wrong delimiter given", content: header + ana, options: sheet.Options{Delimiter: ","},
			err: `line 1: the first line has no column name that is known (delimiter ,); add a header, or use --delimiter and --map name=COLUMN. Found: data`},
		{name: "semicolons in a comma file's cells", content: comma.Replace(header) + `Ana Souza,ana@example.com,52998224725,11987654321,100 Mega,"Fibra; 600, casa",1;3` + "\n",
			want: []string{"2 ok Ana Souza|ana@example.com|52998224725|+5511987654321|10|Fibra; 600, casa|1 3"}},
		{name: "blank lines and rows of delimiters", content: "\n" + header + "\n;;;;;;\n" + ana + "  \n;;;;;;\n", want: []string{"5 " + anaRow}},
		{name: "line break inside quotes of another column", content: "obs;" + header + "\"liga\r\ndepois\n\";" + ana + "x;" + joao,
			want: []string{"2 " + anaRow, "5 " + joaoRow}, notices: []string{sheet.NoticeUnknownColumn}},
		{name: "line break inside a name", content: header + "\"Ana\nSouza\"" + strings.TrimPrefix(ana, "Ana Souza") + joao,
			want: []string{"2 1:control_character", "4 " + joaoRow}},
		{name: "doubled quotes", content: header + `"Ana ""Nina"" Souza"` + strings.TrimPrefix(ana, "Ana Souza"),
			want: []string{`2 ` + strings.Replace(anaRow, "Ana Souza", `Ana "Nina" Souza`, 1)}},
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
		{name: "a cut last line", content: header + ana + "João Lima;joao@example.com;1114447",
			want: []string{"2 " + anaRow, "3 0:too_few_columns"}},
		{name: "a delimiter too many", content: header + strings.Replace(ana, "Fibra", "Fibra;600", 1) + joao,
			want: []string{"2 0:too_many_columns", "3 " + joaoRow}},
		{name: "empty columns behind the last", content: header + strings.Replace(ana, "\n", ";;;\n", 1), want: []string{"2 " + anaRow}},
		{name: "header repeated in the middle", content: header + ana + header + joao,
			want: []string{"2 " + anaRow, "3 0:repeated_header", "4 " + joaoRow}},
		{name: "a null byte in the middle", content: header + ana + strings.Replace(joao, "João", "Jo\x00ão", 1),
			want: []string{"2 " + anaRow, "3 1:control_character"}},
	})
}

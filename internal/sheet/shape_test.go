package sheet_test

import (
	"strconv"
	"strings"
	"testing"

	"ativa/internal/sheet"
)

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
			err: `line 1: the first line has no column name that is known (delimiter ,); add a header, or tell with --delimiter and --map name=COLUMN. Found: data`},
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
		{name: "text behind a closing quote", content: header + `"Ana" Souza` + strings.TrimPrefix(ana, "Ana Souza") + joao,
			want: []string{"2 1:stray_quote", "3 " + joaoRow}},
		{name: "unclosed quote costs its own line only", content: header + ana + `"Rui` + strings.TrimPrefix(ana, "Ana Souza") + joao,
			want: []string{"2 " + anaRow, "3 1:unclosed_quote", "4 " + joaoRow}},
		{name: "unclosed quote that a later one seems to close", content: header + `"Rui` + strings.TrimPrefix(ana, "Ana Souza") + ana + `Zoe";` + joao,
			want: []string{"2 1:unclosed_quote", "3 " + anaRow, "4 2:invalid_email 3:invalid_characters 4:invalid_phone 5:unknown_internet_speed"}},
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

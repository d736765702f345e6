package sheet_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ativa/internal/lang"
	"ativa/internal/sheet"
)

// columnCase is a file of one row of Ana with further columns, and its expected
// row.
type columnCase struct{ titles, cells, want string }

func runColumns(t *testing.T, o sheet.Options, cases []columnCase) {
	t.Helper()
	for _, tt := range cases {
		content := "nome;email;cpf;telefone;" + tt.titles + "\nAna;ana@example.com;52998224725;11987654321;" + tt.cells + "\n"
		_, rows, err := read(t, content, o)
		got := errorText(err)
		if len(rows) == 1 {
			_, got, _ = strings.Cut(rows[0], " ")
		}
		if want := strings.Replace(tt.want, "ANA", "Ana|ana@example.com|52998224725|+5511987654321", 1); got != want {
			t.Errorf("%s = %s: got %q, want %q", tt.titles, tt.cells, got, want)
		}
	}
}

func TestTheColumnNameDecidesTheMeaningOfASpeed(t *testing.T) {
	runColumns(t, sheet.Options{}, []columnCase{
		{"velocidade", "200", "ok ANA|20||"}, {"velocidade", "10", "5:ambiguous_internet_speed"}, {"velocidade", "999", "5:unknown_internet_speed"},
		{"internet_speed_id", "10", "ok ANA|10||"}, {"internet_speed_id", "10.0", "ok ANA|10||"}, {"internet_speed_id", "200", "5:unknown_internet_speed"},
		{"mega", "10", "ok ANA|1||"}, {"mega", "5", "ok ANA|37||"}, {"mega", "36", "5:unknown_internet_speed"},
		{"velocidade", "100", "ok ANA|10||"}, {"velocidade", "7", "5:ambiguous_internet_speed"},
	})
}

// Two concatenated files: the rows below the second header may have another order, so nothing of
// the file is sent.
func TestAnotherHeaderRefusesTheFile(t *testing.T) {
	titles := strings.Split(strings.TrimSuffix(header, "\n"), ";")
	slices.Reverse(titles)
	const bare = "nome;plano;telefone 2;email;cpf"
	for _, line := range []string{bare + ";cidade;bairro", bare + ";;", bare + ";cidade;bairro;cep", strings.Join(titles, ";"), strings.ToUpper(strings.Join(titles, ";")), "\ufeff" + strings.TrimSuffix(header, "\n"), "\ufeff\"" + strings.Join(titles, "\";\"") + "\""} {
		_, rows, err := read(t, header+ana+line+"\n"+ana, sheet.Options{})
		if p, ok := errors.AsType[*sheet.Problem](err); !ok || p.Code != sheet.CodeAnotherHeader || p.Line != 3 {
			t.Errorf("%q: got %q, %v, want that line 3 is another header", line, rows, err)
		}
	}
}

func TestTheDelimiterCanBeGiven(t *testing.T) {
	for typed, delimiter := range map[string]string{
		"tab": "\t", `\t`: "\t", "\t": "\t", "TAB": "\t", "^": "^", "~": "~", ":": ":",
	} {
		wantRow(t, strings.ReplaceAll(header+ana, ";", delimiter), sheet.Options{Delimiter: typed}, "2 "+anaRow)
	}
	for _, typed := range []string{"a", "Z", "5", `"`, " ", ";;", "é", "\n", "\x00"} {
		_, _, err := read(t, header+ana, sheet.Options{Delimiter: typed})
		if want := typed + " cannot be a delimiter; use ; , tab or |"; errorText(err) != want {
			t.Errorf("%q: got %q, want %q", typed, errorText(err), want)
		}
	}
}

func TestAProblemNamesItsPlace(t *testing.T) {
	for want, p := range map[string]sheet.Problem{
		"":                           {Code: sheet.CodeEmptyFile},
		"line 7":                     {Line: 7, Code: sheet.CodeTotalRow},
		"line 7, column 3":           {Line: 7, Column: 3, Code: sheet.CodeTooLong},
		"line 7, column 3 (O \"x\")": {Line: 7, Column: 3, Name: `O "x"`, Code: sheet.CodeTooLong},
	} {
		if got := p.PlaceText(lang.English); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if got := p.Error(); got != strings.TrimPrefix(want+": "+p.ReasonText(lang.English), ": ") {
			t.Errorf("error %q", got)
		}
	}
	p := sheet.Problem{Code: "odd_thing"}
	if got := p.ReasonText(lang.English); got != "odd thing" {
		t.Errorf("a code that is not known: %q", got)
	}
	for detail, want := range map[string]string{"not a whole zip file": "o arquivo não está inteiro", "XML syntax error on line 2": "uma parte dela está danificada"} {
		p := sheet.Problem{Code: sheet.CodeDamagedWorkbook, Args: map[string]string{"detail": detail}}
		if got := p.ReasonText(lang.Portuguese); !strings.Contains(got, "("+want+")") {
			t.Errorf("%s: got %q, want %q in it", detail, got, want)
		}
	}
	p.Refusal = "as the server says"
	if got := p.ReasonText(lang.English); got != "as the server says" {
		t.Errorf("with a detail: %q", got)
	}
}

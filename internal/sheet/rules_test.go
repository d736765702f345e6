package sheet_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ativa/internal/lang"
	"ativa/internal/sheet"
)

func TestTheColumnNameDecidesTheMeaningOfASpeed(t *testing.T) {
	const ambiguous, unknown = "2 5:ambiguous_internet_speed", "2 5:unknown_internet_speed"
	speed := func(id string) string { return strings.Replace(personRow, "|38|", "|"+id+"|", 1) }
	for column, values := range map[string]map[string]string{
		"velocidade":        {"200": speed("20"), "100": speed("10"), "10": ambiguous, "7": ambiguous, "999": unknown},
		"internet_speed_id": {"10": speed("10"), "10.0": speed("10"), "200": unknown},
		"mega":              {"10": speed("1"), "5": speed("37"), "36": unknown},
	} {
		for value, want := range values {
			wantRow(t, withColumns(column, value), sheet.Options{}, want)
		}
	}
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

package sheet_test

import (
	"errors"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/cpf"
	"ativa/internal/sheet"
)

// A typed telephone number is read like a cell.
func TestNotesAroundANumberAreTakenOff(t *testing.T) {
	for _, tt := range []struct{ text, want, code string }{
		{"(11) 98765-4321", "+5511987654321", ""},
		{"(0xx11) 98765-4321", "+5511987654321", ""},
		{"0 15 11 98765-4321", "+5511987654321", ""},
		{"01511987654321", "+5511987654321", ""},
		{"(11) 98765-4321 ramal 12", "+5511987654321", ""},
		{"1132654321 r. 12", "+551132654321", ""},
		{"(11) 98765-4321 (WhatsApp)", "+5511987654321", ""},
		{"[recado] 11987654321", "+5511987654321", ""},
		{"(11) 98765-4321 (WhatsApp) ramal 3", "+5511987654321", ""},
		{"'(11) 98765-4321", "+5511987654321", ""},
		{"ramal 12", "", cpf.CodeInvalidPhone},
		{"(WhatsApp)", "", cpf.CodeInvalidPhone},
		{"98765-4321 (11)x", "", cpf.CodeInvalidPhone},
		{"(11) 98765-4321 e 12", "", cpf.CodeInvalidPhone},
		{`="1133334444"`, "+551133334444", ""},
		{"11987654321\n1133334444", "+5511987654321", ""},
		{"1133334444.0", "+551133334444", ""},
		{"1192345678.0", "", cpf.CodeInvalidPhone}, // without the ninth digit: the 0 is not its last
		{"119234567.00", "", cpf.CodeMissingAreaCode},
		{"", "", api.CodeRequired},
		{"987654321", "", cpf.CodeMissingAreaCode},
		{"1,13E+9", "", sheet.CodeScientific},
	} {
		got, err := sheet.Phone(tt.text)
		if got != tt.want {
			t.Errorf("%q: got %q, %v, want %q", tt.text, got, err, tt.want)
		}
		p, ok := errors.AsType[*sheet.Problem](err)
		if ok != (tt.code != "") || ok && (p.Code != tt.code || p.Field != api.FieldPhone || p.Value != tt.text) {
			t.Errorf("%q: got %+v, want %s", tt.text, err, tt.code)
		}
	}
}

// Invisible characters are removed wherever they are; characters that form a sign with their
// neighbours stay.
func TestInvisibleCharactersAreNoPartOfAValue(t *testing.T) {
	for _, r := range "\u00ad\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff" {
		s := string(r)
		row := s + "Ana" + s + " Souza" + s + ";ana@" + s + "example.com;" + s + "529982" + s + "24725;(11)" + s + "98765-4321;100 Mega;Fib" + s + "ra;1\n"
		wantRow(t, header+row, sheet.Options{}, "2 "+anaRow)
	}
	for _, r := range []rune{'\u2029', '\u202f', '\u2065', '\u206a', '\u200c', '\u200d'} {
		value := "A" + string(r) + "na"
		wantRow(t, cell(1, value), sheet.Options{}, "2 "+strings.Replace(anaRow, "Ana Souza", value, 1))
	}
	for _, r := range "\u034f\u115f\u200b\u200c\u200d\u2061\u3164\ufe0f\U000e0041" { // a value of these alone is empty
		wantRow(t, cell(1, string(r)+" "+string(r)), sheet.Options{}, "2 1:required")
	}
}

// Another program's word for no value is an empty cell, and reported as a repair; so is an empty text
// that is written as a formula.
func TestAWordForNoValueIsAnEmptyCell(t *testing.T) {
	for _, word := range []string{"NULL", "null", `\N`, "(null)", "None", " NULL ", "nan", "NaN", "<NA>", `=""`} {
		for column, want := range map[int]string{
			1: "2 1:required", 2: "2 2:required", 3: "2 3:required", 4: "2 4:required",
			5: "2 " + strings.Replace(anaRow, "|10|", "|38|", 1), 6: "2 " + strings.Replace(anaRow, "|Fibra|", "||", 1), 7: "2 " + strings.TrimSuffix(anaRow, "1"),
		} {
			if word != `=""` {
				want += " [no_value]"
			}
			wantRow(t, cell(column, word), sheet.Options{}, want)
		}
	}
	wantRow(t, withColumns("status;Play Básico;celular", `="";="";=""`), sheet.Options{}, personRow)
	wantRow(t, withColumns("status", "NULL"), sheet.Options{}, "2 5:unknown_status") // it may mean that there is no service
}

// Spreadsheet texts for failed formulas, in both languages, are refused in every column; damaged text
// in those that may hold any text.
func TestErrorsOfSpreadsheetsAreRefusedInEveryColumn(t *testing.T) {
	texts, documents := []int{1, 2, 6}, []int{1, 2, 3, 6}
	for _, tt := range []struct {
		code    string
		columns []int
		values  []string
	}{
		{sheet.CodeFormulaError, []int{1, 2, 3, 4, 5, 6, 7}, []string{"#N/A", "#N/D", "#REF!", "#NOME?", "#NÚM!", "#n/d", "#VALOR!", "##", "#ERROR!", "#ERRO!", "#SPILL!", "#DESPEJAR!",
			"#CALC!", "#FIELD!", "#GETTING_DATA", "Err:502", "Loading...", "Carregando...", "Carregando…", "####"}},
		{sheet.CodeControlCharacter, documents, []string{"a\tb@example.com", "a\x7fb@example.com", "Ana\u0085Souza"}},
		{sheet.CodeGarbledText, texts, []string{"JoÃ£o", "NÂº 1", "JOÃƒO", "CONCEIÃ‡ÃƒO", "JOSÃ‰", "ANTÃ”NIO"}},
		{sheet.CodeUnreadableText, texts, []string{"Jo\ufffdo"}},
	} {
		for _, value := range tt.values {
			for _, column := range tt.columns {
				wantRow(t, cell(column, value), sheet.Options{}, "2 "+number(column)+":"+tt.code)
			}
		}
	}
	for column := 1; column <= 7; column++ { // as a system writes it that writes every cell as a formula
		_, rows, err := read(t, cell(column, `="#N/D"`), sheet.Options{})
		if want := "2 " + number(column) + ":" + sheet.CodeFormulaError; err != nil || len(rows) != 1 || strings.TrimSuffix(rows[0], " [text_formula]") != want {
			t.Errorf("a formula, column %d: got %q, %v, want %q", column, rows, err, want)
		}
	}
	for _, fine := range []string{"#", "# 1", "#N/A Souza", "#1 Fibra!", "Errol", "Loading Dock", "Carregando Peso", "Ãngela", "Ângela Ã"} {
		wantRow(t, cell(1, fine), sheet.Options{}, "2 "+strings.Replace(anaRow, "Ana Souza", fine, 1))
	}
}

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

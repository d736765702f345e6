package cmd

import (
	"ativa/internal/lang"
	"strings"
	"testing"
	"time"
)

// A file of tokens is read as saved by Excel in Brazil; a workbook is refused with a remedy.
func TestAFileOfTokensIsReadAsExcelSavesIt(t *testing.T) {
	for content, want := range map[string]string{"nome;permissões\r\nJoão;read manage\r\n": "João", "nome;permiss\xf5es\r\nJo\xe3o;read manage\r\n": "João", "PK\x03\x04": ""} {
		rows, problems, err := parseTokensFile("atendentes.csv", []byte(content), time.Now())
		switch {
		case want == "":
			if err == nil || !strings.Contains(err.Error(), "save it as CSV") {
				t.Errorf("%q: got %v", content, err)
			}
		case err != nil || len(problems) > 0 || len(rows) != 1 || rows[0].Name != want || len(rows[0].Scopes) != 2:
			t.Errorf("%q: got %+v, %v, %v", content, rows, problems, err)
		}
	}
}

// A problem names its line of the file, also below a blank line and a cell of two lines.
func TestAProblemOfAFileOfTokensNamesItsLine(t *testing.T) {
	rows, problems, err := parseTokensFile("atendentes.csv", []byte("nome;expires\n\n\"Ana\nSouza\";\nBia;amanhã\n"), time.Now())
	if err != nil || len(rows) != 2 || rows[0].line != 3 || rows[1].line != 5 || len(problems) != 1 || !strings.HasPrefix(problems[0].Text(lang.English), "line 5: ") {
		t.Errorf("got %+v, %v, %v", rows, problems, err)
	}
}

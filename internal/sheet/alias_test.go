package sheet_test

import (
	"strings"
	"testing"

	"ativa/internal/sheet"
	"ativa/internal/sheet/columns"
)

func TestEveryAliasMeansItsField(t *testing.T) {
	for _, a := range columns.Aliases() {
		for _, name := range a.Names {
			for _, written := range []string{name, strings.ToUpper(name), strings.ReplaceAll(name, " ", "_"), " " + name + ": "} {
				m, err := sheet.ParseMapping(written + "=1")
				if err != nil || m.Field != a.Field {
					t.Errorf("%q means %q, %v; want %q", written, m.Field, err, a.Field)
				}
			}
		}
	}
}

func TestEveryMessageIsPlain(t *testing.T) {
	for code, text := range sheet.Messages() {
		if code == "" || text == "" || strings.HasSuffix(text, ".") || strings.Contains(text, "%") && code != sheet.CodeSwappedColumns {
			t.Errorf("%s: %q", code, text)
		}
	}
}

package sheet_test

import (
	"strings"
	"testing"

	"ativa/internal/sheet"
	"ativa/internal/sheet/columns"
)

func TestEveryAliasMeansItsField(t *testing.T) {
	index := columns.NewIndex()
	for _, a := range columns.Aliases() {
		for _, name := range a.Names {
			for _, written := range []string{name, strings.ToUpper(name), strings.ReplaceAll(name, " ", "_"), " " + name + ": "} {
				if got := index.Find(written); got == nil || got.Field != a.Field {
					t.Errorf("%q means %+v, want %q", written, got, a.Field)
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

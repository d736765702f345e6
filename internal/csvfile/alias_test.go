package csvfile_test

import (
	"strings"
	"testing"

	"ativa/internal/csvfile"
	"ativa/internal/csvfile/columns"
)

func TestEveryAliasMeansItsField(t *testing.T) {
	for _, a := range columns.Aliases() {
		for _, name := range a.Names {
			for _, written := range []string{name, strings.ToUpper(name), strings.ReplaceAll(name, " ", "_"), " " + name + ": "} {
				m, err := csvfile.ParseMapping(written + "=1")
				if err != nil || m.Field != a.Field {
					t.Errorf("%q means %q, %v; want %q", written, m.Field, err, a.Field)
				}
			}
		}
	}
}

func TestEveryMessageIsPlain(t *testing.T) {
	for code, text := range csvfile.Messages() {
		if code == "" || text == "" || strings.HasSuffix(text, ".") || strings.Contains(text, "%") && code != csvfile.CodeSwappedColumns {
			t.Errorf("%s: %q", code, text)
		}
	}
}

package render_test

import (
	"bytes"
	"strings"
	"testing"

	"ativa/internal/render"
)

func TestCardsAreWholeInTablesAndRowsElsewhere(t *testing.T) {
	rows := []person{{Name: "Zoé " + strings.Repeat("long ", 40), Document: "52998224725"}, {Name: "Ana\x1b[31m", Document: "11144477735"}}
	cards := func(o render.Options) string {
		var out bytes.Buffer
		if err := printer(t, &out, o).Cards(t.Context(), []byte(`{"whole":true}`), rows); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	got := cards(render.Options{Format: render.FormatTable, Screen: screen(), Columns: []string{"document", "name"}, Sort: "name"})
	want := "CPF   ***.444.777-**\nNome  Ana\\x1b[31m\n\nCPF   ***.982.247-**\nNome  Zoé " + strings.Repeat("long ", 40) + "\n"
	if got != want {
		t.Errorf("table: got %q, want %q", got, want)
	}
	if got := cards(render.Options{Format: render.FormatJSON}); got != "{\"whole\":true}\n" {
		t.Errorf("json: got %q, want the whole answer", got)
	}
	if got := cards(render.Options{Format: render.FormatTSV, Columns: []string{"document"}}); got != "document\n52998224725\n11144477735\n" {
		t.Errorf("tsv: got %q, want a row each", got)
	}
}

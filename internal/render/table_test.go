package render_test

import (
	"strings"
	"testing"

	"ativa/internal/render"
)

// Each line of a followed list has its columns where earlier lines have them, whatever its
// content; if the screen is too narrow, the least important columns are left out, but no row is a
// card.
func TestAFollowedListKeepsItsColumns(t *testing.T) {
	s := personSchema()
	for i, usual := range map[int]int{0: 14, 1: 12, 2: 17, 3: 5} {
		s.Columns[i].Usual = usual
	}
	s.Columns[1].Priority = -1
	for width, want := range map[int]string{
		60: "CPF             NOME          STATUS             SPEED\n***.982.247-**  João da Sil…  active                10",
		50: "CPF             STATUS             SPEED\n***.982.247-**  active                10",
		20: "CPF\n***.982.247-**",
	} {
		rows := people()
		rows[2].Status, rows[2].Speed = "waitingSuspensionDueToOverdue", 1
		out := listOf(t, render.Options{Live: true, Screen: screenOf(width, 24)}, s, rows)
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if got := strings.Join(lines[:2], "\n"); got != want {
			t.Errorf("%d columns: got\n%s\nwant\n%s", width, got, want)
		}
		for _, line := range lines[1:] {
			if !strings.HasPrefix(line[len("***.982.247-**"):]+"  ", "  ") || len(lines) != 1+len(rows) {
				t.Errorf("%d columns: got\n%s", width, out)
			}
		}
	}
}

func TestDocumentsAreMaskedInTablesAndNowhereElse(t *testing.T) {
	const plain, mask = "52998224725", "***.982.247-**"
	for _, document := range []string{plain, "529.982.247-25"} {
		rows := []person{newPerson(document, "Ana", "active", 1)}
		for _, o := range []render.Options{{Screen: screen()}, {Format: render.FormatTable},
			{Screen: screenOf(80, 2)}} {
			if got := list(t, o, rows); !strings.Contains(got, mask) || strings.Contains(got, document) {
				t.Errorf("%+v: got %s", o, got)
			}
			o.ShowDocuments = true
			if got := list(t, o, rows); !strings.Contains(got, document) {
				t.Errorf("%+v: got %s", o, got)
			}
		}
		for _, format := range render.Formats()[1:] {
			if got := list(t, render.Options{Format: format, Screen: screen()}, rows); !strings.Contains(got, document) {
				t.Errorf("%s: got a masked document: %s", format, got)
			}
		}
	}
	odd := list(t, render.Options{Format: render.FormatTable, NoHeader: true}, []person{newPerson("1234", "Ana", "active", 1)})
	if strings.Contains(odd, "1234") {
		t.Errorf("got an odd document unmasked: %s", odd)
	}
}

func TestAStatusHasTheColourOfItsMeaning(t *testing.T) {
	o := render.Options{Columns: []string{"status"}, Screen: render.Screen{Terminal: true, Width: 80, Height: 24, Colour: true}}
	for status, want := range map[string]string{
		"active": "\x1b[32m", "suspend": "\x1b[33m", "overdue": "\x1b[33m", "canceled": "\x1b[90m",
		"error": "\x1b[31m", "failed": "\x1b[31m", "waitingSuspension": "\x1b[36m", "unheardOf": "",
	} {
		got := list(t, o, []person{{Status: status}})
		if !strings.Contains(got, want+status) || want == "" && strings.Contains(got, "m"+status) {
			t.Errorf("%s: got %q, want it after %q", status, got, want)
		}
	}
}

func cards(t *testing.T, o render.Options, rows []person) string {
	t.Helper()
	return printed(t, o, personSchema(), func(p *render.Printer[person]) error {
		return p.Cards(t.Context(), []byte(`{"whole":true}`), rows)
	})
}

// A card breaks a list between its parts, so that a command is copied whole.
func TestCardsAreWholeInTablesAndRowsElsewhere(t *testing.T) {
	commands := []person{{Name: "ativa provision suspend --product play DOC; ativa provision change DOC --from play --to premium"}}
	parts := "Nome  ativa provision suspend --product play DOC;\n      ativa provision change DOC --from play --to premium\n"
	if got := cards(t, render.Options{Screen: screen(), Columns: []string{"name"}}, commands); got != parts {
		t.Errorf("a list: got %q, want %q", got, parts)
	}
	rows := []person{{Name: "Zoé " + strings.Repeat("long ", 40), Document: "52998224725"}, {Name: "Ana\x1b[31m", Document: "11144477735"}}
	got := cards(t, render.Options{Format: render.FormatTable, Screen: screen(), Columns: []string{"document", "name"}, Sort: "name"}, rows)
	want := "CPF   ***.444.777-**\nNome  Ana\\x1b[31m\n\nCPF   ***.982.247-**\nNome  Zoé" + strings.Repeat(" long", 14) + "\n" +
		"     " + strings.Repeat(" long", 15) + "\n     " + strings.Repeat(" long", 11) + " \n"
	if got != want {
		t.Errorf("table: got %q, want %q", got, want)
	}
	if got := cards(t, render.Options{Format: render.FormatJSON}, rows); got != "{\"whole\":true}\n" {
		t.Errorf("json: got %q, want the whole answer", got)
	}
	if got := cards(t, render.Options{Format: render.FormatTSV, Columns: []string{"document"}}, rows); got != "document\n52998224725\n11144477735\n" {
		t.Errorf("tsv: got %q, want a row each", got)
	}
}

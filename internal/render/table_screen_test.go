package render_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mattn/go-runewidth"
	"pgregory.net/rapid"

	"ativa/internal/render"
)

// record is a row of its cells' texts.
type record []string

// recordSchema has a column for each kind.
func recordSchema(titles []string, kinds []render.Kind) render.Schema[record] {
	s := render.Schema[record]{One: "record", Many: "records"}
	for i, kind := range kinds {
		s.Columns = append(s.Columns, render.Column[record]{Name: fmt.Sprint("c", i), Title: titles[i], Kind: kind,
			Value: func(r record) string { return r[i] }})
	}
	return s
}

// subscriberSchema has the columns of subscribers with the titles.
func subscriberSchema(titles []string) render.Schema[record] {
	kinds := []render.Kind{render.Document, render.Text, render.Text, render.Phone, render.Text, render.Statuses, render.Time, render.Path}
	s := recordSchema(titles, kinds)
	s.Columns[1].Min, s.Columns[1].Usual, s.Columns[1].Priority = 16, 24, 1
	s.Columns[2].Priority, s.Columns[4].Priority = -1, -2
	s.Columns[5].Priority, s.Columns[5].Usual = 2, 48
	return s
}

// TestScreens holds the exact screens of subscribers whose texts are hard to show,
// at four widths, and some in Portuguese or with chosen columns.
func TestScreens(t *testing.T) {
	rows := []record{
		{"52998224725", "Ana Souza", "ana@example.com.br", "+5511987654321", "", "play-basic: active, musica: waitingSuspension", "2026-11-22T13:02:00.000000Z", "/home/ana/assinantes/2026/novembro.csv"},
		{"11144477735", "João Pedro da Silva Albuquerque Cavalcanti", "joao.pedro.cavalcanti@provedor.example.com.br", "+551133334444", "", "play-basic: waitingSuspensionDueToOverdue", "2026-11-21T21:40:00.000000Z", "a.csv"},
		{"39053344705", "李小龍 👩‍👩‍👧 🇧🇷", "e\u0301\u0302@example.com", "", "", "", "2026-11-19T12:00:00.000000Z", "b.csv"},
		{"15350946056", "שלום עולם", "\x1b[31mred\u202e@example.com", "", "", "x: unheardOf", "2026-11-02T12:00:00.000000Z", "c\n.csv"},
	}
	english := []string{"document", "name", "e-mail", "phone", "plan", "services", "since", "file"}
	portuguese := []string{"documento", "nome", "e-mail", "telefone", "plano", "serviços", "desde", "arquivo"}
	words := map[string]string{"active": "ativo", "waitingSuspension": "em suspensão", "waitingSuspensionDueToOverdue": "em suspensão por inadimplência"}
	for _, c := range []struct {
		name    string
		width   int
		titles  []string
		columns []string
	}{
		{"en_60_all", 60, english, nil}, {"en_80_all", 80, english, nil}, {"en_100_all", 100, english, nil}, {"en_120_all", 120, english, nil},
		{"en_80_few", 80, english, []string{"c0", "c1", "c5"}}, {"en_80_plan", 80, english, []string{"c0", "c4"}},
		{"pt_80_all", 80, portuguese, nil},
	} {
		o := render.Options{Screen: screenOf(c.width, 40), Columns: c.columns, TimeText: func(at time.Time) string { return at.Format("Mon 15:04") }}
		if c.titles[0] == "documento" {
			o.TranslateWord = func(_ render.Kind, word string) string { return cmp.Or(words[word], word) }
		}
		golden(t, "screen_"+c.name+".txt", listOf(t, o, subscriberSchema(c.titles), rows))
	}
}

// Of the columns of the lowest priority the widest is narrowed first; a telephone number is whole as
// long as a text can be narrowed, and a title as long as a cell can be.
func TestColumnsAreNarrowedInTheirOrder(t *testing.T) {
	for _, c := range []struct {
		second             render.Column[record]
		kind               render.Kind // of the third
		name, other, shown string
	}{
		{render.Column[record]{}, render.Text, strings.Repeat("n", 20), strings.Repeat("o", 40), strings.Repeat("n", 20) + "  " + strings.Repeat("o", 21) + "…"},
		{render.Column[record]{Usual: 40, Priority: 1}, render.Phone, strings.Repeat("n", 40), "+5511987654321", strings.Repeat("n", 27) + "…  +5511987654321"},
		{render.Column[record]{Min: 50, Priority: 1}, render.Phone, strings.Repeat("n", 50), "+5511987654321", "TELEPHONE"},
	} {
		s := recordSchema([]string{"document", "name", "telephone"}, []render.Kind{render.Document, render.Text, c.kind})
		s.Columns[1].Min, s.Columns[1].Usual, s.Columns[1].Priority = c.second.Min, c.second.Usual, c.second.Priority
		o := render.Options{Screen: screenOf(60, 24), Columns: []string{"c0", "c1", "c2"}}
		if got := listOf(t, o, s, []record{{"52998224725", c.name, c.other}}); !strings.Contains(got, c.shown) {
			t.Errorf("%+v: got %s, want %s in it", c, got, c.shown)
		}
	}
}

// On any terminal no line is wider than the screen; from 60 columns on a row takes one line,
// unless it is the only one and has a sentence; a sentence is whole or its column is reported
// as cut; each column is shown, reported as left out, or empty; and no requested column is
// left out. A narrower terminal shows everything whole except texts, sentences and
// paths.
func TestEveryTableFitsItsScreen(t *testing.T) {
	whole := []render.Kind{render.Document, render.Number, render.Status, render.Statuses, render.Word, render.Phone}
	cells := (&runewidth.Condition{StrictEmojiNeutral: true}).StringWidth
	letters := rapid.SampledFrom([]rune("abcçéñ李龍ש")) // of one to three bytes, one or two cells wide
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(1, 9).Draw(t, "columns")
		kinds := []render.Kind{render.Document} // the first identifies a row
		titles, asked := []string{"t0"}, []string{"c0"}
		for i := 1; i < count; i++ {
			kinds = append(kinds, rapid.SampledFrom(slices.Concat(whole, []render.Kind{render.Text, render.Path, render.Prose})).Draw(t, "kind"))
			title := fmt.Sprint("t", i) + strings.Repeat("x", rapid.SampledFrom([]int{0, 14}).Draw(t, "title"))
			titles, asked = append(titles, title), append(asked, fmt.Sprint("c", i))
		}
		rows := make([]record, rapid.IntRange(1, 6).Draw(t, "rows"))
		for n := range rows {
			for _, kind := range kinds {
				cell := strings.Join(rapid.SliceOfN(rapid.StringOfN(letters, 0, rapid.SampledFrom([]int{3, 12, 40}).Draw(t, "most"), -1), 0, 4).Draw(t, "cell"), " ")
				if kind == render.Document {
					cell = "52998224725"
				}
				rows[n] = append(rows[n], cell)
			}
		}
		var leftOut, cut []string
		o := render.Options{ShowDocuments: true, OnCut: func(titles []string) { cut = append(cut, titles...) }, OnLeftOut: func(titles []string) { leftOut = append(leftOut, titles...) }, Screen: render.Screen{Terminal: true,
			Width: rapid.IntRange(20, 200).Draw(t, "width"), Height: rapid.IntRange(2, 40).Draw(t, "height")}}
		if rapid.Bool().Draw(t, "ask") {
			o.Columns = asked
		}
		got := listOf(t, o, recordSchema(titles, kinds), rows)
		for line := range strings.Lines(got) {
			if w := cells(strings.TrimSuffix(line, "\n")); w > o.Screen.Width {
				t.Fatalf("got %d cells, want at most %d: %s\n%s", w, o.Screen.Width, line, got)
			}
		}
		const minTable = 60
		table := o.Screen.Width >= minTable
		for i, kind := range kinds {
			begin := titles[i][:2]
			shown := strings.Contains(got, begin) || strings.Contains(got, strings.ToUpper(begin))
			reported := slices.Contains(leftOut, titles[i])
			empty := !slices.ContainsFunc(rows, func(r record) bool { return r[i] != "" })
			if shown == reported && !empty || reported && (o.Columns != nil || !table || i == 0) || !shown && o.Columns != nil {
				t.Fatalf("column %s is shown: %t, reported as left out: %t:\n%s", titles[i], shown, reported, got)
			}
			for _, r := range rows {
				if shown && slices.Contains(whole, kind) && !table && !holdsLetters(got, r[i]) {
					t.Fatalf("%q is not whole:\n%s", r[i], got)
				}
				if shown && kind == render.Prose && !holdsLetters(got, r[i]) && (len(rows) == 1 || !slices.Contains(cut, titles[i])) {
					t.Fatalf("%q is cut, and columns reported as cut: %q:\n%s", r[i], cut, got)
				}
			}
		}
		if lines := strings.Count(got, "\n"); table && len(rows) > 1 && lines != len(rows)+1 {
			t.Fatalf("got %d lines for %d rows:\n%s", lines, len(rows), got)
		}
	})
}

// holdsLetters reports whether the screen has the letters of a text in order, whatever is
// between its lines.
func holdsLetters(screen, text string) bool {
	rest := []rune(screen)
	for _, r := range text {
		if r == ' ' {
			continue
		}
		at := slices.Index(rest, r)
		if at < 0 {
			return false
		}
		rest = rest[at+1:]
	}
	return true
}

// Lists of a schema with two columns: a column that is empty is left out on a terminal unless
// --columns names it; the order of a schema is that of a table on a terminal, unless --sort says
// otherwise; the format name writes the schema's Name column, else the first, and with --columns the
// first named one.
func TestListsFollowTheSchema(t *testing.T) {
	half, whole := []record{{"x", ""}, {"y", ""}}, []record{{"Zoé", "1"}, {"ana", "3"}, {"Élio", "2"}}
	both := []string{"c0", "c1"}
	for _, c := range []struct {
		o           render.Options
		rows        []record
		order, name string // of the schema
		want        string
	}{
		{render.Options{Screen: screen()}, half, "", "", "A\nx\ny\n"},
		{render.Options{Screen: screen(), Columns: both}, half, "", "", "A  B\nx\ny\n"},
		{render.Options{}, half, "", "", "c0\tc1\nx\t\ny\t\n"},
		{render.Options{Format: render.FormatTable}, half, "", "", "a  b\nx\ny\n"},
		{render.Options{Screen: screen()}, whole, "c0", "", "A     B\nana   3\nÉlio  2\nZoé   1\n"},
		{render.Options{Screen: screen(), Sort: "c1"}, whole, "c0", "", "A     B\nZoé   1\nÉlio  2\nana   3\n"},
		{render.Options{}, whole, "c0", "", "c0\tc1\nZoé\t1\nana\t3\nÉlio\t2\n"},
		{render.Options{Format: render.FormatName}, whole, "", "", "Zoé\nana\nÉlio\n"},
		{render.Options{Format: render.FormatName}, whole, "", "c1", "1\n3\n2\n"},
		{render.Options{Format: render.FormatName, Columns: both}, whole, "", "c1", "Zoé\nana\nÉlio\n"},
	} {
		s := recordSchema([]string{"a", "b"}, []render.Kind{render.Text, render.Number})
		s.Order, s.Name = c.order, c.name
		if got := listOf(t, c.o, s, c.rows); got != c.want {
			t.Errorf("%+v, order %q, name %q: got %q, want %q", c.o, c.order, c.name, got, c.want)
		}
	}
}

// A column that is empty at first and filled later begins a new section: no content is left out,
// however long the list. Without a new section later rows are aligned with earlier ones.
func TestALongListKeepsItsColumnsOrBeginsASection(t *testing.T) {
	s := recordSchema([]string{"a", "b"}, []render.Kind{render.Text, render.Text})
	o := render.Options{Screen: screenOf(80, 400)}
	late := append(slices.Repeat([]record{{"x", ""}}, 299), record{"x", "late"})
	if got := listOf(t, o, s, late); !strings.HasPrefix(got, "A\nx\n") || !strings.Contains(got, "x\n\nA  B\nx\n") || !strings.HasSuffix(got, "x  late\n") {
		t.Errorf("filled late: got %q", got)
	}
	wide := append([]record{{"wide", "b"}}, slices.Repeat([]record{{"x", "b"}}, 299)...)
	if got := listOf(t, o, s, wide); strings.Count(got, "\nx     b") != 299 {
		t.Errorf("wide at first: got %q", got)
	}
}

// OnEmpty is called once for an empty list in every format; a terminal prints nothing.
func TestAnEmptyListIsReported(t *testing.T) {
	for _, format := range render.Formats() {
		reported := 0
		o := render.Options{Format: format, Screen: screen(), OnEmpty: func() { reported++ }}
		got := list(t, o, nil)
		if reported != 1 || format == render.FormatTable && got != "" {
			t.Errorf("%s: got %d calls of OnEmpty, want 1; printed %q", format, reported, got)
		}
		if list(t, o, people()); reported != 1 {
			t.Errorf("%s: OnEmpty called for a list with rows", format)
		}
	}
}

// A limit ends a list of any format after that many rows and calls OnMore only if there are
// more; First limits a whole document, too.
func TestALimitEndsAList(t *testing.T) {
	s := recordSchema([]string{"a"}, []render.Kind{render.Text})
	s.JSON = func(r record) json.RawMessage { return json.RawMessage(strconv.Quote(r[0])) }
	rows := []record{{"one"}, {"two"}, {"three"}}
	printed(t, render.Options{Format: render.FormatJSON, Limit: 2, Sort: "a:desc"}, s, func(p *render.Printer[record]) error {
		if got := p.First(rows); len(got) != 2 || got[0][0] != "two" || got[1][0] != "three" {
			t.Errorf("sorted: got %v, want two and three", got)
		}
		return nil
	})
	for _, format := range render.Formats() {
		for limit, shown := range map[int]int{0: 3, 2: 2, 3: 3, 4: 3} {
			more := 0
			got := printed(t, render.Options{Format: format, Limit: limit, OnMore: func() { more++ }}, s, func(p *render.Printer[record]) error {
				document, err := json.Marshal(p.First(rows))
				must(t, err)
				return p.Results(t.Context(), document, rows)
			})
			for n, row := range rows {
				if isShown := strings.Contains(got, row[0]); isShown != (n < shown) {
					t.Errorf("%s, limit %d: row %d is shown: %t\n%s", format, limit, n, isShown, got)
				}
			}
			if wanted := min(1, 3-shown); more != wanted {
				t.Errorf("%s, limit %d: got %d calls of OnMore, want %d", format, limit, more, wanted)
			}
		}
	}
}

package invoice_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/api"
	"ativa/internal/invoice"
	"ativa/internal/sheet"
)

const (
	ana  = "52998224725"
	joao = "11144477735"
	bia  = "39053344705"
)

func catalog() sheet.Catalog {
	return sheet.Catalog{Products: []api.Product{
		{ID: 1, Code: "play-basic", Name: "Play Básico", Active: true},
		{ID: 2, Code: "musica", Name: "Música Mais", Active: false},
	}}
}

// read bills all lines of a file.
func read(t *testing.T, content string) *invoice.Comparison {
	t.Helper()
	f, err := sheet.OpenReader(strings.NewReader(content), sheet.Options{Profile: sheet.Invoice})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Check(t.Context(), catalog()); err != nil {
		t.Fatal(err)
	}
	c := invoice.New()
	for row, err := range f.Rows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		c.Bill(row)
	}
	return c
}

func token(document string, product api.Int, days api.Int) api.TokenUsage {
	return api.TokenUsage{Document: api.NullableString(document), ProductID: product, EnabledDays: days}
}

// short writes a difference as `kind document product billed/enabled line reason`.
func short(d invoice.Difference) string {
	days := func(n *int) string {
		if n == nil {
			return "-"
		}
		return fmt.Sprint(*n)
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %d %s/%s %d %s", d.Kind, d.Document, d.ProductID, days(d.BilledDays), days(d.EnabledDays), d.Line, d.Reason))
}

type comparison struct {
	name, file string
	enabled    []api.TokenUsage
	unknown    []string
	incomplete bool
	want       []string
	matched    int
}

// know tells the comparison that the service has every subscriber but some.
func know(c *invoice.Comparison, unknown ...string) {
	if !c.Unconfirmed() {
		return
	}
	for _, document := range []string{ana, joao, bia} {
		if !slices.Contains(unknown, document) {
			c.Known(document)
		}
	}
}

func compare(t *testing.T, tests []comparison) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := read(t, tt.file)
			for _, u := range tt.enabled {
				c.Enabled(u)
			}
			know(c, tt.unknown...)
			all, sum := c.Differences(!tt.incomplete)
			var got []string
			for _, d := range all {
				got = append(got, short(d))
			}
			if diff := cmp.Diff(got, tt.want); diff != "" {
				t.Errorf("differences (- got, + want):\n%s", diff)
			}
			if sum.Matched != tt.matched || sum.Differences() != len(tt.want) {
				t.Errorf("%d match and %d differ, want %d and %d", sum.Matched, sum.Differences(), tt.matched, len(tt.want))
			}
		})
	}
}

func TestLinesAreComparedWithWhatWasEnabled(t *testing.T) {
	both := []api.TokenUsage{token(ana, 1, 30), token(joao, 2, 12)}
	compare(t, []comparison{
		{name: "all agrees", file: "cpf;produto;dias\n" + ana + ";1;30\n" + joao + ";musica;12\n", enabled: both, matched: 2},
		{name: "without days", file: "cpf;produto\n" + ana + ";1\n" + joao + ";musica\n", enabled: both, matched: 2},
		{name: "not enabled", file: "cpf;produto;dias\n" + ana + ";1;30\n" + joao + ";2;12\n" + bia + ";1;3\n", enabled: both, matched: 2,
			want: []string{"billed_not_enabled 39053344705 1 3/- 4"}},
		{name: "enabled with another product", file: "cpf;produto;dias\n" + ana + ";1;30\n" + joao + ";1;12\n", enabled: both, matched: 1,
			want: []string{"billed_not_enabled 11144477735 1 12/- 3", "enabled_not_billed 11144477735 2 -/12 0"}},
		{name: "not billed", file: "cpf;produto\n" + ana + ";1\n", enabled: both, matched: 1, want: []string{"enabled_not_billed 11144477735 2 -/12 0"}},
		{name: "other days", file: "cpf;produto;dias\n" + ana + ";1;31\n" + joao + ";2;12\n", enabled: both, matched: 1, want: []string{"days_differ 52998224725 1 31/30 2"}},
		{name: "billed for no day", file: "cpf;produto;dias\n" + ana + ";1;0\n" + joao + ";2;12\n", enabled: both, matched: 1, want: []string{"days_differ 52998224725 1 0/30 2"}},
		{name: "a document that nobody knows", file: "cpf;produto\n" + ana + ";1\n" + joao + ";2\n" + bia + ";1\n", enabled: both, unknown: []string{bia}, matched: 2,
			want: []string{"not_verifiable 39053344705 1 -/- 4 unknown_document"}},
		{name: "history was cut", file: "cpf;produto;dias\n" + ana + ";1;30\n" + bia + ";1;3\n", enabled: both, incomplete: true,
			want: []string{"enabled_not_billed 11144477735 2 -/12 0", "not_verifiable 52998224725 1 30/30 2 history_incomplete", "not_verifiable 39053344705 1 3/- 3 history_incomplete"}},
		{name: "two products in a line", file: "cpf;produto\n" + ana + ";1, 2\n", enabled: []api.TokenUsage{token(ana, 1, 3), token(ana, 2, 3)}, matched: 2},
		{name: "by kind, then in order of the file", file: "cpf;produto;dias\n" + bia + ";1;1\n" + joao + ";2;1\n" + ana + ";2;1\n", enabled: both,
			want: []string{"billed_not_enabled 39053344705 1 1/- 2", "billed_not_enabled 52998224725 2 1/- 4", "enabled_not_billed 52998224725 1 -/30 0", "days_differ 11144477735 2 1/12 3"}},
	})
}

func TestSeveralLinesOfOneServiceAreAddedUp(t *testing.T) {
	one := []api.TokenUsage{token(ana, 1, 30)}
	two := []api.TokenUsage{token(ana, 1, 10), token(ana, 1, 20)}
	compare(t, []comparison{
		{name: "parts of a month", file: "cpf;produto;dias\n" + ana + ";1;10\n" + ana + ";1;20\n", enabled: one, matched: 1},
		{name: "two services, one line", file: "cpf;produto;dias\n" + ana + ";1;30\n", enabled: two, matched: 1},
		{name: "billed twice", file: "cpf;produto;dias\n" + ana + ";1;30\n" + ana + ";1;30\n", enabled: one, want: []string{"days_differ 52998224725 1 60/30 2"}},
		{name: "billed twice, without days", file: "cpf;produto\n" + ana + ";1\n" + ana + ";1\n", enabled: one, want: []string{"billed_not_enabled 52998224725 1 -/30 2 billed_again"}},
		{name: "two services, without days", file: "cpf;produto\n" + ana + ";1\n" + ana + ";1\n", enabled: two, matched: 1},
		{name: "days in one line only", file: "cpf;produto;dias\n" + ana + ";1;10\n" + ana + ";1;\n", enabled: two, matched: 1},
	})
}

func TestWhatCannotBeReadIsNotVerifiable(t *testing.T) {
	one := []api.TokenUsage{token(ana, 1, 30)}
	compare(t, []comparison{
		{name: "a wrong digit", file: "cpf;produto\n" + ana + ";1\n52998224726;1\n", enabled: one, matched: 1, want: []string{"not_verifiable  1 -/- 3 invalid_check_digit"}},
		{name: "no product", file: "cpf;produto\n" + ana + ";1\n" + joao + ";\n", enabled: one, matched: 1, want: []string{"not_verifiable 11144477735 0 -/- 3 required"}},
		{name: "one of two products", file: "cpf;produto;dias\n" + ana + ";1, Combo;30\n", enabled: one, want: []string{"not_verifiable 52998224725 1 30/30 2 unknown_product"}},
		{name: "its days", file: "cpf;produto;dias\n" + ana + ";1;muitos\n", enabled: one, want: []string{"not_verifiable 52998224725 1 -/30 2 invalid_days"}},
		{name: "its days, not enabled", file: "cpf;produto;dias\n" + joao + ";1;muitos\n" + ana + ";1;30\n", enabled: one, matched: 1, want: []string{"billed_not_enabled 11144477735 1 -/- 2"}},
	})
}

func TestTheSummaryAddsUp(t *testing.T) {
	c := read(t, "Fatura de novembro\n;\ncpf;produto;dias\n"+ana+";1, 2;10\n"+ana+";1;5\n"+joao+";2;8\n52998224726;1;3\nTotal;;26\n;;\n")
	for _, u := range []api.TokenUsage{token(ana, 1, 15), token(bia, 1, 7), token("", 1, 4), token("", 2, 2)} {
		c.Enabled(u)
	}
	know(c, joao)
	_, got := c.Differences(true)
	want := invoice.Summary{Lines: 5, LeftOut: 1, Billed: 4, Enabled: 2, Matched: 1, BilledNotEnabled: 1, EnabledNotBilled: 1, NotVerifiable: 2,
		BilledDays: 36, EnabledDays: 28, Deleted: 2}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("summary (- got, + want):\n%s", diff)
	}
}

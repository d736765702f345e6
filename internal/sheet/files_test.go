package sheet_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/api"
	"ativa/internal/sheet"
	"ativa/internal/sheet/columns"
	"ativa/internal/system/systemtest"
)

// fileCase is a file from practice with its expected result: rows in the format of describe, or
// the error of opening or checking it.
type fileCase struct {
	name    string
	content string
	options sheet.Options
	want    []string
	err     string
	notices []string // codes
}

const (
	header  = "nome;email;cpf;telefone;velocidade;plano;produtos\n"
	ana     = "Ana Souza;ana@example.com;52998224725;11987654321;100 Mega;Fibra;1\n"
	anaRow  = "ok Ana Souza|ana@example.com|52998224725|+5511987654321|10|Fibra|1"
	joao    = "João Lima;joao@example.com;11144477735;1133334444;;;\n"
	joaoRow = "ok João Lima|joao@example.com|11144477735|+551133334444|38||"
)

func catalog() sheet.Catalog {
	activate := api.List[string]{api.CanActivate}
	c := sheet.Catalog{Products: []api.Product{
		{ID: 1, Code: "play-basic", Name: "Play Básico", Active: true, Can: activate},
		{ID: 2, Code: "play-premium", Name: "Play Premium", Active: true, Can: activate},
		{ID: 3, Code: "musica", Name: "Música, Jogos + Mais", Active: true},
		{ID: 4, Code: "old", Name: "Antigo", Active: false, Can: activate},
		{ID: 5, Code: "fixed", Name: "Fixo", Active: true, Can: api.List[string]{api.CanSuspend}},
		{ID: 6, Code: "idle", Name: "Parado", Active: true, Can: api.List[string]{}},
		{ID: 12, Code: "2", Name: "Doze", Active: true},
	}}
	for i := range 20 {
		mbps := 10 * (i + 1)
		c.Speeds = append(c.Speeds, api.InternetSpeed{
			ID: api.Int(i + 1), Speed: fmt.Sprintf("%d Mbps", mbps), Slug: fmt.Sprintf("%dmb", mbps)})
	}
	c.Speeds = append(c.Speeds,
		api.InternetSpeed{ID: 36, Speed: "1000 Mbps", Slug: "1000mb"},
		api.InternetSpeed{ID: 37, Speed: "5 Mbps", Slug: "5mb"},
		api.InternetSpeed{ID: 38, Speed: "Não informado", Slug: "Não informado"})
	return c
}

// describe writes a row as `LINE ok values`, `LINE merged LINE` or
// `LINE column:code …`, repairs in brackets.
func describe(r *sheet.Row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d ", r.Line)
	switch {
	case r.MergedInto > 0:
		fmt.Fprintf(&b, "merged %d", r.MergedInto)
	case len(r.Problems) > 0:
		for i, p := range r.Problems {
			if i > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "%d:%s", p.Column, p.Code)
		}
	default:
		ids := strings.Trim(fmt.Sprint([]api.Int(r.ProductsIDs)), "[]")
		fmt.Fprintf(&b, "ok %s|%s|%s|%s|%d|%s|%s", r.Name, r.Email, r.Document, r.Phone,
			r.InternetSpeedID.Value, r.CustomerPlan, ids)
		if r.Status != "" {
			fmt.Fprintf(&b, "|%s", r.Status)
		}
		if r.Days.Set {
			fmt.Fprintf(&b, "|%d", r.Days.Value)
		}
	}
	for _, m := range r.Repairs {
		fmt.Fprintf(&b, " [%s]", strings.TrimPrefix(m.Code, "repaired_"))
	}
	return b.String()
}

// read opens, checks and describes a file.
func read(t *testing.T, content string, o sheet.Options) (f *sheet.File, rows []string, err error) {
	t.Helper()
	f, _, err = check(t, content, o)
	if err != nil {
		return f, nil, err
	}
	return f, described(t, f), nil
}

// check opens and checks a file, which is closed when the test ends.
func check(t *testing.T, content string, o sheet.Options) (f *sheet.File, s *sheet.Summary, err error) {
	t.Helper()
	f, err = sheet.OpenReader(strings.NewReader(content), o)
	if err != nil {
		return nil, nil, err
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	s, err = f.Check(t.Context(), catalog())
	return f, s, err
}

// described describes the rows of a file.
func described(t *testing.T, f *sheet.File) (rows []string) {
	t.Helper()
	for row, err := range f.Rows(t.Context()) {
		must(t, err)
		rows = append(rows, describe(row))
		for _, p := range row.Problems {
			checkProblem(t, row, p)
		}
	}
	return rows
}

// checkProblem checks that the message of a problem is complete, and that the wrong value would not be
// sent by a caller that overlooks the problem.
func checkProblem(t *testing.T, row *sheet.Row, p sheet.Problem) {
	t.Helper()
	if strings.ContainsAny(p.Error(), "{}") {
		t.Errorf("placeholder left in %q", p.Error())
	}
	if p.Code == sheet.CodeDuplicate || p.Code == sheet.CodeHeldBack {
		return
	}
	value := map[string]string{api.FieldName: row.Name, api.FieldEmail: row.Email, api.FieldDocument: row.Document,
		api.FieldPhone: row.Phone, api.FieldCustomerPlan: row.CustomerPlan}[p.Field]
	if value != "" || p.Field == columns.FieldDays && row.Days.Set {
		t.Errorf("%s: got %q, days %v, want nothing", p.Error(), value, row.Days)
	}
}

// wantRow checks that a file has one row, in the format of describe.
func wantRow(t *testing.T, content string, o sheet.Options, want string) {
	t.Helper()
	_, rows, err := read(t, content, o)
	if err != nil || len(rows) != 1 || rows[0] != want {
		t.Errorf("got %q, %v, want %q of\n%q", rows, err, want, content)
	}
}

func runFiles(t *testing.T, files []fileCase) {
	t.Helper()
	for _, tt := range files {
		t.Run(tt.name, func(t *testing.T) {
			f, rows, err := read(t, tt.content, tt.options)
			if got := errorText(err); got != tt.err {
				t.Fatalf("error %q, want %q", got, tt.err)
			}
			if diff := cmp.Diff(rows, tt.want); diff != "" {
				t.Errorf("rows (- got, + want):\n%s", diff)
			}
			if f == nil {
				return
			}
			var notices []string
			for _, n := range f.Notices {
				notices = append(notices, n.Code)
			}
			if diff := cmp.Diff(notices, tt.notices); diff != "" {
				t.Errorf("notices (- got, + want):\n%s", diff)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	p, ok := errors.AsType[*sheet.Problem](err)
	if !ok {
		return "not a problem of the file: " + err.Error()
	}
	return p.Error()
}

// rejected writes the rows that must not be sent, like an import; others are what a server says.
func rejected(t *testing.T, f *sheet.File, others ...sheet.Problem) string {
	t.Helper()
	var b bytes.Buffer
	w := f.NewRejectedWriter(&b)
	for row, err := range f.Rows(t.Context()) {
		must(t, err)
		if len(row.Problems)+len(others) > 0 {
			must(t, w.Write(row, others...))
		}
	}
	must(t, w.Flush())
	return b.String()
}

var must = systemtest.Must

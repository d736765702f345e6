package sheet_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/api"
	"ativa/internal/sheet"
)

// The file of `ativa demo` shows what the reader can do: it must go on having
// exactly three mistakes.
func TestTheDemoSampleHasThreeMistakes(t *testing.T) {
	path := filepath.Join("..", "..", "cmd", "operator", "sample", "assinantes.csv")
	f, err := sheet.Open(path, sheet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := sheet.Dialect{Encoding: sheet.Windows1252, Delimiter: ';', HeaderLine: 1}
	if f.Dialect != want {
		t.Errorf("dialect %+v, want %+v", f.Dialect, want)
	}
	c := catalog()
	c.Products = []api.Product{
		{ID: 1, Code: "play-basic", Name: "Play Básico", Active: true},
		{ID: 2, Code: "play-premium", Name: "Play Premium", Active: true},
		{ID: 3, Code: "musica", Name: "Música Mais", Active: true},
		{ID: 4, Code: "musica-familia", Name: "Música Família", Active: true},
	}
	for i, mbps := range []string{"300", "500", "600"} {
		c.Speeds = append(c.Speeds, api.InternetSpeed{ID: api.Int(100 + i), Speed: mbps + " Mbps"})
	}
	s, err := f.Check(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range s.First {
		got = append(got, p.Code)
	}
	if diff := cmp.Diff(got, []string{"invalid_check_digit", "invalid_email", "unknown_product"}); diff != "" {
		t.Errorf("problems (- got, + want):\n%s", diff)
	}
	if s.Rows != 200 || s.Valid != 197 || len(s.Repairs) != 1 || s.Repairs[0].N < 3 {
		t.Errorf("%+v", s)
	}
}

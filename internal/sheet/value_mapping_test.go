package sheet_test

import (
	"strings"
	"testing"

	"ativa/internal/sheet"
)

func values(t *testing.T, texts ...string) (list []sheet.ValueMapping) {
	t.Helper()
	for _, s := range texts {
		m, err := sheet.ParseValueMapping(s)
		must(t, err)
		list = append(list, m)
	}
	return list
}

func TestAValueHasItsMappedMeaning(t *testing.T) {
	with := func(column int, value, want string, texts ...string) fileCase {
		return fileCase{name: strings.Join(texts, " "), content: cell(column, value), options: sheet.Options{Values: values(t, texts...)}, want: []string{"2 " + want}}
	}
	products := func(ids string) string { return strings.Replace(anaRow, "Fibra|1", "Fibra|"+ids, 1) }
	speed := func(id string) string { return strings.Replace(anaRow, "|10|", "|"+id+"|", 1) }
	runFiles(t, []fileCase{
		with(7, "Combo 500", products("1 3"), "products:Combo 500=play-basic,musica"),
		with(7, " COMBO 500 ", products("1"), "produto:combo 500=1"),
		with(7, "Combo 500; musica", products("1 3"), "products:Combo 500=1"),
		with(7, "2", products("2"), "products:2=play-premium"),
		with(7, "a=b", products("1"), "products:a=b=1"),
		with(7, "Combo 5000", "7:unknown_product", "products:Combo 500=1"),
		with(7, "Combo", "7:product_inactive", "products:Combo=old"),
		with(7, "Nenhum", products(""), "products:Nenhum=-"),
		with(7, "musica + Nenhum", products("3"), "products:nenhum=-"),
		with(5, "rápida", speed("20"), "speed:rápida=200 Mega"),
		with(5, "10", speed("1"), "velocidade:10=10 Mega"),
		with(5, "Plano A", speed("38"), "speed:Plano A=38"),
		{name: "products that are not there", content: cell(7, "x"), options: sheet.Options{Values: values(t, "products:x=play-basik")},
			err: `--map-value products:x=play-basik: the server does not have play-basik (did you mean 1 play-basic "Play Básico"?)`},
		{name: "a speed that is not there", content: cell(7, "x"), options: sheet.Options{Values: values(t, "speed:x=fast")},
			err: "--map-value speed:x=fast: the server does not have fast"},
	})
}

func TestParseValueMappingRefusesWhatIsNone(t *testing.T) {
	for _, s := range []string{"", "products", "products:Combo", "products:=1", "products:Combo=", "Combo=1", "name:Ana=Eva", "colour:red=blue"} {
		_, err := sheet.ParseValueMapping(s)
		want := s + " is not products:VALUE=PRODUCT, speed:VALUE=SPEED or status:VALUE=STATUS"
		if got := errorText(err); got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
	if got, want := values(t, "Produtos: Combo 500 = musica ")[0].String(), "products:Combo 500=musica"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestManyUnknownValuesAreCountedInLittleMemory(t *testing.T) {
	var b strings.Builder
	b.WriteString(header)
	const rows = 3000
	for i := range rows {
		b.WriteString(strings.Replace(ana, ";1\n", ";produto "+number(i)+" x\n", 1))
	}
	f, _, err := read(t, b.String(), sheet.Options{})
	must(t, err)
	s, err := f.Check(t.Context(), catalog())
	if err != nil || len(s.Values) != sheet.KeptValues || s.Problems[0].N != rows {
		t.Errorf("%d values of %v, %v, want %d", len(s.Values), s.Problems, err, sheet.KeptValues)
	}
}

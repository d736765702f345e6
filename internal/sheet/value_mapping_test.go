package sheet_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"ativa/internal/lang"
	"ativa/internal/sheet"
)

func TestAValueHasItsMappedMeaning(t *testing.T) {
	with := func(column int, value, want string, texts ...string) fileCase {
		return fileCase{name: strings.Join(texts, " "), content: cell(column, value), options: sheet.Options{Values: values(t, texts...)}, want: []string{"2 " + want}}
	}
	lost := sheet.Options{SavedValues: values(t, "products:x=gone", "products:y=gone", "speed:x=gone")}
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
		with(5, "Plano A", speed("38"), "speed:Plano A=38"),
		with(5, "10", speed("1"), "velocidade:10=10 Mega"),
		{name: "products that are not there", content: cell(7, "x"), options: sheet.Options{Values: values(t, "products:x=play-basik")},
			err: `--map-value products:x=play-basik: the server does not have play-basik (did you mean 1 play-basic "Play Básico"?)`},
		{name: "a speed that is not there", content: cell(7, "x"), options: sheet.Options{Values: values(t, "speed:x=fast")},
			err: "--map-value speed:x=fast: the server does not have fast"},
		{name: "saved meanings that are not there, in a file without their values", content: header + ana, options: lost, want: []string{"2 " + anaRow}},
		{name: "a saved product that is not there", content: cell(7, "x"), options: lost, want: []string{"2 7:unknown_saved_meaning"}},
		{name: "a saved speed that is not there", content: cell(5, "x"), options: lost, want: []string{"2 5:unknown_saved_meaning"}},
	})
}

// Of several wrong mappings the same one is named each time.
func TestWrongValueMappingsAreReportedInOrder(t *testing.T) {
	for field, code := range map[string]string{"products": sheet.CodeUnknownMeaning, "speed": sheet.CodeUnknownMeaning, "status": sheet.CodeNoStatus} {
		var wrong []sheet.ValueMapping
		for _, value := range strings.Split("hgfedcba", "") {
			wrong = append(wrong, values(t, field+":"+value+"=nowhere")...)
		}
		_, _, err := read(t, header+ana, sheet.Options{Values: wrong})
		if p, ok := errors.AsType[*sheet.Problem](err); !ok || p.Code != code || p.Args["mapping"] != field+":a=nowhere" {
			t.Errorf("got %v, want the mapping of a", err)
		}
	}
}

func TestParseValueMappingRefusesOtherTexts(t *testing.T) {
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
	if s := summary(t, b.String(), sheet.Options{}); len(s.Values) != sheet.KeptValues || s.Problems[0].N != rows {
		t.Errorf("%d values of %v, want %d", len(s.Values), s.Problems, sheet.KeptValues)
	}
}

// Eight digits in a row may be a telephone number or a document, zeros too. A long value is shown short
// and mapped whole.
func TestAMessageShowsAValueShortAndNoPersonalNumber(t *testing.T) {
	long := strings.Repeat("combo ", 20) + "500"
	for value, shown := range map[string]string{"Plano 1234567": "Plano 1234567", "10.203.040": "•••", "00000000": "•••", "(11) 3000-000": "•••", "x9999999y9": "x9999999y9", "a@b": "•••",
		long: long[:59] + "…"} {
		first := summary(t, withColumns("produtos", value), sheet.Options{}).First
		if len(first) != 1 || first[0].Args["value"] != `"`+shown+`"` {
			t.Errorf("%s: problems %v, want the value %s", value, first, shown)
		}
	}
	wantRow(t, cell(7, long), sheet.Options{Values: values(t, "products:"+long+"=1")}, "2 "+anaRow)
}

// [system.ShellQuote] is tested with a shell. The hint never says that a value means active.
func TestFlagsInMessagesAreQuotedForAShell(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its shells quote otherwise, which package system tests")
	}
	for text, want := range map[string][2]string{
		"Combo 500":   {`--map-value 'status:Combo 500=suspended'`, `--map ignore="Status (Combo 500)"`},
		"D'Ávila":     {`--map-value 'status:D'\''Ávila=suspended'`, `--map ignore="Status (D'Ávila)"`},
		`o ""bom""`:   {`--map-value 'status:o "bom"=suspended'`, `--map ignore='Status (o "bom")'`},
		"$HOME `x` !": {"--map-value 'status:$HOME `x` !=suspended'", "--map ignore='Status ($HOME `x` !)'"},
	} {
		first := summary(t, withColumns(`"Status (`+text+`)"`, `"`+text+`"`), sheet.Options{}).First
		got := first[0].ReasonText(lang.English)
		for _, flag := range want {
			if !strings.Contains(got, flag) {
				t.Errorf("%s: got %s, want %s in it", text, got, flag)
			}
		}
	}
}

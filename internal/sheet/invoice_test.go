package sheet_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/api"
	"ativa/internal/sheet"
)

// billed returns a row as `LINE document products days`, or its problems.
func billed(r *sheet.Row) string {
	if len(r.Problems) > 0 {
		var codes []string
		for _, p := range r.Problems {
			codes = append(codes, fmt.Sprintf("%d:%s", p.Column, p.Code))
		}
		return fmt.Sprintf("%d %s", r.Line, strings.Join(codes, " "))
	}
	days := "-"
	if r.Days.Set {
		days = fmt.Sprint(r.Days.Value)
	}
	return fmt.Sprintf("%d %s %v %s", r.Line, r.Document, []api.Int(r.ProductsIDs), days)
}

// readInvoice opens, checks and describes an invoice.
func readInvoice(t *testing.T, content string, o sheet.Options) (rows []string, err error) {
	t.Helper()
	o.Profile = sheet.Invoice
	_, rows, err = readAs(t, content, o, billed)
	return rows, err
}

func TestAnInvoiceIsReadInAnyForm(t *testing.T) {
	const good = "2 52998224725 [1] 30"
	for _, tt := range []struct {
		name, content string
		want          []string
		options       sheet.Options
	}{
		{name: "codes", content: "CPF;Produto;Dias\n529.982.247-25;play-basic;30\n", want: []string{good}},
		{name: "names, another delimiter", content: "document,product,days\n52998224725,Play Básico,30\n", want: []string{good}},
		{name: "other words", content: "Documento;SVA;Qtd. Dias;Valor\n52998224725;1;30 dias;9,90\n", want: []string{good}},
		{name: "days with decimals", content: "CPF;Produto;Dias Cobrados\n52998224725;1;30,00\n", want: []string{good}},
		{name: "a service is a product", content: "CPF;Serviço;dias\n52998224725;1;30\n", want: []string{good}},
		{name: "a product of two columns", content: "CPF;Código do produto;Produto;dias\n52998224725;1;Play Básico;30\n", want: []string{good}},
		{name: "columns named like products", content: "CPF;Play Básico;musica;dias\n52998224725;x;;30\n", want: []string{good}},
		{name: "no days", content: "CPF;Produto\n52998224725;1\n", want: []string{"2 52998224725 [1] -"}},
		{name: "lost zeros", content: "CPF;Produto\n1234567890,00;1\n", want: []string{"2 01234567890 [1] -"}},
		{name: "products that cannot be activated", content: "CPF;Produto\n52998224725;old, fixed\n", want: []string{"2 52998224725 [4 5] -"}},
		{name: "values that are mapped", content: "CPF;Item;Dias\n52998224725;Pacote A;30\n11144477735;Taxa;\n", want: []string{good, "3 11144477735 [] -"},
			options: sheet.Options{Map: mapping(t, "produto=Item"), Values: values(t, "products:pacote a=1", "products:Taxa=-")}},
		{name: "days in a mapped column", content: "CPF;Produto;Período\n52998224725;1;30\n", want: []string{good}, options: sheet.Options{Map: mapping(t, "dias=Período")}},
		{name: "several lines of one", content: "CPF;Produto;Dias\n52998224725;1;10\n52998224725;1;10\n52998224725;3;20\n",
			want: []string{"2 52998224725 [1] 10", "3 52998224725 [1] 10", "4 52998224725 [3] 20"}},
		{name: "titles, one of which looks like a header", content: "Fatura 123;;\nDocumento;NF 99;\n\nCPF;Produto;Dias\n52998224725;1;30\n", want: []string{"5 52998224725 [1] 30"}},
		{name: "totals and remarks", content: "CPF;Produto;Dias\n52998224725;1;30\nSubtotal Play;;30\n;;30\nTotal geral\nEmitido em 01/12/2026;;\nCPF;Produto;Dias\n",
			want: []string{good, "3 0:total_row", "4 0:total_row", "5 0:total_row", "6 0:total_row", "7 0:repeated_header"}},
		{name: "what cannot be read", content: "CPF;Produto;Dias\n52998224726;1;30\n;1;30\n52998224725;;30\n52998224725;1;talvez\n52998224725;1;-1\n52998224725;1;3661\n12ABC34501DE35;1;1\n",
			want: []string{"2 1:invalid_check_digit", "3 1:required", "4 2:required", "5 3:invalid_days", "6 3:invalid_days", "7 3:invalid_days", "8 1:cnpj_not_supported"}},
		{name: "hidden digits", content: "CPF;Produto\n***.982.247-**;1\nxxx982247xx;1\n", want: []string{"2 1:invalid_characters", "3 1:invalid_characters"}},
		{name: "an unknown product", content: "CPF;Produto\n52998224725;Combo\n", want: []string{"2 2:unknown_product"}},
		{name: "UTF-16", content: wide("\ufeffCPF\tProduto\tDias\r\n52998224725\tPlay Básico\t30\r\n", binary.LittleEndian), want: []string{good}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readInvoice(t, tt.content, tt.options)
			must(t, err)
			if diff := cmp.Diff(got, tt.want); diff != "" {
				t.Errorf("rows (- got, + want):\n%s", diff)
			}
		})
	}
}

func TestAnInvoiceNeedsADocumentAndAProduct(t *testing.T) {
	for content, want := range map[string]string{
		"CPF;Plano;Valor\n52998224725;Fibra;9\n": `no column for products_ids; rename a column, or choose one with --map products_ids=COLUMN. Not used: "Valor", "Plano"`,
		"Cliente;Produto\nAna;1\n":               `no column for document; rename a column, or choose one with --map document=COLUMN. Not used: "Cliente"`,
		"Quem;O quê\nAna;1\n":                    `line 1: the first line has no column name that is known (delimiter ;); add a header, or use --delimiter and --map document=COLUMN. Found: "Quem", "O quê"`,
	} {
		if _, err := readInvoice(t, content, sheet.Options{}); errorText(err) != want {
			t.Errorf("%q: got %q, want %q", content, errorText(err), want)
		}
	}
}

package sheet_test

import (
	"testing"

	"ativa/internal/sheet"
)

func TestAnInvoiceIsReadInAnyForm(t *testing.T) {
	const good = "2 ok ||52998224725||0||1|30"
	o := sheet.Options{Profile: sheet.Invoice}
	mapped := sheet.Options{Profile: sheet.Invoice, Map: mapping(t, "produto=Item", "dias=Período"), Values: values(t, "products:pacote a=1", "products:Taxa=-")}
	header := []string{sheet.NoticeHeaderLine}
	products := []string{sheet.NoticeProductColumn, sheet.NoticeProductColumn}
	runFiles(t, []fileCase{
		{name: "codes", content: "CPF;Produto;Dias\n529.982.247-25;play-basic;30\n", options: o, want: []string{good}},
		{name: "other words", content: "Documento;SVA;Qtd. Dias;Obs\n52998224725;1;30 dias;9,90\n", options: o, want: []string{good}, notices: []string{sheet.NoticeUnknownColumn}},
		{name: "days with decimals", content: "CPF;Produto;Dias Cobrados\n52998224725;1;30,00\n", options: o, want: []string{good}},
		{name: "a service is a product", content: "CPF;Serviço;dias\n52998224725;1;30\n", options: o, want: []string{good}},
		{name: "a product of two columns", content: "CPF;Código do produto;Produto;dias\n52998224725;1;Play Básico;30\n", options: o, want: []string{good}},
		{name: "columns named like products", content: "CPF;Play Básico;musica;dias\n52998224725;x;;30\n", options: o, want: []string{good}, notices: products},
		{name: "no days", content: "CPF;Produto\n52998224725;1\n", options: o, want: []string{"2 ok ||52998224725||0||1"}},
		{name: "products that cannot be activated", content: "CPF;Produto\n52998224725;old, fixed\n", options: o, want: []string{"2 ok ||52998224725||0||4 5"}},
		{name: "values and columns that are mapped", content: "CPF;Item;Período\n52998224725;Pacote A;30\n11144477735;Taxa;\n", options: mapped,
			want: []string{good, "3 ok ||11144477735||0||"}},
		{name: "several lines of one", content: "CPF;Produto;Dias\n52998224725;1;30\n52998224725;1;10\n", options: o, want: []string{good, "3 ok ||52998224725||0||1|10"}},
		{name: "titles; one looks like a header", content: "Fatura 123;;\nDocumento;NF 99;\n\nCPF;Produto;Dias\n52998224725;1;30\n", options: o,
			want: []string{"5 ok ||52998224725||0||1|30"}, notices: header},
		{name: "totals and remarks", content: "CPF;Produto;Dias\n52998224725;1;30\nSubtotal Play;;30\n;;30\nTotal geral\nEmitido em 01/12/2026;;\nCPF;Produto;Dias\n=\"\";=\"\";30\n", options: o,
			want: []string{good, "3 0:total_row", "4 0:total_row", "5 0:total_row", "6 0:total_row", "7 0:repeated_header", "8 0:total_row"}},
		{name: "what cannot be read", content: "CPF;Produto;Dias\n***.982.247-**;1;30\n;1;30\n52998224725;;30\n52998224725;1;talvez\n52998224725;1;-1\n52998224725;1;3661\n52998224725;Combo;1\n", options: o,
			want: []string{"2 1:invalid_characters", "3 1:required", "4 2:required", "5 3:invalid_days", "6 3:invalid_days", "7 3:invalid_days", "8 2:unknown_product"}},
		{name: "no product", content: "CPF;Plano;Valor\n52998224725;Fibra;9\n", options: o,
			err: `no column for products_ids; rename a column, or choose one with --map products_ids=COLUMN. Not used: "Valor", "Plano"`},
		{name: "no document", content: "Cliente;Produto\nAna;1\n", options: o,
			err: `no column for document; rename a column, or choose one with --map document=COLUMN. Not used: "Cliente"`},
	})
}

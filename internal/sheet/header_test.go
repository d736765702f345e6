package sheet_test

import (
	"strings"
	"testing"

	"ativa/internal/sheet"
)

func parsed[T any](t *testing.T, parse func(string) (T, error), texts []string) (list []T) {
	t.Helper()
	for _, s := range texts {
		m, err := parse(s)
		must(t, err)
		list = append(list, m)
	}
	return list
}

func mapping(t *testing.T, texts ...string) []sheet.Mapping {
	return parsed(t, sheet.ParseMapping, texts)
}

func values(t *testing.T, texts ...string) []sheet.ValueMapping {
	return parsed(t, sheet.ParseValueMapping, texts)
}

func TestHeadersAreKnownListedOrRefusedNeverGuessed(t *testing.T) {
	good := []string{"2 " + anaRow}
	runFiles(t, []fileCase{
		{name: "other order and columns that are left out",
			content: "Cidade;CPF;Produtos;Nome;Telefone;E-mail\nNatal;52998224725;1;Ana Souza;11987654321;ana@example.com\n",
			want:    []string{"2 ok Ana Souza|ana@example.com|52998224725|+5511987654321|38||1"}, notices: []string{sheet.NoticeUnknownColumn}},
		{name: "several telephone columns, the first valid one taken",
			content: "nome;email;cpf;Telefone 1;Celular;fone_2\nAna;a@example.com;52998224725;123;11987654321;1133334444\nRui;r@example.com;11144477735;;;1133334444\n",
			want:    []string{"2 ok Ana|a@example.com|52998224725|+5511987654321|38|| [several_phones]", "3 ok Rui|r@example.com|11144477735|+551133334444|38||"}},
		{name: "several product columns", content: withColumns("produto 1;produto 2", "1;musica"), want: []string{personRow + "1 3"}},
		{name: "a title with a comma", content: "Relatório de clientes, novembro\n\n" + header + ana, want: []string{"4 " + anaRow}, notices: []string{sheet.NoticeHeaderLine}},
		{name: "a title above commas", content: "Relatório de clientes\n" + strings.ReplaceAll(header+ana, ";", ","), want: []string{"3 " + anaRow}, notices: []string{sheet.NoticeHeaderLine}},
		{name: "boxes without a tick below the last row", content: withColumns("Play Básico", "TRUE") + ";;;;FALSE\n;;;;FALSO\n", want: []string{personRow + "1"},
			notices: []string{sheet.NoticeProductColumn}},
		{name: "two columns that may be the name", content: "nome;cliente;email;cpf;fone\nx;x;x;x;x\n",
			err: `the columns "nome", "cliente" may all be name; choose one with --map name=COLUMN`},
		{name: "one of two mapped", content: "nome;cliente;email;cpf;fone\nx;Ana;a@example.com;52998224725;1133334444\n", options: sheet.Options{Map: mapping(t, "nome=Cliente")},
			want: []string{"2 ok Ana|a@example.com|52998224725|+551133334444|38||"}},
		{name: "a fallback name next to a better one", content: withColumns("Razão Social", "Ana ME"),
			want: []string{personRow}, notices: []string{sheet.NoticeSimilarColumn}},
		{name: "a fallback name next to a mapped one", content: strings.Replace(withColumns("Razão Social", "Ana ME"), "nome", "Apelido", 1),
			options: sheet.Options{Map: mapping(t, "nome=Apelido")}, want: []string{personRow}},
		{name: "several needed columns are missing", content: "nome;cpf;telefoni;cidade\nx;x;x;x\n",
			err: `no column for email, phone; rename a column, or choose one with --map email=COLUMN. Not used: "telefoni", "cidade"`},
		{name: "a slip of the pen in a needed column", content: "nome;email;cpf;telefoni\nx;x;x;x\n",
			err: `the column "telefoni" is not known and looks like phone; use --map phone="telefoni", or --map ignore="telefoni"`},
		{name: "a slip of the pen that would lose the products", content: withColumns("produtso", "1"),
			err: `the column "produtso" is not known and looks like products_ids; use --map products_ids="produtso", or --map ignore="produtso"`},
		{name: "the slip ignored", content: withColumns("produtso", "1"), options: sheet.Options{Map: mapping(t, "ignore=produtso")}, want: []string{personRow}},
		{name: "a service, which is a product in some systems and the plan in others", content: withColumns("Serviço", "1"),
			err: `the column "Serviço" is not known and looks like customer_plan, products_ids; use --map customer_plan="Serviço", --map products_ids="Serviço", or --map ignore="Serviço"`},
		{name: "a column that only resembles one", content: withColumns("valor do plano", "99,90"), want: []string{personRow}, notices: []string{sheet.NoticeSimilarColumn}},
		{name: "a mapping to a missing column", content: header + ana, options: sheet.Options{Map: mapping(t, "cpf=documento")},
			err: `the file has no column documento; it has "nome", "email", "cpf", "telefone", "velocidade", "plano", "produtos"`},
		{name: "one column for two fields", content: header + ana, options: sheet.Options{Map: mapping(t, "document=CPF", "name=3")},
			err: `the column "cpf" is mapped to both document and name; leave one of them out`},
		{name: "one saved column for two fields", content: header + ana, options: sheet.Options{Saved: mapping(t, "document=CPF", "name=CPF")},
			err: `the column "cpf" is mapped to both document and name; leave one of them out`},
		{name: "a column mapped twice to one field", content: header + ana, options: sheet.Options{Map: mapping(t, "document=CPF", "document=3")}, want: good},
		{name: "a saved mapping of a column that is mapped now", content: header + ana, options: sheet.Options{Map: mapping(t, "document=CPF"), Saved: mapping(t, "name=3", "phone=cpf", "ignore=cpf")}, want: good},
		{name: "a title above the header", content: "Relatório de clientes\n\n" + header + ana, want: []string{"4 " + anaRow}, notices: []string{sheet.NoticeHeaderLine}},
		{name: "a title with cells, and a mapping of the header", content: "Clientes;20/11/2026;;;;;\nEmitido por;Zé;;;;;\n" + strings.Replace(header, "cpf", "Contribuinte", 1) + ana,
			options: sheet.Options{Map: mapping(t, "cpf=Contribuinte")}, want: []string{"4 " + anaRow}, notices: []string{sheet.NoticeHeaderLine}},
		{name: "texts in single quotes", content: "'nome';'email';'cpf';'fone'\n'Ana';'ana@example.com';52998224725;11987654321\n",
			err: `line 1: the texts are in single quotes ('); save the file with double quotes (") around texts`},
		{name: "a title and nothing below the header", content: "Relatório\n" + header, err: "the file has a header and no rows"},
		{name: "a header without a needed column below a title", content: "Relatório de clientes\nnome;email;cpf\nAna;a@example.com;52998224725\n",
			err: `line 1: the first line has no column name that is known (delimiter ;); add a header, or use --delimiter and --map name=COLUMN. Found: "Relatório de clientes"`},
		{name: "rows above the header, as when it was sorted with them", content: ana + header + joao,
			err: "line 1: the first line has no column name that is known (delimiter ;); add a header, or use --delimiter and --map name=COLUMN. Found: data"},
		{name: "no header and everything mapped", content: ana, options: sheet.Options{Map: mapping(t, "nome=1", "email=2", "cpf=3", "fone=4", "produtos=7")},
			want: []string{"1 ok Ana Souza|ana@example.com|52998224725|+5511987654321|38||1"}},
		{name: "quote not closed in the header", content: `"nome;email;cpf` + "\n" + ana, err: `line 1, column 1: a quote (") opened in this line is not closed properly; close it, or remove it`},
	})
}

func TestATotalIsNoSubscriber(t *testing.T) {
	runFiles(t, []fileCase{
		{name: "in the first cell", content: header + ana + "Total: 1;;;;;;\n", want: []string{"2 " + anaRow, "3 0:total_row"}},
		{name: "with numbers of other columns", content: header + ana + "TOTAL GERAL;;;;;;1\n", want: []string{"2 " + anaRow, "3 0:total_row"}},
		{name: "in the plural", content: header + ana + "Totais;;;;;;\n", want: []string{"2 " + anaRow, "3 0:total_row"}},
		{name: "of a part", content: header + ana + "Subtotal;;;;;;\n", want: []string{"2 " + anaRow, "3 0:total_row"}},
		{name: "counted in the column of documents", content: header + ana + "Total;;1;;;;\n", want: []string{"2 " + anaRow, "3 0:total_row"}},
		{name: "of a sheet whose first column is not read", content: "Nº;" + header + "1;" + ana + "Total;;;;;;;\n", want: []string{"2 " + anaRow, "3 0:total_row"}, notices: []string{sheet.NoticeUnknownColumn}},
		{name: "with a telephone number", content: header + ana + "Total;;;119;;;\n", want: []string{"2 " + anaRow, "3 2:required 3:required 4:invalid_phone"}},
		{name: "in the second column", content: header + ana + ";Totais: 3;;;;;\n", want: []string{"2 " + anaRow, "3 1:required 2:invalid_email 3:required 4:required"}},
		{name: "somebody of that name", content: header + strings.Replace(ana, "Ana", "Total", 1), want: []string{"2 " + strings.Replace(anaRow, "Ana", "Total", 1)}},
		{name: "somebody of that name with a slip", content: header + strings.Replace(ana, "Ana Souza;ana@example.com", "Total;", 1), want: []string{"2 2:required"}},
	})
}

func TestAListOfDocumentsNeedsNoHeader(t *testing.T) {
	list := sheet.Options{Profile: sheet.Documents}
	docs := []string{"1 ok ||52998224725||0||", "2 ok ||11144477735||0||"}
	runFiles(t, []fileCase{
		{name: "bare", content: "52998224725\n111.444.777-35\n", options: list, want: docs},
		{name: "with blank lines and a wrong one first", content: "\n52998224726\n\n11144477735", options: list,
			want: []string{"2 1:invalid_check_digit", "4 ok ||11144477735||0||"}},
		{name: "with a header", content: "cpf\n52998224725\n11144477735\n", options: list, want: []string{"2 ok ||52998224725||0||", "3 ok ||11144477735||0||"}},
		{name: "several columns without a header", content: "Ana;52998224725;1133334444\nRui;11144477735;1133334445\n", options: list, want: docs},
		{name: "a slip in the first row", content: "529982247@25\n11144477735\n", options: list, want: []string{"1 1:invalid_characters", "2 ok ||11144477735||0||"}},
		{name: "two columns that may be the document", content: "52998224725;11144477735\n", options: list,
			err: "line 1: the first line has no column name that is known (delimiter ;); add a header, or use --delimiter and --map document=COLUMN. Found: data"},
		{name: "a mapping to a missing column number", content: "52998224725\n", options: sheet.Options{Profile: sheet.Documents, Map: mapping(t, "cpf=2")},
			err: `the file has no column 2; it has "52998224725"`},
		{name: "a word mapped as the document", content: "Ana;Z100\nRui;52998224725\n", options: sheet.Options{Profile: sheet.Documents, Map: mapping(t, "cpf=2")},
			want: []string{"2 ok ||52998224725||0||"}},
		{name: "two digits first", content: "12\n52998224725\n", options: list,
			err: "line 1: the first line has no column name that is known (delimiter ;); add a header, or use --delimiter and --map document=COLUMN. Found: data"},
		{name: "a column mapped by number", content: "52998224725;11144477735\n", options: sheet.Options{Profile: sheet.Documents, Map: mapping(t, "cpf=2")},
			want: []string{"1 ok ||11144477735||0||"}},
		{name: "a mapped column that holds no document", content: "11987654321;52998224725\n", options: sheet.Options{Profile: sheet.Documents, Map: mapping(t, "cpf=1")},
			want: []string{"1 1:invalid_check_digit"}},
		{name: "unknown header", content: "lista\n52998224725\n", options: list,
			err: `line 1: the first line has no column name that is known (delimiter ;); add a header, or use --delimiter and --map document=COLUMN. Found: "lista"`},
	})
}

func TestParseMappingRefusesUnknownFields(t *testing.T) {
	for text, want := range map[string]string{
		"cep=1":   "cep is not a field of a subscriber; use one of name, surname, email, document, phone, area_code, internet_speed_id, customer_plan, products_ids, status, days, ignore",
		"cpf":     "cpf is not field=column",
		"ignore=": "ignore= is not field=column",
	} {
		_, err := sheet.ParseMapping(text)
		if got := errorText(err); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

package sheet_test

import (
	"strings"
	"testing"

	"ativa/internal/sheet"
)

const (
	person    = "Ana;a@example.com;52998224725;11987654321;"
	personRow = "2 ok Ana|a@example.com|52998224725|+5511987654321|38||"
)

// withColumns returns a file with one subscriber and further columns.
func withColumns(names, cells string) string {
	return "nome;e-mail;cpf;telefone;" + names + "\n" + person + cells + "\n"
}

func TestAStatusIsNeverOverlooked(t *testing.T) {
	var files []fileCase
	add := func(column, value, want string) {
		files = append(files, fileCase{name: column + ": " + value, content: withColumns(column, value), want: []string{want}})
	}
	for _, value := range []string{"ativo", "ATIVA", "active", "Normal", "Em dia", "liberado", "Habilitado", "", " "} {
		add("Situação", value, personRow)
	}
	for _, value := range []string{"Cancelado", "Suspenso", "inadimplente"} {
		add("Situação", value, "2 5:not_active")
	}
	for _, value := range []string{"Bloqueado", "A", "talvez", "0", "-", "x"} {
		add("Situação", value, "2 5:unknown_status")
	}
	for value, want := range map[string]string{"S": personRow, "Sim": personRow, "x": personRow, "": personRow, "Ativo": personRow,
		"N": "2 5:unknown_status", "Não": "2 5:unknown_status", "Inativo": "2 5:not_active", "talvez": "2 5:unknown_status"} {
		add("Ativo", value, want)
		add("cli_ativado", value, want)
	}
	for column, code := range map[string]string{"bloqueado": "unknown_status", "Suspenso": "not_active", "INADIMPLENTE": "not_active",
		"cancelada": "not_active", "Inativo": "not_active"} {
		for value, want := range map[string]string{"sim": "2 5:" + code, "S": "2 5:" + code, "1": "2 5:" + code, "talvez": "2 5:unknown_status",
			"nao": personRow, "N": personRow, "0": personRow, "-": personRow, "": personRow} {
			add(column, value, want)
		}
	}
	for _, value := range []string{"Serviço Habilitado", "servico_habilitado", "Contrato ativo", "Cliente Ativo"} {
		add("Status", value, personRow)
	}
	add("Status", "Serviço Cancelado", "2 5:not_active")
	for _, value := range []string{"Serviço", "Cliente", "none"} {
		add("Status", value, "2 5:unknown_status")
	}
	active := sheet.Options{Profile: sheet.ActiveDocuments}
	runFiles(t, append(files,
		fileCase{name: "one of two", content: withColumns("Status do cliente;Status do contrato", "Ativo;Cancelado"), want: []string{"2 6:not_active"}},
		fileCase{name: "left out", content: withColumns("Situação", "Cancelado"), options: sheet.Options{Map: mapping(t, "ignore=situacao")}, want: []string{personRow}},
		fileCase{name: "left out, next to another", content: withColumns("Status;Obs", "Cancelado;x"),
			options: sheet.Options{Map: mapping(t, "ignore=Obs"), Saved: mapping(t, "ignore=Status")}, want: []string{personRow}, notices: []string{sheet.NoticeSavedIgnore}},
		fileCase{name: "of a list of documents", content: "cpf;status\n52998224725;Cancelado\n", options: sheet.Options{Profile: sheet.Documents}, want: []string{"2 ok ||52998224725||0||"},
			notices: []string{sheet.NoticeStatusColumn}},
		fileCase{name: "of documents to activate", content: "cpf;status;nome;e-mail\n52998224725;Cancelado;;\n11144477735;Ativo;;\n", options: active,
			want: []string{"2 2:not_active", "3 ok ||11144477735||0||"}},
		fileCase{name: "mapped to active", content: withColumns("Status", "a"), options: sheet.Options{Values: values(t, "status:A=ativo")}, want: []string{personRow}},
		fileCase{name: "mapped to something else", content: withColumns("Status", "ativo"), options: sheet.Options{Values: values(t, "status:ativo=suspend")}, want: []string{"2 5:not_active"}},
		fileCase{name: "mapped to nothing", content: withColumns("Status", "A"), options: sheet.Options{Values: values(t, "status:A=maybe")},
			err: "--map-value status:A=maybe: maybe is not a status; use active, suspended, overdue, canceled, or none for a subscriber without a service"},
		fileCase{name: "mapped to a subscriber without a service", content: withColumns("produtos;Status;musica", "1;Bloqueado;x"),
			options: sheet.Options{Values: values(t, "status:bloqueado=none")}, want: []string{personRow}, notices: []string{sheet.NoticeProductColumn}},
		fileCase{name: "mapped to a subscriber without a service, of documents to activate", content: "cpf;status\n52998224725;Bloqueado\n",
			options: sheet.Options{Profile: sheet.ActiveDocuments, Values: values(t, "status:bloqueado=nenhum")}, want: []string{"2 2:not_active"}}))
	desired := sheet.Options{Profile: sheet.Sync, Values: values(t, "situação:Bloqueado=overdue")}
	sync := sheet.Options{Profile: sheet.Sync}
	files = nil
	for word, want := range map[string]string{"Ativo": "active", "active": "active", "SUSPENSO": "suspend", "suspend": "suspend", "Inadimplente": "overdue",
		"em atraso": "overdue", "cancelado": "canceled", "cancelled": "canceled"} {
		files = append(files, fileCase{name: word, content: withColumns("Status", word), options: sync, want: []string{personRow + "|" + want}})
	}
	runFiles(t, append(files, []fileCase{
		{name: "desired", content: withColumns("Status", "Bloqueado"), options: desired, want: []string{personRow + "|overdue"}},
		{name: "desired by a yes", content: withColumns("Suspenso", "sim"), options: sync, want: []string{personRow + "|suspend"}},
		{name: "not desired by a no", content: withColumns("Suspenso", "não"), options: sync, want: []string{personRow}},
		{name: "no service desired", content: withColumns("Status", "Bloqueado"), want: []string{personRow + "|canceled"},
			options: sheet.Options{Profile: sheet.Sync, Values: values(t, "status:Bloqueado=none")}},
		{name: "a mapped yes", content: withColumns("Bloqueado", "sim"), options: desired, want: []string{personRow + "|overdue"}},
		{name: "an unmapped yes", content: withColumns("Bloqueado", "sim"), options: sync, want: []string{"2 5:unknown_status"}},
	}...))
}

// No message advises to activate customers who owe money.
func TestAStatusProblemHasARemedy(t *testing.T) {
	for value, want := range map[string]string{
		"Bloqueado": "the status \"Bloqueado\" is not known; say what it means with --map-value 'status:Bloqueado=suspended' (or active, overdue, canceled; " +
			"none registers without a service). An import refuses rows that are not active, `ativa sync` can act on them; " +
			"--map ignore=\"Situação\" leaves out a column that is not the subscriber's status",
		"Cancelado": "the status \"Cancelado\" does not mean active, so the row is refused; `ativa sync` can act on it, " +
			"and an import with --map-value 'status:Cancelado=none' registers the subscriber without a service; ",
		"Cortado": `the status "Cortado" does not mean active, so the row is refused; `, // by a value mapping
	} {
		s := summary(t, withColumns("Situação", value), sheet.Options{Values: values(t, "status:Cortado=suspended")})
		if len(s.First) != 1 {
			t.Fatal(s)
		}
		if got := s.First[0].Error(); !strings.HasPrefix(got, "line 2, column 5 (Situação): "+want) || strings.Contains(got, "=active") || strings.Contains(got, "=ativ") {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestAColumnNamedLikeAProductSaysWhoHasIt(t *testing.T) {
	tick := []string{sheet.NoticeProductColumn}
	var files []fileCase
	for cell, has := range map[string]bool{"X": true, "x": true, "Sim": true, "S": true, "Yes": true, "y": true, "1": true, "TRUE": true,
		"": false, "Não": false, "nao": false, "N": false, "No": false, "0": false, "false": false, "-": false} {
		want := personRow
		if has {
			want += "1"
		}
		files = append(files, fileCase{name: cell, content: withColumns("Play Básico", cell), want: []string{want}, notices: tick})
	}
	with := func(name, column, cell, want string) fileCase {
		return fileCase{name: name, content: withColumns(column, cell), want: []string{want}, notices: tick}
	}
	two := sheet.Options{Map: mapping(t, "ignore=musica")}
	runFiles(t, append(files,
		with("by its code", "PLAY_BASIC", "x", personRow+"1"),
		with("with its price", "Play Básico (R$ 9,90)", "x", personRow+"1"),
		with("neither yes nor no", "Play Básico", "talvez", "2 5:neither_yes_nor_no"),
		with("a product that is not sold any more", "Antigo", "x", "2 5:product_inactive"),
		with("one that nobody has", "Antigo", "", personRow),
		with("a delimiter in quotes before it", "plano;musica", `"a;b";x`, strings.Replace(personRow, "|38||", "|38|a;b|", 1)+"3"),
		fileCase{name: "several, and a column of products", content: withColumns("produtos;Play Premium;musica;old", "1;x;x;n"),
			want: []string{personRow + "1 2 3"}, notices: []string{sheet.NoticeProductColumn, sheet.NoticeProductColumn, sheet.NoticeProductColumn}},
		fileCase{name: "one left out", content: withColumns("Play Premium;musica", "x;x"), options: two, want: []string{personRow + "2"}, notices: tick},
		with("by its id", "1", "x", personRow+"1"),
		with("by its id and name", "3 (Música)", "não", personRow),
		with("of two products, by id and code", "2", "x", "2 5:ambiguous_product"),
		fileCase{name: "a line too short for it", content: withColumns("Play Premium;musica", "x"), want: []string{"2 0:too_few_columns"},
			notices: []string{sheet.NoticeProductColumn, sheet.NoticeProductColumn}},
		fileCase{name: "an id that nothing has", content: withColumns("2024", "x"), want: []string{personRow}, notices: []string{sheet.NoticeUnknownColumn}}))
	f, _, err := read(t, withColumns("musica", "x"), sheet.Options{Profile: sheet.Sync})
	if err != nil || !f.Has("products_ids") {
		t.Errorf("the products of a desired state: %v", err)
	}
}

func TestAMappingToTwoColumnsOfOneNameIsRefused(t *testing.T) {
	const doubled = "CPF;nome;e-mail;telefone;CPF\n52998224725;Ana;a@example.com;11987654321;11144477735\n"
	want := "2 ok Ana|a@example.com|11144477735|+5511987654321|38||"
	runFiles(t, []fileCase{
		{name: "by name", content: doubled, options: sheet.Options{Map: mapping(t, "document=CPF")},
			err: `the columns 1, 5 are all called "CPF"; choose one by its number, as --map document=1`},
		{name: "as it was kept", content: doubled, options: sheet.Options{Saved: mapping(t, "document=CPF")},
			err: `the columns 1, 5 are all called "CPF"; choose one by its number, as --map document=1`},
		{name: "by number", content: doubled, options: sheet.Options{Map: mapping(t, "document=5")}, want: []string{want}},
		{name: "no mapping", content: doubled, err: `the columns "CPF" (1), "CPF" (5) may all be document; choose one with --map document=COLUMN`},
		{name: "left out", content: strings.Replace(withColumns("obs;obs", "x;y"), "obs;obs", "Obs;Obs", 1), options: sheet.Options{Map: mapping(t, "ignore=Obs")}, want: []string{personRow}},
		{name: "of a field that may have several", content: "nome;e-mail;cpf;contato;contato\nAna;a@example.com;52998224725;1;11987654321\n",
			options: sheet.Options{Map: mapping(t, "fone=contato")}, want: []string{personRow + " [several_phones]"}},
	})
}

package sheet_test

import (
	"strings"
	"testing"

	"ativa/internal/sheet"
)

// The systems of docs/columns.md, with their field names and a row in their format: the row that
// is read, and the options that it needs.
func TestTheSystemsOfBrazilianProvidersAreRead(t *testing.T) {
	const good = "2 ok Ana Souza|ana@example.com|52998224725|+5511987654321|38|Fibra 500|"
	system := func(name, header, row, want string, o sheet.Options, notices ...string) fileCase {
		return fileCase{name: name, content: header + "\n" + row + "\n", options: o, want: []string{want}, notices: notices}
	}
	unknown := func(n int) (list []string) {
		for range n {
			list = append(list, sheet.NoticeUnknownColumn)
		}
		return list
	}
	status := func(meaning string) sheet.Options { return sheet.Options{Values: values(t, "status:"+meaning)} }
	plan := sheet.Options{Map: mapping(t, "customer_plan=servico")}
	runFiles(t, []fileCase{
		system("IXC: the status of the internet is mapped", "id;razao;tipo_pessoa;cnpj_cpf;email;fone;telefone_celular;whatsapp;ativo;status_internet;plano",
			"7;Ana Souza;F;529.982.247-25;ana@example.com;;(11) 98765-4321;;S;A;Fibra 500", good, status("A=active"), unknown(2)...),
		system("MK-AUTH", "login;nome;email;cpf_cnpj;celular;fone;plano;cli_ativado;bloqueado",
			"ana;Ana Souza;ana@example.com;529.982.247-25;(11)98765-4321;;Fibra 500;s;nao", good, sheet.Options{}, unknown(1)...),
		system("SGP", "clienteId;contratoId;razaoSocial;cpfCnpj;telefones;emails;planointernet;servico_plano;contratoStatus;contratoStatusDisplay",
			"3;9;Ana Souza;52998224725;11987654321;ana@example.com;Fibra 500;FTTH;1;Ativo", good, sheet.Options{}, append([]string{sheet.NoticeSimilarColumn}, unknown(2)...)...),
		system("HubSoft: its service is the plan", "codigo_cliente;nome_razaosocial;cpf_cnpj;telefone_primario;telefone_secundario;email_principal;servico;status;status_prefixo",
			"7;Ana Souza;52998224725;5511987654321;;ana@example.com;Fibra 500;Serviço Habilitado;servico_habilitado", good, plan, unknown(1)...),
		system("Voalle", "id,name,txId,email,cellPhone1,phone,status,plano",
			"5,Ana Souza,529.982.247-25,ana@example.com,11987654321,,1,Fibra 500", good, sheet.Options{}, unknown(1)...),
		system("RouterBox: its status is mapped", "Codigo;Nome;CNPJ_CNPF;Email;TelCelular;TelResidencial;Situacao;Plano",
			"5;Ana Souza;529.982.247-25;ana@example.com;(11) 98765-4321;;A;Fibra 500", good, status("A=active"), unknown(1)...),
		system("TopSApp", "id_cliente;nome;cpf_cnpj;email;celular;plano_acesso;status",
			"5;Ana Souza;529.982.247-25;ana@example.com;(11) 98765-4321;Fibra 500;Ativo", good, sheet.Options{}, unknown(1)...),
	})
}

func TestOtherColumnsOfProvidersSystemsAreLeftOut(t *testing.T) {
	others := []string{
		"id", "Código", "codigo_cliente", "Contrato", "Nº do contrato", "Login", "Senha", "Servidor", "Servidor PPPoE", "Concentrador", "NAS",
		"tipo_pessoa", "Tipo de cliente", "fantasia", "Nome fantasia", "RG", "ie_identidade", "Inscrição estadual", "Data de nascimento",
		"Sexo", "Estado civil", "CEP", "Endereço", "Número", "Complemento", "Bairro", "Cidade", "UF", "Estado", "Referência", "Vendedor",
		"Vencimento", "Dia de vencimento", "Valor", "Mensalidade", "Banco", "Filial", "Grupo", "Perfil", "MAC", "IP", "OLT", "CTO", "Porta", "ONU",
		"Tecnologia", "Conexão", "Download", "Upload", "Data de cadastro", "Data de ativação", "Status da ONU", "Obs",
		"Observações", "Nome da mãe", "Nome do pai", "Responsável", "Fonte", "Ramal", "Profissão", "Latitude", "Longitude", "POP", "Condomínio", "Apto",
		"Bloco", "E-mail 2", "email_secundario", "Latência", "Carteira", "Portador", "Franquia", "Pacote", "Canal de venda", "Meio de pagamento",
	}
	content := withColumns(strings.Join(others, ";"), strings.Repeat("x;", len(others)-1)+"x")
	wantRow(t, content, sheet.Options{Profile: sheet.Sync}, personRow)
}

// A column that may hold the subscriber's status is never overlooked, whatever its name and the
// other columns: the user must decide.
func TestAColumnThatMayBeAStatusIsAskedAbout(t *testing.T) {
	for _, name := range []string{"Situação atual", "Status Assinatura", "Situacao da conta", "Cliente - Status", "Cancelado em", "STATUS_PAGAMENTO"} {
		for others, cells := range map[string]string{"": "Cancelado", ";Status": "Cancelado;Ativo"} {
			_, _, err := read(t, withColumns(name+others, cells), sheet.Options{})
			got := errorText(err)
			for _, want := range []string{"--map status=", name, "--map ignore="} {
				if !strings.Contains(got, want) {
					t.Errorf("%s%s: got %s, want %s in it", name, others, got, want)
				}
			}
		}
	}
	runFiles(t, []fileCase{
		{name: "mapped", content: withColumns("Cancelado em", "Cancelado"), options: sheet.Options{Map: mapping(t, "status=Cancelado em")}, want: []string{"2 5:not_active"}},
		{name: "left out", content: withColumns("Cancelado em", "Cancelado"), options: sheet.Options{Map: mapping(t, "ignore=Cancelado em")}, want: []string{personRow}},
	})
}

func TestASurnameJoinsTheNameWhereThatIsCertain(t *testing.T) {
	with := func(h, name, surname string) string {
		return h + ";e-mail;cpf;telefone\n" + name + ";" + surname + ";a@example.com;52998224725;11987654321\n"
	}
	good := []string{"2 ok Ana Souza|a@example.com|52998224725|+5511987654321|38||"}
	joined := []string{sheet.NoticeJoinedColumns}
	runFiles(t, []fileCase{
		{name: "Nome and Sobrenome", content: with("Nome;Sobrenome", " Ana ", " Souza "), want: good, notices: joined},
		{name: "the other way round", content: with("Sobrenome;Primeiro nome", "Souza", "Ana"), want: good, notices: joined},
		{name: "the name ends with it already", content: with("Nome;Sobrenome", "Ana Souza", "SOUZA"), want: good, notices: joined},
		{name: "no surname", content: with("Nome;Sobrenome", "Ana Souza", ""), want: good, notices: joined},
		{name: "no name", content: with("Nome;Sobrenome", "", "Souza"), want: []string{"2 1:required"}, notices: joined},
		{name: "both are too long together", content: with("Nome;Sobrenome", strings.Repeat("a", 200), strings.Repeat("b", 55)), want: []string{"2 1:too_long"}, notices: joined},
		{name: "both are as long as a name may be", content: with("Nome;Sobrenome", strings.Repeat("a", 200), strings.Repeat("b", 54)), notices: joined,
			want: []string{strings.Replace(good[0], "Ana Souza", strings.Repeat("a", 200)+" "+strings.Repeat("b", 54), 1)}},
		{name: "a surname that cannot be read", content: with("Nome;Sobrenome", "Ana", "#REF!"), want: []string{"2 2:formula_error"}, notices: joined},
		{name: "the name is whole", content: with("Nome completo;Sobrenome", "Ana Souza", "Lima"), want: good, notices: []string{sheet.NoticeSimilarColumn}},
		{name: "the name is whole and the surname mapped", content: with("Nome do cliente;Sobrenome", "Ana", "Souza"),
			options: sheet.Options{Map: mapping(t, "surname=Sobrenome")}, want: good, notices: joined},
	})
}

func TestASeparateAreaCodeIsAddedToANumberWithoutOne(t *testing.T) {
	with := func(h, cells string) string {
		return "nome;e-mail;cpf;" + h + "\nAna;a@example.com;52998224725;" + cells + "\n"
	}
	ok := func(phone, repair string) []string {
		return []string{"2 ok Ana|a@example.com|52998224725|" + phone + "|38||" + repair}
	}
	runFiles(t, []fileCase{
		{name: "DDD and telephone", content: with("DDD;Telefone", "(011);98765-4321"), want: ok("+5511987654321", " [area_code]")},
		{name: "a number that has its own", content: with("DDD;Telefone", "11;(21) 98765-4321"), want: ok("+5521987654321", "")},
		{name: "one for each number", content: with("DDD 1;Fone 1;DDD 2;Fone 2", ";123;21;3333-4444"), want: ok("+552133334444", " [several_phones] [area_code]")},
		{name: "one for all numbers", content: with("DDD;Fone 1;Fone 2", "21;;3333-4444"), want: ok("+552133334444", " [area_code]")},
		{name: "no area code", content: with("DDD;Telefone", ";98765-4321"), want: []string{"2 5:missing_area_code"}},
		{name: "one that does not exist", content: with("DDD;Telefone", "20;98765-4321"), want: []string{"2 5:invalid_area_code"}},
		{name: "one that is none", content: with("DDD;Telefone", "São Paulo;98765-4321"), want: []string{"2 5:missing_area_code"}},
		{name: "two for three numbers", content: with("DDD 1;DDD 2;Fone 1;Fone 2;Fone 3", "11;11;98765-4321;;"), want: []string{"2 6:missing_area_code"}},
	})
}

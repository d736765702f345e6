package lang

// ptSaid is what the other commands say while they work, ask and fail.
func ptSaid(english string) string {
	switch english {
	case "%d products are called %q: %s":
		return "%d produtos se chamam %q: %s"
	case "%q is not a method":
		return "%q não é um método"
	case "%q is not the name of a field":
		return "%q não é o nome de um campo"
	case "%q: %s is no object":
		return "%q: %s não é um objeto"
	case "%q: a bracket is not closed":
		return "%q: um colchete não foi fechado"
	case "%q: not a list of values":
		return "%q: não é uma lista de valores"
	case "%s by %s":
		return "%s por %s"
	case "%s has no services; to activate one: ativa provision activate --product P %s":
		return "%s não tem serviços; para ativar um: ativa provision activate --product P %s"
	case "%s needs a command":
		return "%s precisa de um comando"
	case "%s of the %s":
		return "%s (%s)"
	case "%s to %s":
		return "%s para %s"
	case "%s, the %s":
		return "%s: %s"
	case "%s: a query holds texts, numbers, true and false":
		return "%s: uma consulta tem textos, números, true e false"
	case "%s; number %d in the queue":
		return "%s; número %d na fila"
	case "%s; trying again":
		return "%s; tentando de novo"
	case "--phone: %s":
		return "--phone: %s"
	case "--speed %q: %s":
		return "--speed %q: %s"
	case "--header %q is not NAME: VALUE":
		return "--header %q não é NOME: VALOR"
	case "--input is the whole body: neither fields nor GET go with it":
		return "--input é o corpo inteiro: nem campos nem GET combinam com ele"
	case "--limit is a number of events":
		return "--limit é um número de eventos"
	case "--paginate goes with GET":
		return "--paginate combina com GET"
	case "-F %q is not NAME=VALUE":
		return "-F %q não é NOME=VALOR"
	case "-f %q is not NAME=VALUE":
		return "-f %q não é NOME=VALOR"
	case "Context %s is protected. Type its name to go on:":
		return "O contexto %s é protegido. Digite o nome dele para continuar:"
	case "Erase %s (%s) for good?":
		return "Apagar %s (%s) de vez?"
	case "Output formats, columns, filters and templates":
		return "Formatos de saída, colunas, filtros e modelos"
	case "PATH is a path such as /products, not a URL":
		return "PATH é um caminho como /products, não uma URL"
	case "Provision content services for internet subscribers":
		return "Provisionar serviços de conteúdo para assinantes de internet"
	case "Register, find and change subscribers":
		return "Cadastrar, procurar e alterar assinantes"
	case "The environment variables that are read":
		return "As variáveis de ambiente que são lidas"
	case "What a spreadsheet may look like":
		return "Como pode ser uma planilha"
	case "What each exit code means":
		return "O que significa cada código de saída"
	case "a confirmation is needed, and there is no terminal":
		return "é preciso confirmar, e não há terminal"
	case "a list that is followed has no end, so it is neither one JSON document nor sorted":
		return "uma lista que se segue não tem fim, então não é um documento JSON nem pode ser ordenada"
	case "cancellation_unresolved":
		return "um cancelamento ficou sem solução; cancele de novo"
	case "cancelled for good":
		return "cancelado de vez"
	case "cancelled in the queue, before it was enabled":
		return "cancelado na fila, antes de ser ativado"
	case "choose another with --context, or `ativa config unset read_only --context %s`":
		return "escolha outro com --context, ou `ativa config unset read_only --context %s`"
	case "context %s is protected":
		return "o contexto %s é protegido"
	case "context %s is read-only; nothing was sent":
		return "o contexto %s é só de leitura; nada foi enviado"
	case "did you mean %s?":
		return "você quis dizer %s?"
	case "erased %s":
		return "%s apagado"
	case "file %q: %s":
		return "arquivo %q: %s"
	case "give --yes --context %s":
		return "use --yes --context %s"
	case "give --yes":
		return "use --yes"
	case "give the fields to change, for example --email":
		return "informe os campos a mudar, por exemplo --email"
	case "internet speed: id, or a text such as \"500 Mega\", of those that ativa subscribers speeds lists":
		return "velocidade de internet: id, ou um texto como \"500 Mega\", das que ativa subscribers speeds lista"
	case "it follows the API and nothing more; `ativa subscribers list` shows how everything stands now":
		return "ele segue a API e nada mais; `ativa subscribers list` mostra como tudo está agora"
	case "last e-mail":
		return "último e-mail"
	case "last event":
		return "último evento"
	case "last word of partner":
		return "última palavra do parceiro"
	case "%d of the rows [is|are] hidden in the workbook, by a filter perhaps, and read like the others":
		return "%d das linhas [está oculta|estão ocultas] na planilha, talvez por um filtro, e [é lida|são lidas] como as outras"
	case "a name is looked for with: ativa subscribers search %s":
		return "um nome se procura com: ativa subscribers search %s"
	case "%d [row has|rows have] a value in a column without a name, which is left out; name the column if it is needed":
		return "%d [linha tem|linhas têm] um valor em uma coluna sem nome, que fica de fora; dê um nome à coluna se ela é necessária"
	case "missing: %s":
		return "falta: %s"
	case "no product has the id, code or name %q":
		return "nenhum produto tem o id, código ou nome %q"
	case "not confirmed; nothing was sent":
		return "não confirmado; nada foi enviado"
	case "nothing to change":
		return "nada a mudar"
	case "products: %s":
		return "produtos: %s"
	case "queued: the provider reached its limit of active services":
		return "na fila: o provedor atingiu o limite de serviços ativos"
	case "run `ativa login` again, or check the token; `ativa auth status` shows which is used":
		return "execute `ativa login` de novo, ou confira o token; `ativa auth status` mostra qual é usado"
	case "run `ativa login`, or set ATIVA_ACCESS_TOKEN; `ativa auth status` shows where it was looked for":
		return "execute `ativa login`, ou defina ATIVA_ACCESS_TOKEN; `ativa auth status` mostra onde ele foi procurado"
	case "see `%s --help`":
		return "veja `%s --help`"
	case "see `ativa imports list`":
		return "veja `ativa imports list`"
	case "subscriber_has_services":
		return "o assinante tem serviços que não estão cancelados"
	case "suspended for a time":
		return "suspenso por um tempo"
	case "suspended for lack of payment":
		return "suspenso por falta de pagamento"
	case "the last operation failed":
		return "a última operação falhou"
	case "the query of %q cannot be read":
		return "não foi possível ler a consulta de %q"
	case "the server is chosen by --server or the context":
		return "o servidor se escolhe com --server ou pelo contexto"
	case "the server keeps no history, so what happened before is not known":
		return "o servidor não guarda histórico, então não se sabe o que houve antes"
	case "the service is enabled":
		return "o serviço está ativo"
	case "the server calls it %q, which this program does not know; it has been so since the activation was requested, so the activation is not complete as far as can be told: the subscriber completes it by following the activation e-mail":
		return "o servidor chama isso de %q, que este programa não conhece; está assim desde o pedido de ativação, então, pelo que dá para saber, a ativação não foi concluída: o assinante conclui seguindo o e-mail de ativação"
	case "the status %q is not one that this program knows, so what it waits for is not known; ask whoever runs the server":
		return "o status %q não é conhecido por este programa, então não se sabe o que ele espera; pergunte a quem cuida do servidor"
	case "there is no help about %q":
		return "não há ajuda sobre %q"
	case "there is no status %q":
		return "não há status %q"
	case "there is: %s":
		return "há: %s"
	case "this server has no event feed":
		return "este servidor não tem fluxo de eventos"
	case "to go on: ativa events --after %s":
		return "para continuar: ativa events --after %s"
	case "try again later":
		return "tente mais tarde"
	case "try again later; `ativa doctor` looks for the cause":
		return "tente mais tarde; `ativa doctor` procura a causa"
	case "unknown command %q for %s":
		return "comando desconhecido %q para %s"
	case "use -o jsonl":
		return "use -o jsonl"
	case "use the id":
		return "use o id"
	case "wait for it, or stop it; `ativa imports show %s` tells how far it is":
		return "espere por ela, ou pare-a; `ativa imports show %s` conta até onde foi"
	case "waits for the partner to confirm the cancellation":
		return "espera a confirmação do parceiro para o cancelamento"
	case "waits for the partner to confirm the change of product":
		return "espera a confirmação do parceiro para a troca de produto"
	case "waits for the partner to confirm the reactivation":
		return "espera a confirmação do parceiro para a reativação"
	case "waits for the partner to confirm the suspension for lack of payment":
		return "espera a confirmação do parceiro para a suspensão por falta de pagamento"
	case "waits for the partner to confirm the suspension":
		return "espera a confirmação do parceiro para a suspensão"
	case "waits for the subscriber to follow the link in the activation e-mail":
		return "espera que o assinante siga o link do e-mail de ativação"
	case "waits for":
		return "espera por"
	}
	return ""
}

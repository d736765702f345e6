package lang

// ptSaid is what the other commands say while they work, ask and fail.
func ptSaid(english string) string {
	switch english {
	case "  and %d more: see the report":
		return "  e mais %d: veja o relatório"
	case "%d [row was|rows were] done by an earlier run":
		return "%d [linha foi feita|linhas foram feitas] por uma execução anterior"
	case "%d [row was|rows were] refused, and none done":
		return "%d [linha foi recusada|linhas foram recusadas], e nenhuma feita"
	case "%d [row|rows]: %d valid, %d invalid, %d merged into others":
		return "%d [linha|linhas]: %d [válida|válidas], %d [inválida|inválidas], %d [juntada|juntadas] a outras"
	case "%d [service waits|services wait] in the queue: the provider's limit of active services is reached":
		return "%d [serviço espera|serviços esperam] na fila: o limite de serviços ativos do provedor foi atingido"
	case "%d forgotten":
		return "%d [esquecida|esquecidas]"
	case "%d of %d [change is|changes are] not made":
		return "%d de %d [mudança não foi feita|mudanças não foram feitas]"
	case "%d of %d [document is|documents are] done":
		return "%d de %d [documento feito|documentos feitos]"
	case "%d of %d [line is|lines are] invalid; nothing was sent":
		return "%d de %d [linha é inválida|linhas com erro]; nada foi enviado"
	case "%d of %d [row is|rows are] invalid; nothing was sent":
		return "%d de %d [linha é inválida|linhas com erro]; nada foi enviado"
	case "%d of %d [service is|services are] not final after %s, %s":
		return "%d de %d [serviço não tem|serviços não têm] status final depois de %s, %s"
	case "%d of %d [service is|services are] queued: the provider reached its limit of active services":
		return "%d de %d [serviço está|serviços estão] na fila: o provedor atingiu o limite de serviços ativos"
	case "%d of %d failed":
		return "%d de %d [falhou|falharam]"
	case "%d of %d failed; the others are done":
		return "%d de %d falharam; os outros estão feitos"
	case "%d products are called %q: %s":
		return "%d produtos se chamam %q: %s"
	case "%d × %s":
		return "%d × %s"
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
	case "%s %q is neither a number nor a share such as 5%%":
		return "%s %q não é um número nem uma parte como 5%%"
	case "%s %q: a share is 0%% to 100%%":
		return "%s %q: uma parte vai de 0%% a 100%%"
	case "%s by %s":
		return "%s por %s"
	case "%s has no services; to activate one: ativa provision activate --product P %s":
		return "%s não tem serviços; para ativar um: ativa provision activate --product P %s"
	case "%s is finished: %d [row|rows] done, %d failed":
		return "%s está terminada: %d [linha feita|linhas feitas], %d [recusada|recusadas]"
	case "%s is not a plan of ativa sync":
		return "%s não é um plano de ativa sync"
	case "%s needs a command":
		return "%s precisa de um comando"
	case "%s of the %s":
		return "%s (%s)"
	case "%s to %s":
		return "%s para %s"
	case "%s, the %s":
		return "%s: %s"
	case "%s: %d of %d %s, %.0f a second":
		return "%s: %d de %d %s, %.0f por segundo"
	case "%s: a query holds texts, numbers, true and false":
		return "%s: uma consulta tem textos, números, true e false"
	case "%s; number %d in the queue":
		return "%s; número %d na fila"
	case "%s; trying again":
		return "%s; tentando de novo"
	case ", %s left":
		return ", faltam %s"
	case "--batch-size is 1 to %d":
		return "--batch-size vai de 1 a %d"
	case "--concurrency is 1 to 64":
		return "--concurrency vai de 1 a 64"
	case "--from and --to are needed":
		return "--from e --to são necessários"
	case "--header %q is not NAME: VALUE":
		return "--header %q não é NOME: VALOR"
	case "--input is the whole body: neither fields nor GET go with it":
		return "--input é o corpo inteiro: nem campos nem GET combinam com ele"
	case "--limit is a number of events":
		return "--limit é um número de eventos"
	case "--map %q is not field=column":
		return "--map %q não é campo=coluna"
	case "--map %s":
		return "--map %s"
	case "--paginate goes with GET":
		return "--paginate combina com GET"
	case "--product is needed":
		return "--product é necessário"
	case "--rate is above 0":
		return "--rate é maior que 0"
	case "--save-map needs --map":
		return "--save-map precisa de --map"
	case "-F %q is not NAME=VALUE":
		return "-F %q não é NOME=VALOR"
	case "-f %q is not NAME=VALUE":
		return "-f %q não é NOME=VALOR"
	case "Activate a product, or reactivate it, or change to it":
		return "Ativar um produto, ou reativá-lo, ou trocar para ele"
	case "Activate, change, suspend and cancel services":
		return "Ativar, trocar, suspender e cancelar serviços"
	case "Cancel %s for good, for %d [subscriber|subscribers]?":
		return "Cancelar %s de vez, de %d [assinante|assinantes]?"
	case "Cancel services for good":
		return "Cancelar serviços de vez"
	case "Context %s is protected. Type its name to go on:":
		return "O contexto %s é protegido. Digite o nome dele para continuar:"
	case "End the lack of payment":
		return "Encerrar a falta de pagamento"
	case "Erase %s (%s) for good?":
		return "Apagar %s (%s) de vez?"
	case "Generate the autocompletion script for bash":
		return "Gerar o script de completar para bash"
	case "Generate the autocompletion script for fish":
		return "Gerar o script de completar para fish"
	case "Generate the autocompletion script for powershell":
		return "Gerar o script de completar para powershell"
	case "Generate the autocompletion script for the specified shell":
		return "Gerar o script de completar para o shell indicado"
	case "Generate the autocompletion script for zsh":
		return "Gerar o script de completar para zsh"
	case "Make %d [change|changes]?":
		return "Fazer %d [mudança|mudanças]?"
	case "Output formats, columns, filters and templates":
		return "Formatos de saída, colunas, filtros e modelos"
	case "PATH is a path such as /products, not a URL":
		return "PATH é um caminho como /products, não uma URL"
	case "Provision content services for internet subscribers":
		return "Provisionar serviços de conteúdo para assinantes de internet"
	case "Register, find and change subscribers":
		return "Cadastrar, procurar e alterar assinantes"
	case "Suspend services for lack of payment":
		return "Suspender serviços por falta de pagamento"
	case "Suspend services; they can be reactivated":
		return "Suspender serviços; eles podem ser reativados"
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
	case "created at":
		return "criado em"
	case "customer plan":
		return "plano do cliente"
	case "did you mean %s?":
		return "você quis dizer %s?"
	case "disable completion descriptions":
		return "sem descrições ao completar"
	case "document %q: %s":
		return "documento %q: %s"
	case "erased %s":
		return "%s apagado"
	case "failure rate":
		return "taxa de falhas"
	case "file %q does not exist":
		return "o arquivo %q não existe"
	case "file %q: %s":
		return "arquivo %q: %s"
	case "for a final status":
		return "por um status final"
	case "for a place in the queue (the first is number %d)":
		return "por um lugar na fila (o primeiro é o número %d)"
	case "for a place in the queue":
		return "por um lugar na fila"
	case "for the partner to confirm":
		return "pela confirmação do parceiro"
	case "for the subscriber to follow the link in the activation e-mail":
		return "que o assinante siga o link do e-mail de ativação"
	case "format: table, json, jsonl, csv, tsv, yaml, name (default: table on a terminal, tsv otherwise)":
		return "formato: table, json, jsonl, csv, tsv, yaml, name (padrão: table no terminal, senão tsv)"
	case "give --yes --context %s":
		return "use --yes --context %s"
	case "give --yes":
		return "use --yes"
	case "give documents or --file, not both":
		return "informe documentos ou --file, não os dois"
	case "give documents, or --file FILE":
		return "informe documentos, ou --file ARQUIVO"
	case "give the fields to change, for example --email":
		return "informe os campos a mudar, por exemplo --email"
	case "going on with %s, begun on %s":
		return "continuando %s, começada em %s"
	case "id of the internet speed, as ativa subscribers speeds lists it":
		return "id da velocidade de internet, como ativa subscribers speeds a lista"
	case "internet speed id":
		return "id da velocidade"
	case "it follows the API and nothing more; `ativa subscribers list` shows how everything stands now":
		return "ele segue a API e nada mais; `ativa subscribers list` mostra como tudo está agora"
	case "last e-mail":
		return "último e-mail"
	case "last error":
		return "último erro"
	case "last event":
		return "último evento"
	case "last word of partner":
		return "última palavra do parceiro"
	case "look at it with --dry-run":
		return "veja com --dry-run"
	case "--allow-deactivate cancels it":
		return "--allow-deactivate o cancela"
	case "the file lacks the product":
		return "o arquivo não tem o produto"
	case "the file lacks the subscriber":
		return "o arquivo não tem o assinante"
	case "it is %s, which cannot become %s now":
		return "está %s, e não pode passar a %s agora"
	case "%d of the rows [is|are] hidden in the workbook, by a filter perhaps, and read like the others":
		return "%d das linhas [está oculta|estão ocultas] na planilha, talvez por um filtro, e [é lida|são lidas] como as outras"
	case "a name is looked for with: ativa subscribers search %s":
		return "um nome se procura com: ativa subscribers search %s"
	case "%d [row has|rows have] a value in a column without a name, which is left out; name the column if it is needed":
		return "%d [linha tem|linhas têm] um valor em uma coluna sem nome, que fica de fora; dê um nome à coluna se ela é necessária"
	case "mend the file; %s tells of every line":
		return "corrija o arquivo; %s conta de cada linha"
	case "mend them in %s, or send the rest with --skip-invalid; %s tells of every row":
		return "corrija-as em %s, ou envie o resto com --skip-invalid; %s conta de cada linha"
	case "mended: %d × %s (%s)":
		return "consertado: %d × %s (%s)"
	case "missing: %s":
		return "falta: %s"
	case "no answer came; run the same command again":
		return "não veio resposta; execute o mesmo comando de novo"
	case "no document is given":
		return "nenhum documento foi dado"
	case "no product has the id, code or name %q":
		return "nenhum produto tem o id, código ou nome %q"
	case "none of the changes was made":
		return "nenhuma das mudanças foi feita"
	case "not confirmed; nothing was sent":
		return "não confirmado; nada foi enviado"
	case "nothing to change":
		return "nada a mudar"
	case "occurred at":
		return "ocorreu em"
	case "operation id":
		return "id da operação"
	case "plan %q does not exist":
		return "o plano %q não existe"
	case "plan: %s (apply it with: ativa sync --apply %s)":
		return "plano: %s (aplique com: ativa sync --apply %s)"
	case "plan: %s":
		return "plano: %s"
	case "products: %s":
		return "produtos: %s"
	case "queued: the provider reached its limit of active services":
		return "na fila: o provedor atingiu o limite de serviços ativos"
	case "read only":
		return "só leitura"
	case "reading %s, columns separated by %q":
		return "lendo %s, colunas separadas por %q"
	case "reading sheet %q":
		return "lendo a planilha %q"
	case "received at":
		return "recebido em"
	case "refused rows: %s (mend them, then: %s)":
		return "linhas recusadas: %s (corrija-as, depois: %s)"
	case "report: %s":
		return "relatório: %s"
	case "run `ativa login` again, or check the token; `ativa auth status` shows which is used":
		return "execute `ativa login` de novo, ou confira o token; `ativa auth status` mostra qual é usado"
	case "run `ativa login`, or set ATIVA_ACCESS_TOKEN; `ativa auth status` shows where it was looked for":
		return "execute `ativa login`, ou defina ATIVA_ACCESS_TOKEN; `ativa auth status` mostra onde ele foi procurado"
	case "run the same command again":
		return "execute o mesmo comando de novo"
	case "run the same command again, or: ativa imports resume %s":
		return "execute o mesmo comando de novo, ou: ativa imports resume %s"
	case "run the same command again: what is done is not done twice":
		return "execute o mesmo comando de novo: o que está feito não é feito duas vezes"
	case "see %s":
		return "veja %s"
	case "see `%s --help`":
		return "veja `%s --help`"
	case "see `ativa imports list`":
		return "veja `ativa imports list`"
	case "see `ativa products`":
		return "veja `ativa products`"
	case "see the report; what was not sent is sent when the same command is run again":
		return "veja o relatório; o que não foi enviado é enviado quando o mesmo comando é executado de novo"
	case "stopped: %d of %d documents have failed":
		return "parou: %d de %d documentos falharam"
	case "subscriber_has_services":
		return "o assinante tem serviços que não estão cancelados"
	case "suspended for a time":
		return "suspenso por um tempo"
	case "suspended for lack of payment":
		return "suspenso por falta de pagamento"
	case "the file is good. This server has no dry run, so it was not checked which subscribers exist already, and whether each product may be activated":
		return "o arquivo está bom. Este servidor não tem simulação, então não se conferiu quais assinantes já existem, e se cada produto pode ser ativado"
	case "the file lacks %d [subscriber|subscribers] with services, left as they are (--allow-deactivate cancels them)":
		return "o arquivo não traz %d [assinante|assinantes] com serviços, que ficam como estão (--allow-deactivate os cancela)"
	case "the import is not complete: %d [row|rows] without an answer, %d not sent":
		return "a importação não está completa: %d [linha|linhas] sem resposta, %d não [enviada|enviadas]"
	case "the last operation failed":
		return "a última operação falhou"
	case "the plan has %d [change|changes] for %d [subscriber|subscribers], more than --max-changes %s; nothing was sent":
		return "o plano tem %d [mudança|mudanças] para %d [assinante|assinantes], mais que --max-changes %s; nada foi enviado"
	case "the plan is for context %q on %s, not for %q on %s":
		return "o plano é para o contexto %q em %s, não para %q em %s"
	case "the query of %q cannot be read":
		return "não foi possível ler a consulta de %q"
	case "the server is chosen by --server or the context":
		return "o servidor se escolhe com --server ou pelo contexto"
	case "the server keeps no history, so e-mails and events are not known":
		return "o servidor não guarda histórico, então e-mails e eventos não são conhecidos"
	case "the service is enabled":
		return "o serviço está ativo"
	case "the status %q is not one that this program knows; ask whoever runs the server":
		return "o status %q não é conhecido por este programa; pergunte a quem cuida do servidor"
	case "there is no help about %q":
		return "não há ajuda sobre %q"
	case "there is no status %q":
		return "não há status %q"
	case "there is: %s":
		return "há: %s"
	case "they go on by themselves; look again with `ativa subscribers explain DOC`":
		return "eles seguem sozinhos; olhe de novo com `ativa subscribers explain DOC`"
	case "they start by themselves when there is room; ask for a higher limit, or leave the queue with `ativa provision deactivate`":
		return "eles começam sozinhos quando houver lugar; peça um limite maior, ou saia da fila com `ativa provision deactivate`"
	case "this server cannot say what would happen: only the status of now is shown":
		return "este servidor não sabe dizer o que aconteceria: só o status de agora é mostrado"
	case "this server has no event feed":
		return "este servidor não tem fluxo de eventos"
	case "this server keeps no idempotency keys: reading which subscribers it has":
		return "este servidor não guarda chaves de idempotência: lendo que assinantes ele tem"
	case "to go on: ativa events --after %s":
		return "para continuar: ativa events --after %s"
	case "try again later":
		return "tente mais tarde"
	case "try again later; `ativa doctor` looks for the cause":
		return "tente mais tarde; `ativa doctor` procura a causa"
	case "unknown command %q for %s":
		return "comando desconhecido %q para %s"
	case "updated: %s":
		return "atualizado: %s"
	case "use -o jsonl":
		return "use -o jsonl"
	case "use the id":
		return "use o id"
	case "wait for it, or stop it; `ativa imports show %s` tells how far it is":
		return "espere por ela, ou pare-a; `ativa imports show %s` conta até onde foi"
	case "waiting: %s":
		return "esperando: %s"
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
	case "what is allowed: activate,reactivate,change_to_this_product,change_from_this_product,suspend,deactivate (default: all)":
		return "o que é permitido: activate,reactivate,change_to_this_product,change_from_this_product,suspend,deactivate (padrão: tudo)"
	}
	return ""
}

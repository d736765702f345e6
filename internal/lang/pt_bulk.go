package lang

// ptBulk is what the commands say that take many rows or documents: import,
// provision, sync and the wait for their end.
func ptBulk(english string) string {
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
	case "%d × %s":
		return "%d × %s"
	case "%s %q is neither a number nor a share such as 5%%":
		return "%s %q não é um número nem uma parte como 5%%"
	case "%s %q: a share is 0%% to 100%%":
		return "%s %q: uma parte vai de 0%% a 100%%"
	case "%s is finished: %d [row|rows] done, %d failed":
		return "%s está terminada: %d [linha feita|linhas feitas], %d [recusada|recusadas]"
	case "%s is not a plan of ativa sync":
		return "%s não é um plano de ativa sync"
	case "%s: %d of %d %s, %.0f a second":
		return "%s: %d de %d %s, %.0f por segundo"
	case ", %s left":
		return ", faltam %s"
	case "--allow-deactivate cancels it":
		return "--allow-deactivate o cancela"
	case "--batch-size is 1 to %d":
		return "--batch-size vai de 1 a %d"
	case "--concurrency is 1 to 64":
		return "--concurrency vai de 1 a 64"
	case "--from and --to are needed":
		return "--from e --to são necessários"
	case "--map %q is not field=column":
		return "--map %q não é campo=coluna"
	case "--map %s":
		return "--map %s"
	case "--product is needed":
		return "--product é necessário"
	case "--rate is above 0":
		return "--rate é maior que 0"
	case "--map-value %s":
		return "--map-value %s"
	case "--save-map cannot keep %q, because of its semicolon":
		return "--save-map não pode guardar %q, por causa do ponto e vírgula"
	case "--save-map needs --map or --map-value":
		return "--save-map precisa de --map ou --map-value"
	case "  %d [row|rows], first in line %d: %s":
		return "  %d [linha|linhas], a primeira na linha %d: %s"
	case "  and %d other [value|values]: see the report":
		return "  e mais %d [valor|valores]: veja o relatório"
	case "Activate a product, or reactivate it, or change to it":
		return "Ativar um produto, ou reativá-lo, ou trocar para ele"
	case "Activate, change, suspend and cancel services":
		return "Ativar, trocar, suspender e cancelar serviços"
	case "Cancel %s for good, for %d [subscriber|subscribers]?":
		return "Cancelar %s de vez, de %d [assinante|assinantes]?"
	case "Cancel services for good":
		return "Cancelar serviços de vez"
	case "End the lack of payment":
		return "Encerrar a falta de pagamento"
	case "Make %d [change|changes]?":
		return "Fazer %d [mudança|mudanças]?"
	case "Suspend services for lack of payment":
		return "Suspender serviços por falta de pagamento"
	case "Suspend services; they can be reactivated":
		return "Suspender serviços; eles podem ser reativados"
	case "document %q: %s":
		return "documento %q: %s"
	case "file %q does not exist":
		return "o arquivo %q não existe"
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
	case "give documents or --file, not both":
		return "informe documentos ou --file, não os dois"
	case "give documents, or --file FILE":
		return "informe documentos, ou --file ARQUIVO"
	case "going on with %s, begun on %s":
		return "continuando %s, começada em %s"
	case "it is %s, which cannot become %s now":
		return "está %s, e não pode passar a %s agora"
	case "look at it with --dry-run; if it is meant, --max-changes %d allows it":
		return "veja com --dry-run; se é isso mesmo, --max-changes %d permite"
	case "the plan cancels %d services of %d [subscriber|subscribers], more than %d; nothing was sent":
		return "o plano cancela %d serviços de %d [assinante|assinantes], mais que %d; nada foi enviado"
	case "the product in its place was refused":
		return "o produto que ficaria no lugar foi recusado"
	case "%s was changed since it was written and is kept; the refused rows are now in %s":
		return "%s foi alterado depois de escrito e fica como está; as linhas recusadas estão agora em %s"
	case "look at it with --dry-run":
		return "veja com --dry-run"
	case "mend the file; %s tells of every line":
		return "corrija o arquivo; %s conta de cada linha"
	case "mend them in %s, or send the rest with --skip-invalid; %s tells of every row":
		return "corrija-as em %s, ou envie o resto com --skip-invalid; %s conta de cada linha"
	case "mended: %d × %s (%s)":
		return "consertado: %d × %s (%s)"
	case "no answer came; run the same command again":
		return "não veio resposta; execute o mesmo comando de novo"
	case "no document is given":
		return "nenhum documento foi dado"
	case "none of the changes was made":
		return "nenhuma das mudanças foi feita"
	case "plan %q does not exist":
		return "o plano %q não existe"
	case "plan: %s (apply it with: ativa sync --apply %s)":
		return "plano: %s (aplique com: ativa sync --apply %s)"
	case "plan: %s":
		return "plano: %s"
	case "reading %s, columns separated by %q":
		return "lendo %s, colunas separadas por %q"
	case "reading sheet %q":
		return "lendo a planilha %q"
	case "refused rows: %s (mend them, then: %s)":
		return "linhas recusadas: %s (corrija-as, depois: %s)"
	case "report: %s":
		return "relatório: %s"
	case "run the same command again":
		return "execute o mesmo comando de novo"
	case "run the same command again, or: ativa imports resume %s":
		return "execute o mesmo comando de novo, ou: ativa imports resume %s"
	case "run the same command again: what is done is not done twice":
		return "execute o mesmo comando de novo: o que está feito não é feito duas vezes"
	case "see %s":
		return "veja %s"
	case "see `ativa products`":
		return "veja `ativa products`"
	case "see the report; what was not sent is sent when the same command is run again":
		return "veja o relatório; o que não foi enviado é enviado quando o mesmo comando é executado de novo"
	case "%d have failed: nothing further is sent; finishing what is under way":
		return "%d falharam: nada mais é enviado; terminando o que está em andamento"
	case "finishing what is under way; Ctrl-C again stops now":
		return "terminando o que está em andamento; Ctrl-C de novo para já"
	case "stopping after an error; finishing what is under way":
		return "parando por causa de um erro; terminando o que está em andamento"
	case "stopped: %d of %d documents have failed":
		return "parou: %d de %d documentos falharam"
	case "the file is good. This server has no dry run, so it was not checked which subscribers exist already, and whether each product may be activated":
		return "o arquivo está bom. Este servidor não tem simulação, então não se conferiu quais assinantes já existem, e se cada produto pode ser ativado"
	case "the file lacks %d [subscriber|subscribers] with services, left as they are (--allow-deactivate cancels them)":
		return "o arquivo não traz %d [assinante|assinantes] com serviços, que ficam como estão (--allow-deactivate os cancela)"
	case "the file lacks the product":
		return "o arquivo não tem o produto"
	case "the file lacks the subscriber":
		return "o arquivo não tem o assinante"
	case "the import is not complete: %d [row|rows] without an answer, %d not sent":
		return "a importação não está completa: %d [linha|linhas] sem resposta, %d não [enviada|enviadas]"
	case "the plan has %d [change|changes] for %d [subscriber|subscribers], more than --max-changes %s; nothing was sent":
		return "o plano tem %d [mudança|mudanças] para %d [assinante|assinantes], mais que --max-changes %s; nada foi enviado"
	case "the plan is for context %q on %s, not for %q on %s":
		return "o plano é para o contexto %q em %s, não para %q em %s"
	case "they go on by themselves; look again with `ativa subscribers explain DOC`":
		return "eles seguem sozinhos; olhe de novo com `ativa subscribers explain DOC`"
	case "they start by themselves when there is room; ask for a higher limit, or leave the queue with `ativa provision deactivate`":
		return "eles começam sozinhos quando houver lugar; peça um limite maior, ou saia da fila com `ativa provision deactivate`"
	case "the server has accepted it and does not say which e-mails it sends":
		return "o servidor aceitou e não diz quais e-mails envia"
	case "%d of %d would fail; nothing was sent":
		return "%d de %d [falharia|falhariam]; nada foi enviado"
	case "this server has no dry runs: the next status is what the API document says; the server may refuse, or queue an activation":
		return "este servidor não tem simulação: o próximo status é o que o documento da API diz; o servidor pode recusar, ou pôr uma ativação na fila"
	case "this server keeps no idempotency keys: reading which subscribers it has":
		return "este servidor não guarda chaves de idempotência: lendo que assinantes ele tem"
	case "updated: %s":
		return "atualizado: %s"
	case "waiting: %s":
		return "esperando: %s"
	}
	return ""
}

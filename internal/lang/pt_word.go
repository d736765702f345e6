package lang

// ptWord is single words: columns, codes of refusals, labels.
func ptWord(english string) string {
	switch english {
	case "--offline":
		return "--offline"
	case "Aliases:":
		return "Apelidos:"
	case "Examples:":
		return "Exemplos:"
	case "Flags:":
		return "Opções:"
	case "Usage:":
		return "Uso:"
	case "Use":
		return "Use"
	case "created":
		return "criados"
	case "existing":
		return "já existiam"
	case "duplicate":
		return "duplicados"
	case "invalid":
		return "inválidas"
	case "unknown":
		return "sem resposta"
	case "not sent":
		return "não enviadas"
	case "in tables":
		return "nas tabelas"
	case "required":
		return "é obrigatório"
	case "invalid_email":
		return "não é um endereço de e-mail simples, como ana@example.com"
	case "control_character":
		return "tem uma quebra de linha ou um caractere de controle"
	case "area code":
		return "DDD"
	case "surname":
		return "sobrenome"
	case "products ids":
		return "produtos"
	case "action":
		return "ação"
	case "action_not_allowed":
		return "o produto não permite essa ação"
	case "active":
		return "ativo"
	case "actor":
		return "autor"
	case "applying":
		return "aplicando"
	case "attempts":
		return "tentativas"
	case "batch_failed":
		return "todos os elementos do lote falharam"
	case "before":
		return "antes"
	case "can":
		return "pode"
	case "category":
		return "categoria"
	case "changes":
		return "mudanças"
	case "check":
		return "conferência"
	case "code":
		return "código"
	case "commit":
		return "commit"
	case "context":
		return "contexto"
	case "created at":
		return "criado em"
	case "current":
		return "atual"
	case "customer plan":
		return "plano do cliente"
	case "date":
		return "data"
	case "delay":
		return "demora"
	case "delivered":
		return "entregue"
	case "detail":
		return "detalhe"
	case "disabled":
		return "desativado"
	case "document":
		return "documento"
	case "documents":
		return "documentos"
	case "done":
		return "feitas"
	case "driver":
		return "driver"
	case "email":
		return "e-mail"
	case "enabled":
		return "habilitado"
	case "error":
		return "erro"
	case "explanation":
		return "explicação"
	case "failed", "failures":
		return "falhas"
	case "failure rate":
		return "taxa de falhas"
	case "family":
		return "família"
	case "family_conflict":
		return "o assinante já tem um produto desta família"
	case "fields":
		return "campos"
	case "file":
		return "arquivo"
	case "final":
		return "final"
	case "finding":
		return "achado"
	case "found":
		return "encontrado"
	case "from":
		return "de"
	case "go":
		return "go"
	case "importing":
		return "importando"
	case "insufficient_scope":
		return "a credencial não permite isso"
	case "intermediate":
		return "intermediário"
	case "internet speed id":
		return "id da velocidade"
	case "interrupted":
		return "interrompido"
	case "invalid_access_token":
		return "o token de acesso não é válido"
	case "key":
		return "chave"
	case "kind":
		return "tipo"
	case "last error":
		return "último erro"
	case "limit":
		return "limite"
	case "line":
		return "linha"
	case "matched":
		return "combinou"
	case "meaning":
		return "significado"
	case "name":
		return "nome"
	case "next":
		return "em seguida"
	case "none":
		return "nenhum"
	case "not_found":
		return "não existe"
	case "not_replaceable":
		return "o produto não pode ser trocado por este"
	case "nothing_to_resend":
		return "nada a reenviar: nenhum serviço espera ativação"
	case "now":
		return "agora"
	case "occurred at":
		return "ocorreu em"
	case "operation id":
		return "id da operação"
	case "operation":
		return "operação"
	case "operation_in_progress":
		return "outra operação está em andamento"
	case "parked":
		return "guardado"
	case "partner":
		return "parceiro"
	case "payload_too_large":
		return "a requisição é grande demais"
	case "phone":
		return "telefone"
	case "place":
		return "lugar"
	case "product":
		return "produto"
	case "product_inactive":
		return "o produto não está ativo"
	case "program":
		return "programa"
	case "protected":
		return "protegido"
	case "provider":
		return "provedor"
	case "queue":
		return "fila"
	case "queued":
		return "na fila"
	case "rate_limited":
		return "requisições demais; espere um pouco"
	case "read only":
		return "só leitura"
	case "reason":
		return "motivo"
	case "received at":
		return "recebido em"
	case "remedy":
		return "remédio"
	case "request_in_progress":
		return "a mesma requisição ainda está em andamento"
	case "result":
		return "resultado"
	case "rows":
		return "linhas"
	case "same_product":
		return "é o mesmo produto"
	case "server":
		return "servidor"
	case "service_canceled":
		return "o serviço está cancelado"
	case "service_in_error":
		return "o serviço está em erro"
	case "service_not_active":
		return "o serviço não está ativo"
	case "service_not_found":
		return "o assinante não tem serviço deste produto"
	case "service_overdue":
		return "o serviço está suspenso por falta de pagamento"
	case "service_suspended":
		return "o serviço está suspenso"
	case "services":
		return "serviços"
	case "severity":
		return "gravidade"
	case "since":
		return "desde"
	case "slug":
		return "slug"
	case "source":
		return "origem"
	case "speed":
		return "velocidade"
	case "started":
		return "começou"
	case "state":
		return "estado"
	case "stopping":
		return "parando"
	case "subscriber_exists":
		return "o assinante já existe"
	case "subscriber_not_found":
		return "o assinante não existe"
	case "system":
		return "sistema"
	case "token_expired":
		return "o token venceu"
	case "token_invalid":
		return "o token não é válido"
	case "token_missing":
		return "falta o token"
	case "too_many_items":
		return "elementos demais em uma requisição"
	case "took":
		return "levou"
	case "trigger":
		return "gatilho"
	case "type":
		return "tipo"
	case "unanswered":
		return "sem resposta"
	case "unavailable":
		return "o serviço está indisponível agora"
	case "unknown_internet_speed":
		return "a velocidade de internet não existe"
	case "unknown_product":
		return "o produto não existe ou não é seu"
	case "value":
		return "valor"
	case "version":
		return "versão"
	case "waiting":
		return "esperando"
	case "y/N":
		return "s/N"
	}
	return ""
}

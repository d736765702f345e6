package lang

// ptServer is the Portuguese of what our server says of a request that it
// refuses.
func ptServer(english string) string {
	switch english {
	case "a bearer token is needed":
		return "falta o token de acesso (Authorization: Bearer)"
	case "a product cannot be activated":
		return "um dos produtos não pode ser ativado"
	case "a product does not exist or is not sold by this provider":
		return "um dos produtos não existe ou não é vendido por este provedor"
	case "a product is not active":
		return "um dos produtos não está à venda"
	case "a request with this idempotency key is still running":
		return "uma requisição com esta chave de idempotência ainda está em andamento"
	case "a subscriber has services of this product and of another of the family; one of them must be cancelled first":
		return "um assinante tem serviços deste produto e de outro da mesma família; antes é preciso cancelar um deles"
	case "a subscriber with this document exists":
		return "já existe um assinante com este CPF"
	case "an error of the server; it is in its log under the request id":
		return "um erro do servidor; está no log dele com o request id"
	case "an object holds the same key twice":
		return "um objeto tem a mesma chave duas vezes"
	case "arrays and objects nest too deeply":
		return "listas e objetos aninhados demais"
	case "at least one element":
		return "pelo menos um elemento"
	case "at most 254 characters":
		return "no máximo 254 caracteres"
	case "at most 255 characters":
		return "no máximo 255 caracteres"
	case "both products are the same":
		return "os dois produtos são o mesmo"
	case "events after the cursor are no longer kept; begin without a cursor":
		return "eventos posteriores ao cursor já não são guardados; comece sem cursor"
	case "every element of the request failed; the results say why":
		return "todos os elementos da requisição falharam; os resultados dizem por quê"
	case "holds U+FFFD, which stands for a character that was lost on the way":
		return "contém U+FFFD, o sinal de um caractere que se perdeu no caminho"
	case "it took too long; try again":
		return "demorou demais; tente de novo"
	case "more than 5,000 elements in one request; send several":
		return "mais de 5.000 elementos em uma requisição; envie várias"
	case "must be a next_cursor of this feed":
		return "deve ser um next_cursor desta lista"
	case "must be a string":
		return "deve ser um texto"
	case "must be an array":
		return "deve ser uma lista"
	case "must be an integer":
		return "deve ser um número inteiro"
	case "must be an object":
		return "deve ser um objeto"
	case "must be one plain e-mail address":
		return "deve ser um único endereço de e-mail, sem nada mais"
	case "must be service.OPERATION.confirmed or service.OPERATION.failed":
		return "deve ser service.OPERATION.confirmed ou service.OPERATION.failed"
	case "must be text without control characters":
		return "deve ser um texto sem caracteres de controle"
	case "must be the operation_id of a request":
		return "deve ser o operation_id de uma requisição"
	case "must hold integers":
		return "deve conter números inteiros"
	case "must not contain control characters":
		return "não pode conter caracteres de controle"
	case "no subscriber has this document":
		return "nenhum assinante tem este CPF"
	case "no such provider":
		return "não há esse provedor"
	case "not in the list of internet speeds":
		return "não está na lista de velocidades de internet"
	case "one of the products does not allow the change":
		return "um dos produtos não permite a troca"
	case "only gzip is understood as Content-Encoding":
		return "como Content-Encoding só se entende gzip"
	case "the access token is not valid":
		return "o token de acesso não é válido"
	case "the bearer token has expired; authenticate again":
		return "o token da sessão expirou; autentique de novo"
	case "the bearer token is not valid":
		return "o token da sessão não é válido"
	case "the body did not come in whole":
		return "o corpo não chegou inteiro"
	case "the body is not UTF-8":
		return "o corpo não está em UTF-8"
	case "the body is not gzip, as its Content-Encoding says":
		return "o corpo não é gzip, como diz o Content-Encoding"
	case "the body is not one valid JSON document":
		return "o corpo não é um documento JSON válido"
	case "too many large requests of this provider are under way; send fewer at once":
		return "há requisições grandes demais deste provedor em andamento; envie menos ao mesmo tempo"
	case "the cursor is beyond the end of the feed: the service was restored from a backup; begin without a cursor":
		return "o cursor está além do fim da lista: o serviço foi restaurado de um backup; comece sem cursor"
	case "the cursor is not one of this feed":
		return "o cursor não é desta lista"
	case "the idempotency key was used before for another request":
		return "a chave de idempotência já foi usada em outra requisição"
	case "the path does not take this method":
		return "o caminho não aceita este método"
	case "the product cannot be activated":
		return "o produto não pode ser ativado"
	case "the product cannot be reactivated":
		return "o produto não pode ser reativado"
	case "the product does not allow this action":
		return "o produto não permite esta ação"
	case "the product does not exist or is not sold by this provider":
		return "o produto não existe ou não é vendido por este provedor"
	case "the product is not active":
		return "o produto não está à venda"
	case "the request has invalid fields":
		return "a requisição tem campos inválidos"
	case "the requested product is not active":
		return "o produto pedido não está à venda"
	case "the server is not ready":
		return "o servidor não está pronto"
	case "the server is stopping":
		return "o servidor está parando"
	case "the signature, its time or its id is missing or wrong":
		return "a assinatura, a hora dela ou o id dela falta ou está errado"
	case "the subscriber has invalid fields":
		return "o assinante tem campos inválidos"
	case "the subscriber has services that are not cancelled; cancel them first":
		return "o assinante tem serviços que não foram cancelados; cancele-os antes"
	case "the subscriber has used up its 4,095 tokens":
		return "o assinante já usou os seus 4.095 tokens"
	case "there is nothing at this path":
		return "não há nada neste caminho"
	case "this request was carried out before; its answer was erased with the subscriber":
		return "esta requisição já foi executada; a resposta dela foi apagada com o assinante"
	case "too many requests; try again later":
		return "requisições demais; tente de novo mais tarde"
	case "two characters or more":
		return "dois caracteres ou mais"
	case "two products are of one family":
		return "dois dos produtos são da mesma família"
	}
	return ""
}

package lang

// ptRefusal is the Portuguese of what is said of refusals, of the network and of
// flags, and of what cobra writes into a help page itself.
func ptRefusal(english string) string {
	switch english {
	case "%d [service is|services are] queued: the provider reached its limit of active services":
		return "%d [serviço está|serviços estão] na fila: o provedor atingiu o limite de serviços ativos"
	case "%s %s for %s":
		return "%s %s para %s"
	case "%s is a directory, not a file":
		return "%s é um diretório, não um arquivo"
	case "%s product %s":
		return "%s, produto %s"
	case "%s: there is no %q, but %s":
		return "%s: não há %q; há %s"
	case "(default ":
		return "(padrão "
	case "CA file":
		return "arquivo de autoridades"
	case "[command]":
		return "[comando]"
	case "[flags]":
		return "[opções]"
	case "`ativa config list` shows what is set, and where that comes from":
		return "`ativa config list` mostra o que está definido, e de onde vem"
	case "`ativa doctor` looks for the cause; --debug shows what is sent":
		return "`ativa doctor` procura a causa; --debug mostra o que é enviado"
	case "`ativa products` shows what may be sold, and done with it":
		return "`ativa products` mostra o que pode ser vendido, e feito com cada produto"
	case "`ativa subscribers explain DOC` says how each service stands, and what to do next":
		return "`ativa subscribers explain DOC` diz como está cada serviço, e o que fazer agora"
	case "`ativa subscribers get DOC` shows the one that exists, `ativa subscribers update DOC` changes it":
		return "`ativa subscribers get DOC` mostra o assinante que existe, `ativa subscribers update DOC` o altera"
	case "`ativa subscribers get DOC` shows the services there are":
		return "`ativa subscribers get DOC` mostra os serviços que há"
	case "`ativa subscribers search TERM` finds one by name, e-mail or telephone; `ativa subscribers create` registers one":
		return "`ativa subscribers search TERMO` procura por nome, e-mail ou telefone; `ativa subscribers create` cadastra"
	case "a URL must not hold a user name or password":
		return "a URL não pode conter usuário nem senha"
	case "a base URL has no query and no fragment":
		return "uma URL base não tem parâmetros nem fragmento"
	case "a search term has at most 32 different words":
		return "um termo de busca tem no máximo 32 palavras diferentes"
	case "a search term needs two characters or more":
		return "um termo de busca precisa de dois caracteres ou mais"
	case "a web page and no JSON; is this the address of the API?":
		return "uma página web, e não JSON; este é o endereço da API?"
	case "and %d more":
		return "e mais %d"
	case "cancel the services first with `ativa provision deactivate`":
		return "cancele antes os serviços com `ativa provision deactivate`"
	case "cannot be read":
		return "não pode ser lido"
	case "cannot be used":
		return "não pode ser usado"
	case "cannot go together with --jq":
		return "não combina com --jq"
	case "change %s to %s for %s":
		return "trocar %s por %s para %s"
	case "change fields of %s":
		return "alterar dados de %s"
	case "check the method and the path, and the address of the server: `ativa doctor`":
		return "confira o método e o caminho, e o endereço do servidor: `ativa doctor`"
	case "check the address of the server: `ativa doctor`":
		return "confira o endereço do servidor: `ativa doctor`"
	case "client certificate":
		return "certificado de cliente"
	case "duration":
		return "duração"
	case "erase %s for good":
		return "apagar %s para sempre"
	case "holds no certificate in PEM form":
		return "não contém certificado no formato PEM"
	case "int":
		return "nº"
	case "it took too long: %s":
		return "demorou demais: %s"
	case "make room on the disk and run the same command again":
		return "libere espaço no disco e execute o mesmo comando de novo"
	case "must look like /subscribers?name=value":
		return "deve ser como /subscribers?nome=valor"
	case "no whole answer came":
		return "não veio uma resposta completa"
	case "no whole answer in time":
		return "o tempo acabou"
	case "the server has gone silent":
		return "o servidor não responde"
	case "no answer came, and the request may have been carried out":
		return "não veio resposta, e a requisição pode ter sido executada"
	case "no machine has the name %s":
		return "nenhuma máquina tem o nome %s"
	case "not a URL like http://host:port":
		return "não é uma URL como http://host:porta"
	case "not a URL like https://host":
		return "não é uma URL como https://host"
	case "nothing listens there: %s":
		return "nada atende nesse endereço: %s"
	case "nothing was changed; mend the request and try again, or see what is sent with --debug":
		return "nada foi alterado; corrija a requisição e tente de novo, ou veja com --debug o que é enviado"
	case "path":
		return "caminho"
	case "plain http would send the token unprotected; use https":
		return "http simples enviaria o token sem proteção; use https"
	case "there is no TLS at this address; it may be meant to begin with http://":
		return "não há TLS neste endereço; talvez ele deva começar com http://"
	case "register %s (%s)":
		return "cadastrar %s (%s)"
	case "see `ativa help csv`":
		return "veja `ativa help csv`"
	case "without --after, `ativa events` begins with the oldest event that is kept; how everything stands now is in `ativa subscribers list`":
		return "sem --after, `ativa events` começa pelo evento mais antigo que ainda é guardado; `ativa subscribers list` mostra como tudo está agora"
	case "see `ativa help formatting`":
		return "veja `ativa help formatting`"
	case "see `ativa subscribers speeds`":
		return "veja `ativa subscribers speeds`"
	case "send the activation e-mails of %s again; earlier links stop working":
		return "enviar de novo os e-mails de ativação de %s; os links anteriores deixam de funcionar"
	case "set HOME or %s":
		return "defina HOME ou %s"
	case "set the server with `ativa config set server URL`, or --server":
		return "defina o servidor com `ativa config set server URL`, ou --server"
	case "string":
		return "texto"
	case "stringArray":
		return "lista"
	case "strings":
		return "lista"
	case "the URL must start with https:// or http://":
		return "a URL deve começar com https:// ou http://"
	case "the server cannot be reached":
		return "não foi possível falar com o servidor"
	case "there is no home directory":
		return "não há diretório pessoal"
	case "there is no import %q":
		return "não há importação %q"
	case "an old Excel workbook (.xls) or one with a password":
		return "uma pasta de trabalho antiga do Excel (.xls) ou com senha"
	case "use --lang pt or --lang en":
		return "use --lang pt ou --lang en"
	case "the results above say why each failed":
		return "os resultados acima dizem por que cada um falhou"
	case "%s takes %s":
		return "%s precisa de %s"
	case "%s takes no arguments, but got %q":
		return "%s não aceita argumentos, mas recebeu %q"
	case "--apply takes the place of FILE: the plan knows what to do":
		return "--apply toma o lugar de FILE: o plano sabe o que fazer"
	case "is one of %s; not %q":
		return "é um destes: %s; não %q"
	case "is a time such as 30s or 2m; not %q":
		return "é um tempo como 30s ou 2m; não %q"
	case "is a list of what --map-value takes, with semicolons between: %s":
		return "é uma lista do que --map-value aceita, com ponto e vírgula entre os itens: %s"
	case "is field=column;field=column: %s":
		return "é campo=coluna;campo=coluna: %s"
	case "invalid argument %s for %s flag: a time is written as 30s or 2m":
		return "valor inválido %s para a opção %s: um tempo se escreve como 30s ou 2m"
	case "invalid argument %s for %s flag: a number is needed":
		return "valor inválido %s para a opção %s: é preciso um número"
	case "float":
		return "nº"
	case "a PDF document":
		return "um documento PDF"
	case "a compressed file (gzip)":
		return "um arquivo compactado (gzip)"
	case "a compressed file (rar)":
		return "um arquivo compactado (rar)"
	case "a compressed file (7z)":
		return "um arquivo compactado (7z)"
	case "a picture":
		return "uma imagem"
	case "a text document (RTF)":
		return "um documento de texto (RTF)"
	case "a web page (HTML)":
		return "uma página web (HTML)"
	case "an XML document":
		return "um documento XML"
	case "a JSON document":
		return "um documento JSON"
	case "a file of binary data":
		return "um arquivo de dados binários"
	case "a binary Excel workbook (.xlsb)":
		return "uma pasta de trabalho binária do Excel (.xlsb)"
	case "an OpenDocument file (.ods)":
		return "um arquivo OpenDocument (.ods)"
	case "a Word document":
		return "um documento do Word"
	case "a zip archive":
		return "um arquivo zip"
	}
	return ""
}

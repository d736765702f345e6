package lang

// ptFlag is what the help says of a flag.
func ptFlag(english string) string {
	switch english {
	case "CPF, in any format":
		return "CPF, em qualquer formato"
	case "CSV for Excel: byte order mark and semicolons":
		return "CSV para o Excel: marca de ordem de bytes e ponto e vírgula"
	case "Go template over the JSON":
		return "modelo Go sobre o JSON"
	case "PEM file of a client certificate":
		return "arquivo PEM de um certificado de cliente"
	case "PEM file of authorities to trust instead of the system's":
		return "arquivo PEM das autoridades em que confiar, em vez das do sistema"
	case "PEM file of its key":
		return "arquivo PEM da chave dele"
	case "PEM file of the certificate":
		return "arquivo PEM do certificado"
	case "URL of a proxy":
		return "URL de um proxy"
	case "activate the products of subscribers that exist already, too":
		return "ativar também os produtos de assinantes que já existem"
	case "active services at once":
		return "serviços ativos ao mesmo tempo"
	case "add a header: 'NAME: VALUE'":
		return "acrescentar um cabeçalho: 'NOME: VALOR'"
	case "add a text: NAME=VALUE":
		return "acrescentar um texto: NOME=VALOR"
	case "add a value: NAME=VALUE, NAME=@FILE":
		return "acrescentar um valor: NOME=VALOR, NOME=@ARQUIVO"
	case "address or network of a proxy that ends TLS before this server: its X-Forwarded-For is believed":
		return "endereço ou rede de um proxy que termina o TLS antes deste servidor: acredita-se no X-Forwarded-For dele"
	case "address to listen on (ATIVA_LISTEN; default 127.0.0.1:8080)":
		return "endereço em que escutar (ATIVA_LISTEN; padrão 127.0.0.1:8080)"
	case "also those that are done, of the last 30 days":
		return "também as que estão feitas, dos últimos 30 dias"
	case "also those that have ended":
		return "também as que terminaram"
	case "apply the plan of this file":
		return "aplicar o plano deste arquivo"
	case "ask before every change":
		return "perguntar antes de cada mudança"
	case "ask for all pages":
		return "pedir todas as páginas"
	case "auto, always or never":
		return "auto, always ou never"
	case "base URL of the server (ATIVA_SERVER)":
		return "URL base do servidor (ATIVA_SERVER)"
	case "batches under way at once":
		return "lotes em andamento ao mesmo tempo"
	case "begin after this cursor (default: the oldest event that is kept)":
		return "começar depois deste cursor (padrão: o evento mais antigo que se guarda)"
	case "cancel services that the file does not wish":
		return "cancelar serviços que o arquivo não deseja"
	case "cannot be activated":
		return "não pode ser ativado"
	case "change nothing, only say the version":
		return "não mudar nada, só dizer a versão"
	case "change what differs of subscribers that exist already":
		return "mudar o que difere dos assinantes que já existem"
	case "check only what needs no network":
		return "conferir só o que não precisa de rede"
	case "check the file, ask the server where it can tell, and change nothing":
		return "conferir o arquivo, perguntar ao servidor onde ele sabe dizer, e não mudar nada"
	case "column delimiter, or tab (default: found out)":
		return "delimitador das colunas, ou tab (padrão: descoberto)"
	case "column to sort by, with :desc behind it for the other way round":
		return "coluna pela qual ordenar, com :desc atrás para a ordem inversa"
	case "columns to print, in this order":
		return "colunas a mostrar, nesta ordem"
	case "connections to the mail server at once; a crash may repeat one e-mail for each":
		return "conexões ao servidor de correio ao mesmo tempo; uma queda pode repetir um e-mail por conexão"
	case "database: sqlite:PATH or postgres://… (ATIVA_DB; default a file in the state directory)":
		return "banco de dados: sqlite:CAMINHO ou postgres://… (ATIVA_DB; padrão um arquivo no diretório de estado)"
	case "database: sqlite:PATH or postgres://… (ATIVA_DB; default the file in the state directory, if it is there)":
		return "banco de dados: sqlite:CAMINHO ou postgres://… (ATIVA_DB; padrão o arquivo no diretório de estado, se existir)"
	case "directory of the report (default: beside the file)":
		return "diretório do relatório (padrão: ao lado do arquivo)"
	case "directory of the reports (default: beside the file)":
		return "diretório dos relatórios (padrão: ao lado do arquivo)"
	case "do not ask for confirmation":
		return "não pedir confirmação"
	case "e-mail address":
		return "endereço de e-mail"
	case "exit 8 when an activation is queued by the provider's limit":
		return "sair com 8 quando uma ativação fica na fila do limite do provedor"
	case "exit 8 when changes are pending":
		return "sair com 8 quando há mudanças por fazer"
	case "fail an activation that the subscriber does not complete in this time, which frees its token (default never)":
		return "dar por falha uma ativação que o assinante não completa neste tempo, o que libera o token (padrão nunca)"
	case "products:VALUE=PRODUCT, speed:VALUE=SPEED or status:VALUE=active: what a value means":
		return "products:VALOR=PRODUTO, speed:VALOR=VELOCIDADE ou status:VALOR=ativo: o que um valor significa"
	case "field=column: which column holds a field; ignore=column leaves one out":
		return "campo=coluna: que coluna traz um campo; ignore=coluna deixa uma de fora"
	case "file that holds the mail server's password (or ATIVA_SMTP_PASSWORD)":
		return "arquivo com a senha do servidor de correio (ou ATIVA_SMTP_PASSWORD)"
	case "file with the access token, readable by its owner only":
		return "arquivo com o token de acesso, que só o dono pode ler"
	case "file with the documents, - for standard input":
		return "arquivo com os documentos, - para a entrada padrão"
	case "format: table, json, jsonl, csv, tsv, yaml, name (default: table on a terminal, tsv otherwise)":
		return "formato: table, json, jsonl, csv, tsv, yaml, name (padrão: table no terminal, senão tsv)"
	case "full name":
		return "nome completo"
	case "go on with what happens from now on":
		return "continuar com o que acontecer de agora em diante"
	case "how long a partner may take to confirm before it is asked again; doubles each time":
		return "quanto um parceiro pode demorar para confirmar até que se peça de novo; dobra a cada vez"
	case "how long expired activation links can still be told from unknown ones":
		return "por quanto tempo links de ativação vencidos ainda se distinguem de desconhecidos"
	case "how long finished deliveries are kept":
		return "por quanto tempo se guardam entregas feitas"
	case "how long the history of services and the event feed are kept (default for good)":
		return "por quanto tempo se guardam o histórico dos serviços e os eventos (padrão para sempre)"
	case "how often a partner is asked before the operation has failed":
		return "quantas vezes se pede a um parceiro até que a operação falhe"
	case "http: where operations are posted":
		return "http: para onde as operações são enviadas"
	case "id, as provisioning requests name it":
		return "id, como os pedidos de provisionamento o chamam"
	case "ids of the products it may sell (default: every product)":
		return "ids dos produtos que pode vender (padrão: todos)"
	case "interrupted runs, too":
		return "também execuções interrompidas"
	case "jq filter over the JSON":
		return "filtro jq sobre o JSON"
	case "keep the directory with database, e-mails and reports":
		return "manter o diretório com banco de dados, e-mails e relatórios"
	case "keep what --map and --map-value say in the context, for the next file of this kind":
		return "guardar no contexto o que --map e --map-value dizem, para o próximo arquivo do mesmo tipo"
	case "language of messages: pt or en (default: of LC_ALL, LC_MESSAGES or LANG)":
		return "idioma das mensagens: pt ou en (padrão: o de LC_ALL, LC_MESSAGES ou LANG)"
	case "language of the e-mails, and of the activation page for other browsers: pt or en":
		return "idioma dos e-mails, e da página de ativação para outros navegadores: pt ou en"
	case "leave out the header line":
		return "deixar de fora a linha de cabeçalho"
	case "limit of one request, and of --wait":
		return "tempo máximo de uma requisição, e de --wait"
	case "mail server: smtp://user@host:587 (STARTTLS) or smtps://user@host:465 (ATIVA_SMTP)":
		return "servidor de correio: smtp://usuario@host:587 (STARTTLS) ou smtps://usuario@host:465 (ATIVA_SMTP)"
	case "make it the default":
		return "torná-lo o padrão"
	case "manual, simulator or http":
		return "manual, simulator ou http"
	case "name of the partner who carries out its operations":
		return "nome do parceiro que executa as operações"
	case "name of the plan":
		return "nome do plano"
	case "name that people see":
		return "nome que as pessoas veem"
	case "never ask; a needed answer is exit 2":
		return "nunca perguntar; se faltar uma resposta, sair com 2"
	case "no progress and no remarks":
		return "sem progresso e sem comentários"
	case "one batch at a time, where the order in the queue of the limit matters":
		return "um lote de cada vez, quando importa a ordem na fila do limite"
	case "only activations that the subscriber has not completed: each holds an active token":
		return "só ativações que o assinante não completou: cada uma ocupa um token ativo"
	case "only those that have waited so long":
		return "só as que esperam há tanto tempo"
	case "only those that were given up":
		return "só as que foram abandonadas"
	case "only those without a change for so long":
		return "só as que não mudam há tanto tempo"
	case "permit plain http to another machine":
		return "permitir http simples com outra máquina"
	case "permit private addresses and plain http":
		return "permitir endereços privados e http simples"
	case "print the status and the headers too":
		return "mostrar também o status e os cabeçalhos"
	case "product: id, code or name":
		return "produto: id, código ou nome"
	case "products of one family replace each other":
		return "produtos de uma família se substituem"
	case "read the access token from standard input":
		return "ler o token de acesso da entrada padrão"
	case "refuse a plan with more than N changes, or N% of the subscribers (default: no limit, but 10 cancellations or 10%)":
		return "recusar um plano com mais de N mudanças, ou N% dos assinantes (padrão: sem limite, mas 10 cancelamentos ou 10%)"
	case "refuse every change":
		return "recusar toda mudança"
	case "requests a second of one provider on this server, as 100/s; more at once, up to two seconds' worth, is let through (default no limit)":
		return "requisições por segundo de um provedor neste servidor, como 100/s; mais de uma vez, até o de dois segundos, passa (padrão sem limite)"
	case "rows a second at most (default: no limit)":
		return "linhas por segundo no máximo (padrão: sem limite)"
	case "rows per batch":
		return "linhas por lote"
	case "send the valid rows although others are not":
		return "enviar as linhas válidas embora outras não sejam"
	case "send this file as the body, - for standard input":
		return "enviar este arquivo como corpo, - para a entrada padrão"
	case "sender of the e-mails (ATIVA_MAIL_FROM); needed with --smtp":
		return "remetente dos e-mails (ATIVA_MAIL_FROM); necessário com --smtp"
	case "set up everything to try it":
		return "preparar tudo para experimentar"
	case "sheet of an .xlsx file (default: the first that is not hidden)":
		return "planilha de um arquivo .xlsx (padrão: a primeira que não está oculta)"
	case "shell command that prints the access token":
		return "comando de shell que mostra o token de acesso"
	case "short unique code":
		return "código curto e único"
	case "show documents whole in tables":
		return "mostrar documentos inteiros nas tabelas"
	case "show the plan and change nothing":
		return "mostrar o plano e não mudar nada"
	case "show what would become of each document, and change nothing":
		return "mostrar o que seria de cada documento, e não mudar nada"
	case "simulator: how long it takes to confirm":
		return "simulator: quanto demora para confirmar"
	case "simulator: share of operations that fail, 0 to 1":
		return "simulator: parte das operações que falha, de 0 a 1"
	case "stop after so many events":
		return "parar depois de tantos eventos"
	case "stop when more than N, or N%, of the documents have failed; 50 are sent at a time, unless --batch-size and --concurrency say otherwise":
		return "parar quando mais de N, ou N%, dos documentos falharem; envia 50 por vez, salvo se --batch-size e --concurrency disserem outra coisa"
	case "telephone with area code":
		return "telefone com DDD"
	case "text or json":
		return "text ou json"
	case "the context to use (ATIVA_CONTEXT)":
		return "o contexto a usar (ATIVA_CONTEXT)"
	case "the product it has":
		return "o produto que ele tem"
	case "the product it shall have":
		return "o produto que deve ter"
	case "trace requests on stderr, secrets and personal data masked":
		return "mostrar as requisições na saída de erro, com segredos e dados pessoais mascarados"
	case "utf-8, utf-16le, utf-16be or windows-1252 (default: found out)":
		return "utf-8, utf-16le, utf-16be ou windows-1252 (padrão: descoberto)"
	case "wait until every status is final (--timeout, default 10m)":
		return "esperar até que cada status seja final (--timeout, padrão 10m)"
	case "wait until the activations are final (--timeout, default 10m)":
		return "esperar até que as ativações sejam finais (--timeout, padrão 10m)"
	case "wait until the status is final (--timeout, default 10m)":
		return "esperar até que o status seja final (--timeout, padrão 10m)"
	case "what activation links begin with (ATIVA_PUBLIC_URL; default the address)":
		return "com o que começam os links de ativação (ATIVA_PUBLIC_URL; padrão o endereço)"
	case "what is allowed: activate,reactivate,change_to_this_product,change_from_this_product,suspend,deactivate (default: all)":
		return "o que é permitido: activate,reactivate,change_to_this_product,change_from_this_product,suspend,deactivate (padrão: tudo)"
	case "where to keep the token: keyring or file":
		return "onde guardar o token: keyring ou file"
	case "why it failed":
		return "por que falhou"
	case "write e-mails as .eml files into this directory instead":
		return "escrever os e-mails como arquivos .eml neste diretório"
	case "write the plan into this file and change nothing":
		return "escrever o plano neste arquivo e não mudar nada"
	}
	return ""
}

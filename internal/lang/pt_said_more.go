package lang

// ptSaidMore is what commands say, and the short texts of help, from the letter e.
func ptSaidMore(english string) string {
	switch english {
	case "End an access token and the bearer tokens made from it":
		return "Encerrar um token de acesso e os tokens bearer feitos com ele"
	case "End the lack of payment":
		return "Encerrar a falta de pagamento"
	case "Erase %s (%s) for good?":
		return "Apagar %s (%s) de vez?"
	case "Erase a subscriber whose services are all cancelled":
		return "Apagar um assinante cujos serviços estão todos cancelados"
	case "Fail an operation in the partner's place":
		return "Dar uma operação por falha no lugar do parceiro"
	case "Find subscribers by name, e-mail, document or telephone":
		return "Procurar assinantes por nome, e-mail, documento ou telefone"
	case "Forbid a provider to sell products; services that exist stay":
		return "Proibir um provedor de vender produtos; os serviços que existem ficam"
	case "Forget a context":
		return "Esquecer um contexto"
	case "Forget finished runs":
		return "Esquecer execuções terminadas"
	case "Forget the token of the context":
		return "Esquecer o token do contexto"
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
	case "Global Flags:":
		return "Opções globais:"
	case "Go on with an interrupted run":
		return "Continuar uma execução interrompida"
	case "Go template over the JSON":
		return "modelo Go sobre o JSON"
	case "Help about a command or a topic":
		return "Ajuda sobre um comando ou assunto"
	case "How the command line authenticates":
		return "Como a linha de comando se autentica"
	case "Internet providers, their limits and tokens":
		return "Provedores de internet, seus limites e tokens"
	case "Let a provider sell products":
		return "Deixar um provedor vender produtos"
	case "List all subscribers with their services":
		return "Listar todos os assinantes com seus serviços"
	case "List every key with its value and where that comes from":
		return "Listar cada chave com seu valor e de onde vem"
	case "List operations that wait for a confirmation":
		return "Listar operações que esperam confirmação"
	case "List the callbacks, with how often each failed in a row":
		return "Listar os callbacks, com quantas vezes cada um falhou seguidas"
	case "List the contexts":
		return "Listar os contextos"
	case "List the deliveries that are not done":
		return "Listar as entregas que não estão feitas"
	case "List the events of partners that match no operation":
		return "Listar os eventos de parceiros que não combinam com operação nenhuma"
	case "List the internet speeds a subscriber can have":
		return "Listar as velocidades de internet que um assinante pode ter"
	case "List the partners":
		return "Listar os parceiros"
	case "List the products":
		return "Listar os produtos"
	case "List the providers":
		return "Listar os provedores"
	case "List the runs that this user began on this machine":
		return "Listar as execuções que este usuário começou nesta máquina"
	case "List what may be sold, and what may be done with it":
		return "Listar o que se pode vender, e o que se pode fazer com isso"
	case "Look for what is wrong with the set-up, and say the remedy":
		return "Procurar o que está errado na configuração, e dizer o remédio"
	case "Make a context the default":
		return "Tornar um contexto o padrão"
	case "Make a provider's dead callbacks due again":
		return "Pôr de novo na fila os callbacks abandonados de um provedor"
	case "Make the service match a spreadsheet: plan, then apply":
		return "Fazer o serviço ficar como a planilha: planejar, depois aplicar"
	case "Make %d [change|changes]?":
		return "Fazer %d [mudança|mudanças]?"
	case "Output formats, columns, filters and templates":
		return "Formatos de saída, colunas, filtros e modelos"
	case "PATH is a path such as /products, not a URL":
		return "PATH é um caminho como /products, não uma URL"
	case "PEM file of a client certificate":
		return "arquivo PEM de um certificado de cliente"
	case "PEM file of authorities to trust instead of the system's":
		return "arquivo PEM das autoridades em que confiar, em vez das do sistema"
	case "PEM file of its key":
		return "arquivo PEM da chave dele"
	case "PEM file of the certificate":
		return "arquivo PEM do certificado"
	case "Print a bearer token, for other programs":
		return "Mostrar um token bearer, para outros programas"
	case "Print all that is kept about one subscriber, as JSON":
		return "Mostrar tudo o que se guarda sobre um assinante, em JSON"
	case "Print the value of a key":
		return "Mostrar o valor de uma chave"
	case "Print the version of the program":
		return "Mostrar a versão do programa"
	case "Provision content services for internet subscribers":
		return "Provisionar serviços de conteúdo para assinantes de internet"
	case "Register one subscriber":
		return "Cadastrar um assinante"
	case "Register, find and change subscribers":
		return "Cadastrar, procurar e alterar assinantes"
	case "Run the service: the API, the activation page, deliveries":
		return "Rodar o serviço: a API, a página de ativação, as entregas"
	case "Send any request to the API, and print the answer as it came":
		return "Enviar qualquer requisição à API, e mostrar a resposta como veio"
	case "Servers to work with, by name":
		return "Servidores com que trabalhar, por nome"
	case "Set a key in the configuration file":
		return "Definir uma chave no arquivo de configuração"
	case "Set up a provider; its access token is printed once":
		return "Preparar um provedor; o token de acesso é mostrado uma vez"
	case "Show one run":
		return "Mostrar uma execução"
	case "Show one subscriber":
		return "Mostrar um assinante"
	case "Show what happened to a subscriber and its services":
		return "Mostrar o que aconteceu com um assinante e seus serviços"
	case "Show what happens to subscribers and services, as it happens":
		return "Mostrar o que acontece com assinantes e serviços, enquanto acontece"
	case "Show where the access token comes from, and why":
		return "Mostrar de onde vem o token de acesso, e por quê"
	case "Suspend services for lack of payment":
		return "Suspender serviços por falta de pagamento"
	case "Suspend services; they can be reactivated":
		return "Suspender serviços; eles podem ser reativados"
	case "Take a key out of the configuration file":
		return "Tirar uma chave do arquivo de configuração"
	case "The environment variables that are read":
		return "As variáveis de ambiente que são lidas"
	case "The operator's side, on the service's own database":
		return "O lado do operador, no próprio banco de dados do serviço"
	case "The refused rows, from the report:":
		return "As linhas recusadas, do relatório:"
	case "The result":
		return "O resultado"
	case "The subscribers open their e-mails and press the button":
		return "Os assinantes abrem seus e-mails e apertam o botão"
	case "URL of a proxy":
		return "URL de um proxy"
	case "What a spreadsheet may look like":
		return "Como pode ser uma planilha"
	case "What each exit code means":
		return "O que significa cada código de saída"
	case "What is set, where that comes from, and how to change it":
		return "O que está definido, de onde vem, e como mudar"
	case "What may be sold, and by whom":
		return "O que se pode vender, e quem pode"
	case "What partners were asked, and where it stands":
		return "O que foi pedido a parceiros, e em que pé está"
	case "What to try next":
		return "O que tentar em seguida"
	case "Where providers hear of resent activations":
		return "Onde os provedores ficam sabendo de ativações reenviadas"
	case "Who carries out operations and confirms them":
		return "Quem executa as operações e as confirma"
	case "Windows has no such permissions":
		return "o Windows não tem essas permissões"
	case "e-mail address":
		return "endereço de e-mail"
	case "e-mails: %s":
		return "e-mails: %s"
	case "erased %s":
		return "%s apagado"
	case "exit 8 when an activation is queued by the provider's limit":
		return "sair com 8 quando uma ativação fica na fila do limite do provedor"
	case "exit 8 when changes are pending":
		return "sair com 8 quando há mudanças por fazer"
	case "extensions: %s":
		return "extensões: %s"
	case "fail an activation that the subscriber does not complete in this time, which frees its token (default never)":
		return "dar por falha uma ativação que o assinante não completa neste tempo, o que libera o token (padrão nunca)"
	case "failure rate":
		return "taxa de falhas"
	case "field=column: which column holds a field":
		return "campo=coluna: que coluna traz um campo"
	case "file %q does not exist":
		return "o arquivo %q não existe"
	case "file %q: %s":
		return "arquivo %q: %s"
	case "file that holds the mail server's password (or ATIVA_SMTP_PASSWORD)":
		return "arquivo com a senha do servidor de correio (ou ATIVA_SMTP_PASSWORD)"
	case "file with the access token, readable by its owner only":
		return "arquivo com o token de acesso, que só o dono pode ler"
	case "file with the documents, - for standard input":
		return "arquivo com os documentos, - para a entrada padrão"
	case "for a final status":
		return "por um status final"
	case "for a place in the queue":
		return "por um lugar na fila"
	case "for a place in the queue (the first is number %d)":
		return "por um lugar na fila (o primeiro é o número %d)"
	case "for more information about a command.":
		return "para saber mais sobre um comando."
	case "for the partner to confirm":
		return "pela confirmação do parceiro"
	case "for the subscriber to follow the link in the activation e-mail":
		return "que o assinante siga o link do e-mail de ativação"
	case "format: table, json, jsonl, csv, tsv, yaml, name (default: table on a terminal, tsv otherwise)":
		return "formato: table, json, jsonl, csv, tsv, yaml, name (padrão: table no terminal, senão tsv)"
	case "from %s":
		return "de %s"
	case "full name":
		return "nome completo"
	case "give --context NAME":
		return "use --context NOME"
	case "give --tls-cert and --tls-key, or name the proxy that ends TLS with --trusted-proxy, or say --insecure-http":
		return "use --tls-cert e --tls-key, ou diga com --trusted-proxy o proxy que termina o TLS, ou use --insecure-http"
	case "give --yes":
		return "use --yes"
	case "give --yes --context %s":
		return "use --yes --context %s"
	case "give documents or --file, not both":
		return "informe documentos ou --file, não os dois"
	case "give documents, or --file FILE":
		return "informe documentos, ou --file ARQUIVO"
	case "give the fields to change, for example --email":
		return "informe os campos a mudar, por exemplo --email"
	case "go on with what happens from now on":
		return "continuar com o que acontecer de agora em diante"
	case "going on with %s, begun on %s":
		return "continuando %s, começada em %s"
	case "holds the token":
		return "tem o token"
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
	case "id of the internet speed, see `ativa subscribers speeds`":
		return "id da velocidade de internet, veja `ativa subscribers speeds`"
	case "id, as provisioning requests name it":
		return "id, como os pedidos de provisionamento o chamam"
	case "ids of the products it may sell (default: every product)":
		return "ids dos produtos que pode vender (padrão: todos)"
	case "in another terminal: ativa products":
		return "em outro terminal: ativa products"
	case "internet speed id":
		return "id da velocidade"
	case "interrupted runs, too":
		return "também execuções interrompidas"
	case "is the server running, the port right, and a firewall or proxy between?":
		return "o servidor está no ar, a porta está certa, e há um firewall ou proxy no meio?"
	case "it follows the API and nothing more; `ativa subscribers list` shows how everything stands now":
		return "ele segue a API e nada mais; `ativa subscribers list` mostra como tudo está agora"
	case "it is shown only this once":
		return "só aparece esta vez"
	case "jq filter over the JSON":
		return "filtro jq sobre o JSON"
	case "keep a copy of the file; restore a backup if the file is damaged":
		return "guarde uma cópia do arquivo; se ele está danificado, restaure uma cópia de segurança"
	case "keep the directory with database, e-mails and reports":
		return "manter o diretório com banco de dados, e-mails e relatórios"
	case "keep the mappings of --map in the context, for the next file with such columns":
		return "guardar as escolhas de --map no contexto, para o próximo arquivo com essas colunas"
	case "kept: %s":
		return "mantido: %s"
	case "language of messages: pt or en (default: of LC_ALL, LC_MESSAGES or LANG)":
		return "idioma das mensagens: pt ou en (padrão: o de LC_ALL, LC_MESSAGES ou LANG)"
	case "language of the e-mails, and of the activation page for other browsers: pt or en":
		return "idioma dos e-mails, e da página de ativação para outros navegadores: pt ou en"
	case "last e-mail":
		return "último e-mail"
	case "last error":
		return "último erro"
	case "last event":
		return "último evento"
	case "last word of partner":
		return "última palavra do parceiro"
	case "leave out the header line":
		return "deixar de fora a linha de cabeçalho"
	case "limit of one request, and of --wait":
		return "tempo máximo de uma requisição, e de --wait"
	case "listening on %s":
		return "escutando em %s"
	case "logged in: the token of context %s is kept in the %s":
		return "sessão iniciada: o token do contexto %s está guardado em %s"
	case "login needs a context":
		return "login precisa de um contexto"
	case "look at it with --dry-run":
		return "veja com --dry-run"
	case "look at the server and what stands before it; is the port right?":
		return "olhe o servidor e o que está na frente dele; a porta está certa?"
	case "mail server: smtp://user@host:587 (STARTTLS) or smtps://user@host:465 (ATIVA_SMTP)":
		return "servidor de correio: smtp://usuario@host:587 (STARTTLS) ou smtps://usuario@host:465 (ATIVA_SMTP)"
	case "make it the default":
		return "torná-lo o padrão"
	case "manual, simulator or http":
		return "manual, simulator ou http"
	case "mend HTTPS_PROXY, or give --proxy":
		return "corrija HTTPS_PROXY, ou use --proxy"
	case "mend that line of %s":
		return "corrija essa linha de %s"
	case "mend the file":
		return "corrija o arquivo"
	case "mend the server's URL or the option that is named":
		return "corrija a URL do servidor ou a opção citada"
	case "mend them in %s, or send the rest with --skip-invalid; %s tells of every row":
		return "corrija-as em %s, ou envie o resto com --skip-invalid; %s conta de cada linha"
	case "mended: %d × %s (%s)":
		return "consertado: %d × %s (%s)"
	case "name of the partner who carries out its operations":
		return "nome do parceiro que executa as operações"
	case "name of the plan":
		return "nome do plano"
	case "name that people see":
		return "nome que as pessoas veem"
	case "needs a token and a connection":
		return "precisa de um token e de uma conexão"
	case "neither --smtp nor --mail-dir: activation e-mails wait in the outbox":
		return "nem --smtp nem --mail-dir: os e-mails de ativação esperam na caixa de saída"
	case "never ask; a needed answer is exit 2":
		return "nunca perguntar; se faltar uma resposta, sair com 2"
	case "no answer":
		return "sem resposta"
	case "no connection":
		return "sem conexão"
	case "no context":
		return "sem contexto"
	case "no document is given":
		return "nenhum documento foi dado"
	case "no extensions: history, events, dry runs and keys are not there":
		return "sem extensões: não há histórico, eventos, simulações nem chaves"
	case "no fault found":
		return "nenhuma falha encontrada"
	case "no file; it would be %s":
		return "nenhum arquivo; seria %s"
	case "no partner is called %q":
		return "nenhum parceiro se chama %q"
	case "no product has the id, code or name %q":
		return "nenhum produto tem o id, código ou nome %q"
	case "no progress and no remarks":
		return "sem progresso e sem comentários"
	case "no server":
		return "sem servidor"
	case "no server is set":
		return "nenhum servidor está definido"
	case "no token on standard input":
		return "nenhum token na entrada padrão"
	case "none of the changes was made":
		return "nenhuma das mudanças foi feita"
	case "not confirmed; nothing was sent":
		return "não confirmado; nada foi enviado"
	case "not looked up":
		return "não foi procurado"
	case "not needed on this machine":
		return "não é preciso nesta máquina"
	case "not needed: login keeps the token in a file":
		return "não é preciso: o login guarda o token em um arquivo"
	case "not needed: the token comes from elsewhere":
		return "não é preciso: o token vem de outro lugar"
	case "nothing to change":
		return "nada a mudar"
	case "occurred at":
		return "ocorreu em"
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
	case "only you can read ativa's files":
		return "só você pode ler os arquivos do ativa"
	case "operation id":
		return "id da operação"
	case "others can read %s":
		return "outros podem ler %s"
	case "others can read %s and %d more":
		return "outros podem ler %s e mais %d"
	case "permit plain http to another machine":
		return "permitir http simples com outra máquina"
	case "permit private addresses and plain http":
		return "permitir endereços privados e http simples"
	case "pipe it in with --token-stdin":
		return "passe-o por um pipe com --token-stdin"
	case "plan %q does not exist":
		return "o plano %q não existe"
	case "plan: %s":
		return "plano: %s"
	case "plan: %s (apply it with: ativa sync --apply %s)":
		return "plano: %s (aplique com: ativa sync --apply %s)"
	case "print the status and the headers too":
		return "mostrar também o status e os cabeçalhos"
	case "product: id, code or name":
		return "produto: id, código ou nome"
	case "products of one family replace each other":
		return "produtos de uma família se substituem"
	case "products: %s":
		return "produtos: %s"
	case "provider %q, products play-basic, play-premium, musica, musica-familia; simulated partner":
		return "provedor %q, produtos play-basic, play-premium, musica, musica-familia; parceiro simulado"
	case "queued: the provider reached its limit of active services":
		return "na fila: o provedor atingiu o limite de serviços ativos"
	case "read only":
		return "só leitura"
	case "read the access token from standard input":
		return "ler o token de acesso da entrada padrão"
	case "reading %s, columns separated by %q":
		return "lendo %s, colunas separadas por %q"
	case "reading sheet %q":
		return "lendo a planilha %q"
	case "received at":
		return "recebido em"
	case "refuse a plan with more than N changes, or N% of the subscribers":
		return "recusar um plano com mais de N mudanças, ou N% dos assinantes"
	case "refuse every change":
		return "recusar toda mudança"
	case "refused rows: %s (mend them, then: %s)":
		return "linhas recusadas: %s (corrija-as, depois: %s)"
	case "report: %s":
		return "relatório: %s"
	case "requests a second of one provider on this server, as 100/s; more at once, up to two seconds' worth, is let through (default no limit)":
		return "requisições por segundo de um provedor neste servidor, como 100/s; mais de uma vez, até o de dois segundos, passa (padrão sem limite)"
	case "rows a second at most (default: no limit)":
		return "linhas por segundo no máximo (padrão: sem limite)"
	case "rows per batch":
		return "linhas por lote"
	case "run `ativa login`":
		return "execute `ativa login`"
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
	case "see `ativa admin partners list`":
		return "veja `ativa admin partners list`"
	case "see `ativa imports list`":
		return "veja `ativa imports list`"
	case "see `ativa products`":
		return "veja `ativa products`"
	case "see docs/scaling.md":
		return "veja docs/scaling.md"
	case "see name":
		return "veja name"
	case "see the report; what was not sent is sent when the same command is run again":
		return "veja o relatório; o que não foi enviado é enviado quando o mesmo comando é executado de novo"
	case "see tls":
		return "veja tls"
	case "send the valid rows although others are not":
		return "enviar as linhas válidas embora outras não sejam"
	case "send this file as the body, - for standard input":
		return "enviar este arquivo como corpo, - para a entrada padrão"
	case "sender of the e-mails (ATIVA_MAIL_FROM); needed with --smtp":
		return "remetente dos e-mails (ATIVA_MAIL_FROM); necessário com --smtp"
	case "set HOME":
		return "defina HOME"
	case "set it: ativa config set server URL":
		return "defina-o: ativa config set server URL"
	case "set the clock; on Linux: timedatectl set-ntp true":
		return "acerte o relógio; no Linux: timedatectl set-ntp true"
	case "set up everything to try it":
		return "preparar tudo para experimentar"
	case "sheet of an .xlsx file (default: the first)":
		return "planilha de um arquivo .xlsx (padrão: a primeira)"
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
	case "stop when more than N, or N%, of the documents have failed":
		return "parar quando mais de N, ou N%, dos documentos falharem"
	case "stopped: %d of %d documents have failed":
		return "parou: %d de %d documentos falharam"
	case "subscriber_has_services":
		return "o assinante tem serviços que não estão cancelados"
	case "suspended for a time":
		return "suspenso por um tempo"
	case "suspended for lack of payment":
		return "suspenso por falta de pagamento"
	case "telephone with area code":
		return "telefone com DDD"
	case "tell whoever runs the server that its certificate ends soon":
		return "avise quem cuida do servidor que o certificado vence logo"
	case "text or json":
		return "text ou json"
	case "the cached bearer token could not be removed: %s":
		return "não foi possível remover o token bearer guardado: %s"
	case "the check found faults: %d":
		return "a conferência encontrou falhas: %d"
	case "the configuration cannot be read":
		return "não foi possível ler a configuração"
	case "the connection is not protected: anybody on the way can read the token":
		return "a conexão não é protegida: qualquer um no caminho pode ler o token"
	case "the context to use (ATIVA_CONTEXT)":
		return "o contexto a usar (ATIVA_CONTEXT)"
	case "the file is good. This server has no dry run, so it was not checked which subscribers exist already, and whether each product may be activated":
		return "o arquivo está bom. Este servidor não tem simulação, então não se conferiu quais assinantes já existem, e se cada produto pode ser ativado"
	case "the file lacks %d [subscriber|subscribers] with services, left as they are (--allow-deactivate cancels them)":
		return "o arquivo não traz %d [assinante|assinantes] com serviços, que ficam como estão (--allow-deactivate os cancela)"
	case "the file must hold keys and values":
		return "o arquivo tem de ter chaves e valores"
	case "the import is not complete: %d [row|rows] without an answer, %d not sent":
		return "a importação não está completa: %d [linha|linhas] sem resposta, %d não [enviada|enviadas]"
	case "the keyring cannot be used":
		return "o chaveiro não pode ser usado"
	case "the last operation failed":
		return "a última operação falhou"
	case "the name was not found":
		return "o nome não foi encontrado"
	case "the plan has %d [change|changes] for %d [subscriber|subscribers], more than --max-changes %s; nothing was sent":
		return "o plano tem %d [mudança|mudanças] para %d [assinante|assinantes], mais que --max-changes %s; nada foi enviado"
	case "the plan is for context %q on %s, not for %q on %s":
		return "o plano é para o contexto %q em %s, não para %q em %s"
	case "the product it has":
		return "o produto que ele tem"
	case "the product it shall have":
		return "o produto que deve ter"
	case "the proxy of the environment is not a URL":
		return "o proxy do ambiente não é uma URL"
	case "the query of %q cannot be read":
		return "não foi possível ler a consulta de %q"
	case "the server does not speak TLS on this port":
		return "o servidor não fala TLS nesta porta"
	case "the server does not tell its time":
		return "o servidor não diz a hora dele"
	case "the server is chosen by --server or the context":
		return "o servidor se escolhe com --server ou pelo contexto"
	case "the server is not a URL":
		return "o servidor não é uma URL"
	case "the server keeps no history, so e-mails and events are not known":
		return "o servidor não guarda histórico, então e-mails e eventos não são conhecidos"
	case "the server may want a client certificate: --client-cert and --client-key":
		return "o servidor talvez queira um certificado de cliente: --client-cert e --client-key"
	case "the service is enabled":
		return "o serviço está ativo"
	case "the status %q is not one that this program knows; ask whoever runs the server":
		return "o status %q não é conhecido por este programa; pergunte a quem cuida do servidor"
	case "there is no help about %q":
		return "não há ajuda sobre %q"
	case "there is no status %q":
		return "não há status %q"
	case "there is no terminal to ask for the access token":
		return "não há terminal para pedir o token de acesso"
	case "there is: %s":
		return "há: %s"
	case "they go on by themselves; look again with `ativa subscribers explain DOC`":
		return "eles seguem sozinhos; olhe de novo com `ativa subscribers explain DOC`"
	case "they start by themselves when there is room; ask for a higher limit, or leave the queue with `ativa provision deactivate`":
		return "eles começam sozinhos quando houver lugar; peça um limite maior, ou saia da fila com `ativa provision deactivate`"
	case "this machine is %s ahead of the server":
		return "esta máquina está %s adiantada em relação ao servidor"
	case "this machine is %s behind the server":
		return "esta máquina está %s atrasada em relação ao servidor"
	case "this server cannot say what would happen: only the status of now is shown":
		return "este servidor não sabe dizer o que aconteceria: só o status de agora é mostrado"
	case "this server has no event feed":
		return "este servidor não tem fluxo de eventos"
	case "this server keeps no idempotency keys: reading which subscribers it has":
		return "este servidor não guarda chaves de idempotência: lendo que assinantes ele tem"
	case "to forget it whole: ativa context remove %s":
		return "para esquecê-lo inteiro: ativa context remove %s"
	case "to go on: ativa events --after %s":
		return "para continuar: ativa events --after %s"
	case "to take a key out: ativa config unset %s":
		return "para tirar uma chave: ativa config unset %s"
	case "trace requests on stderr, secrets and personal data masked":
		return "mostrar as requisições na saída de erro, com segredos e dados pessoais mascarados"
	case "try again later":
		return "tente mais tarde"
	case "try again later; `ativa doctor` looks for the cause":
		return "tente mais tarde; `ativa doctor` procura a causa"
	case "unknown command %q for %s":
		return "comando desconhecido %q para %s"
	case "unknown key %q":
		return "chave desconhecida %q"
	case "unlock or start it, or keep the token in a file with --storage file":
		return "destranque ou inicie o chaveiro, ou guarde o token em um arquivo com --storage file"
	case "unlock or start it, or keep the token in a file: ativa login --storage file":
		return "destranque ou inicie o chaveiro, ou guarde o token em um arquivo: ativa login --storage file"
	case "use --server URL or ATIVA_SERVER, or add a context: ativa context add NAME --server URL --use":
		return "use --server URL ou ATIVA_SERVER, ou acrescente um contexto: ativa context add NOME --server URL --use"
	case "use -o jsonl":
		return "use -o jsonl"
	case "use https":
		return "use https"
	case "use the id":
		return "use o id"
	case "use the name that the certificate is for":
		return "use o nome para o qual o certificado foi feito"
	case "utf-8, utf-16le, utf-16be or windows-1252 (default: found out)":
		return "utf-8, utf-16le, utf-16be ou windows-1252 (padrão: descoberto)"
	case "wait for it, or stop it; `ativa imports show %s` tells how far it is":
		return "espere por ela, ou pare-a; `ativa imports show %s` conta até onde foi"
	case "wait until every status is final (--timeout, default 10m)":
		return "esperar até que cada status seja final (--timeout, padrão 10m)"
	case "wait until the activations are final (--timeout, default 10m)":
		return "esperar até que as ativações sejam finais (--timeout, padrão 10m)"
	case "wait until the status is final (--timeout, default 10m)":
		return "esperar até que o status seja final (--timeout, padrão 10m)"
	case "waiting: %s":
		return "esperando: %s"
	case "waits for":
		return "espera por"
	case "waits for the partner to confirm the cancellation":
		return "espera a confirmação do parceiro para o cancelamento"
	case "waits for the partner to confirm the change of product":
		return "espera a confirmação do parceiro para a troca de produto"
	case "waits for the partner to confirm the reactivation":
		return "espera a confirmação do parceiro para a reativação"
	case "waits for the partner to confirm the suspension":
		return "espera a confirmação do parceiro para a suspensão"
	case "waits for the partner to confirm the suspension for lack of payment":
		return "espera a confirmação do parceiro para a suspensão por falta de pagamento"
	case "waits for the subscriber to follow the link in the activation e-mail":
		return "espera que o assinante siga o link do e-mail de ativação"
	case "what activation links begin with (ATIVA_PUBLIC_URL; default the address)":
		return "com o que começam os links de ativação (ATIVA_PUBLIC_URL; padrão o endereço)"
	case "what is allowed: activate,reactivate,change_to_this_product,change_from_this_product,suspend,deactivate (default: all)":
		return "o que é permitido: activate,reactivate,change_to_this_product,change_from_this_product,suspend,deactivate (padrão: tudo)"
	case "when the server's authority is your own: --ca-cert FILE, or ativa config set ca_cert FILE":
		return "se a autoridade do servidor é a sua: --ca-cert ARQUIVO, ou ativa config set ca_cert ARQUIVO"
	case "where to keep the token: keyring or file":
		return "onde guardar o token: keyring ou file"
	case "why it failed":
		return "por que falhou"
	case "within a minute of the server's":
		return "a menos de um minuto do servidor"
	case "write e-mails as .eml files into this directory instead":
		return "escrever os e-mails como arquivos .eml neste diretório"
	case "write the plan into this file and change nothing":
		return "escrever o plano neste arquivo e não mudar nada"
	}
	return ""
}

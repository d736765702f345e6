package lang

// ptSaid is what commands say, and the short texts of help, up to the letter d.
func ptSaid(english string) string {
	switch english {
	case "  and %d more: see the report":
		return "  e mais %d: veja o relatório"
	case "%6d services %-20s %s":
		return "%6d serviços %-20s %s"
	case "%d e-mails in the mail directory; %d links followed, %d left alone":
		return "%d e-mails no diretório de correio; %d links seguidos, %d deixados em paz"
	case "%d forgotten":
		return "%d [esquecida|esquecidas]"
	case "%d of %d [change is|changes are] not made":
		return "%d de %d [mudança não foi feita|mudanças não foram feitas]"
	case "%d of %d [document is|documents are] done":
		return "%d de %d [documento feito|documentos feitos]"
	case "%d of %d failed":
		return "%d de %d [falhou|falharam]"
	case "%d of %d failed; the others are done":
		return "%d de %d falharam; os outros estão feitos"
	case "%d of %d [line is|lines are] invalid; nothing was sent":
		return "%d de %d [linha é inválida|linhas com erro]; nada foi enviado"
	case "%d of %d [row is|rows are] invalid; nothing was sent":
		return "%d de %d [linha é inválida|linhas com erro]; nada foi enviado"
	case "%d of %d [service is|services are] not final after %s, %s":
		return "%d de %d [serviço não tem|serviços não têm] status final depois de %s, %s"
	case "%d of %d [service is|services are] queued: the provider reached its limit of active services":
		return "%d de %d [serviço está|serviços estão] na fila: o provedor atingiu o limite de serviços ativos"
	case "%d products are called %q: %s":
		return "%d produtos se chamam %q: %s"
	case "%d [row was|rows were] done by an earlier run":
		return "%d [linha foi feita|linhas foram feitas] por uma execução anterior"
	case "%d [row|rows]: %d valid, %d invalid, %d merged into others":
		return "%d [linha|linhas]: %d [válida|válidas], %d [inválida|inválidas], %d [juntada|juntadas] a outras"
	case "%d [service waits|services wait] in the queue: the provider's limit of active services is reached":
		return "%d [serviço espera|serviços esperam] na fila: o limite de serviços ativos do provedor foi atingido"
	case "%d [subscriber|subscribers]":
		return "%d [assinante|assinantes]"
	case "%d × %s":
		return "%d × %s"
	case "%q is not a method":
		return "%q não é um método"
	case "%q is not a number of services":
		return "%q não é um número de serviços"
	case "%q is not the id of a product":
		return "%q não é o id de um produto"
	case "%q is not the id of a token":
		return "%q não é o id de um token"
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
	case "%s (HTTPS_PROXY or HTTP_PROXY)":
		return "%s (HTTPS_PROXY ou HTTP_PROXY)"
	case "%s answers":
		return "%s responde"
	case "%s answers, but TLS failed":
		return "%s responde, mas o TLS falhou"
	case "%s belongs to a context, and none is chosen":
		return "%s pertence a um contexto, e nenhum foi escolhido"
	case "%s by %s":
		return "%s por %s"
	case "%s has no services; to activate one: ativa provision activate --product P %s":
		return "%s não tem serviços; para ativar um: ativa provision activate --product P %s"
	case "%s is %s":
		return "%s é %s"
	case "%s is an address":
		return "%s é um endereço"
	case "%s is finished: %d [row|rows] done, %d failed":
		return "%s está terminada: %d [linha feita|linhas feitas], %d [recusada|recusadas]"
	case "%s is needed":
		return "%s é necessário"
	case "%s is not a plan of ativa sync":
		return "%s não é um plano de ativa sync"
	case "%s must be a single value":
		return "%s deve ser um só valor"
	case "%s needs a command":
		return "%s precisa de um comando"
	case "%s of the %s":
		return "%s (%s)"
	case "%s takes connections and gives no answer: %s":
		return "%s aceita conexões e não responde: %s"
	case "%s to %s":
		return "%s para %s"
	case "%s, certificate until %s":
		return "%s, certificado até %s"
	case "%s, protected":
		return "%s, protegido"
	case "%s, read-only":
		return "%s, só leitura"
	case "%s, server %s":
		return "%s, servidor %s"
	case "%s, the %s":
		return "%s: %s"
	case "%s: %s %s":
		return "%s: %s %s"
	case "%s: %s: %s":
		return "%s: %s: %s"
	case "%s: a query holds texts, numbers, true and false":
		return "%s: uma consulta tem textos, números, true e false"
	case "%s; number %d in the queue":
		return "%s; número %d na fila"
	case "%s; trying again":
		return "%s; tentando de novo"
	case "--batch-size is 1 to %d":
		return "--batch-size vai de 1 a %d"
	case "--concurrency is 1 to 64":
		return "--concurrency vai de 1 a 64"
	case "--confirm-within is at least one second":
		return "--confirm-within é de pelo menos um segundo"
	case "--dead and --all exclude each other":
		return "--dead e --all se excluem"
	case "--driver is manual, simulator or http, not %q":
		return "--driver é manual, simulator ou http, não %q"
	case "--from and --to are needed":
		return "--from e --to são necessários"
	case "--header %q is not NAME: VALUE":
		return "--header %q não é NOME: VALOR"
	case "--input is the whole body: neither fields nor GET go with it":
		return "--input é o corpo inteiro: nem campos nem GET combinam com ele"
	case "--lang is pt or en, not %q":
		return "--lang é pt ou en, não %q"
	case "--limit is a number of events":
		return "--limit é um número de eventos"
	case "--limit is needed: 0 or more active services":
		return "--limit é necessário: 0 ou mais serviços ativos"
	case "--listen %s without TLS: access tokens would cross the network in the clear":
		return "--listen %s sem TLS: os tokens de acesso passariam abertos pela rede"
	case "--log-format is text or json, not %q":
		return "--log-format é text ou json, não %q"
	case "--mail-from is needed with --smtp: the address that subscribers see":
		return "--mail-from é necessário com --smtp: o endereço que os assinantes veem"
	case "--mail-from: %s":
		return "--mail-from: %s"
	case "--mail-language is pt or en, not %q":
		return "--mail-language é pt ou en, não %q"
	case "--map %q is not field=column":
		return "--map %q não é campo=coluna"
	case "--map %s":
		return "--map %s"
	case "--max-asks is at least 1":
		return "--max-asks é pelo menos 1"
	case "--paginate goes with GET":
		return "--paginate combina com GET"
	case "--product is needed":
		return "--product é necessário"
	case "--rate is above 0":
		return "--rate é maior que 0"
	case "--rate-limit is a number of requests a second, as 100/s, not %q":
		return "--rate-limit é um número de requisições por segundo, como 100/s, não %q"
	case "--reason is needed: it stands in the history":
		return "--reason é necessário: fica no histórico"
	case "--save-map needs --map":
		return "--save-map precisa de --map"
	case "--smtp and --mail-dir exclude each other":
		return "--smtp e --mail-dir se excluem"
	case "--smtp-connections is 1 to 20":
		return "--smtp-connections vai de 1 a 20"
	case "--smtp-password-file: %s":
		return "--smtp-password-file: %s"
	case "--smtp-password-file: others may read %s: chmod 600 it":
		return "--smtp-password-file: outros podem ler %s: chmod 600"
	case "--smtp: %s":
		return "--smtp: %s"
	case "--storage is keyring or file, not %q":
		return "--storage é keyring ou file, não %q"
	case "--columns without %s would lose it: it is shown only this once":
		return "--columns sem %s a perderia: ela só aparece esta vez"
	case "--output name would lose %s: it is shown only this once":
		return "--output name perderia %s: só aparece esta vez"
	case "--tls-cert and --tls-key go together":
		return "--tls-cert e --tls-key andam juntos"
	case "--trusted-proxy is an address or a network as 10.0.0.0/8, not %q":
		return "--trusted-proxy é um endereço ou uma rede como 10.0.0.0/8, não %q"
	case "--url and --driver http go together":
		return "--url e --driver http andam juntos"
	case "-F %q is not NAME=VALUE":
		return "-F %q não é NOME=VALOR"
	case "-f %q is not NAME=VALUE":
		return "-f %q não é NOME=VALOR"
	case "Accept none of a provider's tokens any more":
		return "Deixar de aceitar os tokens de um provedor"
	case "Access token":
		return "Token de acesso"
	case "Activate a product, or reactivate it, or change to it":
		return "Ativar um produto, ou reativá-lo, ou trocar para ele"
	case "Activate, change, suspend and cancel services":
		return "Ativar, trocar, suspender e cancelar serviços"
	case "Add a context, or change one":
		return "Acrescentar um contexto, ou mudar um"
	case "Add a partner; its signing secret is printed once":
		return "Acrescentar um parceiro; o segredo de assinatura é mostrado uma vez"
	case "Add a product":
		return "Acrescentar um produto"
	case "Additional Commands:":
		return "Outros comandos:"
	case "Additional help topics:":
		return "Outros assuntos:"
	case "Available Commands:":
		return "Comandos:"
	case "CPF, in any format":
		return "CPF, em qualquer formato"
	case "CSV for Excel: byte order mark and semicolons":
		return "CSV para o Excel: marca de ordem de bytes e ponto e vírgula"
	case "Call a provider's callback again":
		return "Voltar a chamar o callback de um provedor"
	case "Cancel %s for good, for %d [subscriber|subscribers]?":
		return "Cancelar %s de vez, de %d [assinante|assinantes]?"
	case "Cancel services for good":
		return "Cancelar serviços de vez"
	case "Change a product; what is not given stays":
		return "Mudar um produto; o que não é dito fica como está"
	case "Change fields of a subscriber; what is not given stays":
		return "Mudar campos de um assinante; o que não é dito fica como está"
	case "Check an access token and keep it for the context":
		return "Conferir um token de acesso e guardá-lo para o contexto"
	case "Confirm an operation in the partner's place":
		return "Confirmar uma operação no lugar do parceiro"
	case "Context %s is protected. Type its name to go on:":
		return "O contexto %s é protegido. Digite o nome dele para continuar:"
	case "Copy the database into a new file while the service runs":
		return "Copiar o banco de dados para um arquivo novo enquanto o serviço funciona"
	case "Deliver now what was given up or waits for another attempt":
		return "Entregar agora o que foi abandonado ou espera outra tentativa"
	case "a backup never replaces a file; choose another name":
		return "uma cópia nunca toma o lugar de um arquivo; escolha outro nome"
	case "a confirmation is needed, and there is no terminal":
		return "é preciso confirmar, e não há terminal"
	case "a context has no name":
		return "um contexto não tem nome"
	case "a context must have a name and a server":
		return "um contexto tem de ter nome e servidor"
	case "a context needs --server URL":
		return "um contexto precisa de --server URL"
	case "a context needs its server":
		return "um contexto precisa de seu servidor"
	case "a list that is followed has no end, so it is neither one JSON document nor sorted":
		return "uma lista que se segue não tem fim, então não é um documento JSON nem pode ser ordenada"
	case "a second context is called %q":
		return "um segundo contexto se chama %q"
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
	case "add it: ativa context add %s --server URL":
		return "acrescente-o: ativa context add %s --server URL"
	case "address %s is in use":
		return "o endereço %s está em uso"
	case "address or network of a proxy that ends TLS before this server: its X-Forwarded-For is believed":
		return "endereço ou rede de um proxy que termina o TLS antes deste servidor: acredita-se no X-Forwarded-For dele"
	case "address to listen on (ATIVA_LISTEN; default 127.0.0.1:8080)":
		return "endereço em que escutar (ATIVA_LISTEN; padrão 127.0.0.1:8080)"
	case "%d [row was|rows were] refused, and none done":
		return "%d [linha foi recusada|linhas foram recusadas], e nenhuma feita"
	case "also those that are done, of the last 30 days":
		return "também as que estão feitas, dos últimos 30 dias"
	case "also those that have ended":
		return "também as que terminaram"
	case "an empty value sets nothing":
		return "um valor vazio não define nada"
	case "another program listens there; choose another address with --listen":
		return "outro programa escuta ali; escolha outro endereço com --listen"
	case "answers, and holds no token of this context":
		return "responde, e não tem token deste contexto"
	case "answers; %s":
		return "responde; %s"
	case "apply the plan of this file":
		return "aplicar o plano deste arquivo"
	case "ask before every change":
		return "perguntar antes de cada mudança"
	case "ask for all pages":
		return "pedir todas as páginas"
	case "ativa --help                             everything else":
		return "ativa --help                             todo o resto"
	case "ativa context add NAME --server %s --use":
		return "ativa context add NOME --server %s --use"
	case "ativa serve --dev                        a server that stays, in one terminal":
		return "ativa serve --dev                        um servidor que fica, em um terminal"
	case "ativa subscribers import FILE --dry-run  your own spreadsheet, in another: nothing is changed":
		return "ativa subscribers import FILE --dry-run  sua própria planilha, em outro: nada é mudado"
	case "auto, always or never":
		return "auto, always ou never"
	case "backup written and checked: %s":
		return "cópia escrita e conferida: %s"
	case "base URL of the server (ATIVA_SERVER)":
		return "URL base do servidor (ATIVA_SERVER)"
	case "batches under way at once":
		return "lotes em andamento ao mesmo tempo"
	case "begin after this cursor (default: the oldest event that is kept)":
		return "começar depois deste cursor (padrão: o evento mais antigo que se guarda)"
	case "cancel services that the file does not wish":
		return "cancelar serviços que o arquivo não deseja"
	case "cancellation_unresolved":
		return "um cancelamento ficou sem solução; cancele de novo"
	case "cancelled for good":
		return "cancelado de vez"
	case "cancelled in the queue, before it was enabled":
		return "cancelado na fila, antes de ser ativado"
	case "cannot be activated":
		return "não pode ser ativado"
	case "change nothing, only say the version":
		return "não mudar nada, só dizer a versão"
	case "change what differs of subscribers that exist already":
		return "mudar o que difere dos assinantes que já existem"
	case "check --db (ATIVA_DB)":
		return "confira --db (ATIVA_DB)"
	case "check --tls-cert and --tls-key: PEM files that belong together":
		return "confira --tls-cert e --tls-key: arquivos PEM que combinam"
	case "check its spelling, and the DNS servers of this machine":
		return "confira a grafia, e os servidores DNS desta máquina"
	case "check only what needs no network":
		return "conferir só o que não precisa de rede"
	case "check the clock of this machine; if it is right, the server needs a new certificate":
		return "confira o relógio desta máquina; se está certo, o servidor precisa de um certificado novo"
	case "check the file, ask the server where it can tell, and change nothing":
		return "conferir o arquivo, perguntar ao servidor onde ele sabe dizer, e não mudar nada"
	case "check the server's URL and port":
		return "confira a URL e a porta do servidor"
	case "choose another with --context, or `ativa config unset read_only --context %s`":
		return "escolha outro com --context, ou `ativa config unset read_only --context %s`"
	case "column delimiter, or tab (default: found out)":
		return "delimitador das colunas, ou tab (padrão: descoberto)"
	case "column to sort by, with :desc behind it for the other way round":
		return "coluna pela qual ordenar, com :desc atrás para a ordem inversa"
	case "columns to print, in this order":
		return "colunas a mostrar, nesta ordem"
	case "configuration file %s":
		return "arquivo de configuração %s"
	case "connections to the mail server at once; a crash may repeat one e-mail for each":
		return "conexões ao servidor de correio ao mesmo tempo; uma queda pode repetir um e-mail por conexão"
	case "context %q does not exist":
		return "o contexto %q não existe"
	case "context %s is protected":
		return "o contexto %s é protegido"
	case "context %s is read-only; nothing was sent":
		return "o contexto %s é só de leitura; nada foi enviado"
	case "context %s, server %s":
		return "contexto %s, servidor %s"
	case "contexts must be a list":
		return "contexts tem de ser uma lista"
	case "created at":
		return "criado em"
	case "customer plan":
		return "plano do cliente"
	case "database: sqlite:PATH or postgres://… (ATIVA_DB; default a file in the state directory)":
		return "banco de dados: sqlite:CAMINHO ou postgres://… (ATIVA_DB; padrão um arquivo no diretório de estado)"
	case "did you mean %s?":
		return "você quis dizer %s?"
	case "directory of the report (default: beside the file)":
		return "diretório do relatório (padrão: ao lado do arquivo)"
	case "directory of the reports (default: beside the file)":
		return "diretório dos relatórios (padrão: ao lado do arquivo)"
	case "disable completion descriptions":
		return "sem descrições ao completar"
	case "do not ask for confirmation":
		return "não pedir confirmação"
	case "document %q: %s":
		return "documento %q: %s"
	}
	return ""
}

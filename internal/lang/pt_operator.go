package lang

// ptOperator is what the operator's commands, the server and the demo say.
func ptOperator(english string) string {
	switch english {
	case "%6d [service|services] %-20s %s":
		return "%6d [serviço|serviços] %-20s %s"
	case "no database is named, and there is none at %s":
		return "nenhum banco de dados foi indicado, e não há nenhum em %s"
	case "name that of the service: --db sqlite:PATH or --db postgres://…, or ATIVA_DB":
		return "indique o do serviço: --db sqlite:CAMINHO ou --db postgres://…, ou ATIVA_DB"
	case "there is a file %s already":
		return "já existe um arquivo %s"
	case "%q is not the id of an operation":
		return "%q não é o número de uma operação"
	case "what the command prints with -o json is what a filter or template gets; see `ativa help formatting`":
		return "um filtro ou modelo recebe o que o comando mostra com -o json; veja `ativa help formatting`"
	case "the answer is no JSON, so it cannot be shown as asked":
		return "a resposta não é JSON, então não dá para mostrá-la como foi pedido"
	case "without --output, --jq and --template it is printed as it came":
		return "sem --output, --jq e --template ela é mostrada como veio"
	case "language of messages, unless --lang: pt_BR.UTF-8 is Portuguese, all but Portuguese is English":
		return "idioma das mensagens, a menos que --lang: pt_BR.UTF-8 é português, tudo que não é português é inglês"
	case "the same, where LC_ALL is not set":
		return "o mesmo, quando LC_ALL não está definida"
	case "the same, where neither is set":
		return "o mesmo, quando nenhuma das duas está definida"
	case "%d [subscriber|subscribers]":
		return "%d [assinante|assinantes]"
	case "%d e-mails in the mail directory; %d links followed, %d left alone":
		return "%d e-mails no diretório de correio; %d links seguidos, %d deixados em paz"
	case "%q is not a number of services":
		return "%q não é um número de serviços"
	case "%q is not the id of a product":
		return "%q não é o id de um produto"
	case "%q is not the id of a token":
		return "%q não é o id de um token"
	case "--columns without %s would lose it: it is shown only this once":
		return "--columns sem %s a perderia: ela só aparece esta vez"
	case "--confirm-within is at least one second":
		return "--confirm-within é de pelo menos um segundo"
	case "--dead and --all exclude each other":
		return "--dead e --all se excluem"
	case "--driver is manual, simulator or http, not %q":
		return "--driver é manual, simulator ou http, não %q"
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
	case "%s is a time such as 48h; not %s":
		return "%s é um tempo como 48h; não %s"
	case "--public-url is an address as https://ativa.example.com, not %q: the links in e-mails begin with it":
		return "--public-url é um endereço como https://ativa.example.com, não %q: os links dos e-mails começam com ele"
	case "a new database was begun: %s":
		return "um banco de dados novo foi iniciado: %s"
	case "there is no directory %s":
		return "não há o diretório %s"
	case "mend that line with an editor":
		return "corrija essa linha com um editor"
	case "--max-asks is at least 1":
		return "--max-asks é pelo menos 1"
	case "--output name would lose %s: it is shown only this once":
		return "--output name perderia %s: só aparece esta vez"
	case "--rate-limit is a number of requests a second, as 100/s, not %q":
		return "--rate-limit é um número de requisições por segundo, como 100/s, não %q"
	case "--reason is needed: it stands in the history":
		return "--reason é necessário: fica no histórico"
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
	case "--tls-cert and --tls-key go together":
		return "--tls-cert e --tls-key andam juntos"
	case "--trusted-proxy is an address or a network as 10.0.0.0/8, not %q":
		return "--trusted-proxy é um endereço ou uma rede como 10.0.0.0/8, não %q"
	case "--url and --driver http go together":
		return "--url e --driver http andam juntos"
	case "Call a provider's callback again":
		return "Voltar a chamar o callback de um provedor"
	case "Confirm an operation in the partner's place":
		return "Confirmar uma operação no lugar do parceiro"
	case "Fail an operation in the partner's place":
		return "Dar uma operação por falha no lugar do parceiro"
	case "Forbid a provider to sell products; services that exist stay":
		return "Proibir um provedor de vender produtos; os serviços que existem ficam"
	case "Internet providers, their limits and tokens":
		return "Provedores de internet, seus limites e tokens"
	case "Let a provider sell products":
		return "Deixar um provedor vender produtos"
	case "The operator's side, on the service's own database":
		return "O lado do operador, no próprio banco de dados do serviço"
	case "The refused rows, from the report:":
		return "As linhas recusadas, do relatório:"
	case "The result":
		return "O resultado"
	case "The subscribers open their e-mails and press the button":
		return "Os assinantes abrem seus e-mails e apertam o botão"
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
	case "a backup never replaces a file; choose another name":
		return "uma cópia nunca toma o lugar de um arquivo; escolha outro nome"
	case "address %s is in use":
		return "o endereço %s está em uso"
	case "another program listens there; choose another address with --listen":
		return "outro programa escuta ali; escolha outro endereço com --listen"
	case "ativa --help                             everything else":
		return "ativa --help                             todo o resto"
	case "ativa serve --dev                        a server that stays, in one terminal":
		return "ativa serve --dev                        um servidor que fica, em um terminal"
	case "ativa subscribers import FILE --dry-run  your own spreadsheet, in another: nothing is changed":
		return "ativa subscribers import FILE --dry-run  sua própria planilha, em outro: nada é mudado"
	case "backup written and checked: %s":
		return "cópia escrita e conferida: %s"
	case "check --db (ATIVA_DB)":
		return "confira --db (ATIVA_DB)"
	case "check --tls-cert and --tls-key: PEM files that belong together":
		return "confira --tls-cert e --tls-key: arquivos PEM que combinam"
	case "e-mails: %s":
		return "e-mails: %s"
	case "give --tls-cert and --tls-key, or name the proxy that ends TLS with --trusted-proxy, or say --insecure-http":
		return "use --tls-cert e --tls-key, ou diga com --trusted-proxy o proxy que termina o TLS, ou use --insecure-http"
	case "in another terminal: %s":
		return "em outro terminal: %s"
	case "it is shown only this once":
		return "só aparece esta vez"
	case "keep a copy of the file; restore a backup if the file is damaged":
		return "guarde uma cópia do arquivo; se ele está danificado, restaure uma cópia de segurança"
	case "kept: %s":
		return "mantido: %s"
	case "listening on %s":
		return "escutando em %s"
	case "neither --smtp nor --mail-dir: activation e-mails wait in the outbox":
		return "nem --smtp nem --mail-dir: os e-mails de ativação esperam na caixa de saída"
	case "no fault found":
		return "nenhuma falha encontrada"
	case "no partner is called %q":
		return "nenhum parceiro se chama %q"
	case "provider %q, products play-basic, play-premium, musica, musica-familia; simulated partner":
		return "provedor %q, produtos play-basic, play-premium, musica, musica-familia; parceiro simulado"
	case "see `ativa admin partners list`":
		return "veja `ativa admin partners list`"
	case "see docs/scaling.md":
		return "veja docs/scaling.md"
	case "the check found faults: %d":
		return "a conferência encontrou falhas: %d"
	case "0 or more active tokens":
		return "0 ou mais tokens ativos"
	case "1 to 255 characters":
		return "de 1 a 255 caracteres"
	case "must be valid UTF-8":
		return "precisa ser texto UTF-8 válido"
	case "must not contain control or text direction characters":
		return "não pode conter caracteres de controle nem de direção do texto"
	case "`ativa admin callbacks set` registers one":
		return "`ativa admin callbacks set` cadastra um"
	case "`ativa admin operations list` shows those that wait":
		return "`ativa admin operations list` mostra as que esperam"
	case "`ativa admin products list` shows them":
		return "`ativa admin products list` os mostra"
	case "`ativa admin providers list` shows them":
		return "`ativa admin providers list` os mostra"
	case "a positive number":
		return "um número positivo"
	case "an absolute https address":
		return "um endereço https completo"
	case "0 or more":
		return "0 ou mais"
	case "between 0 and 1":
		return "entre 0 e 1"
	case "must not be empty":
		return "não pode ficar vazio"
	case "no operation has this id":
		return "nenhuma operação tem este id"
	case "no partner has this name":
		return "nenhum parceiro tem este nome"
	case "--url changes a partner of the driver http, --delay and --failure-rate one of the driver simulator":
		return "--url muda um parceiro do driver http; --delay e --failure-rate, um do driver simulator"
	case "no product has this id":
		return "nenhum produto tem este id"
	case "no provider has this name":
		return "nenhum provedor tem este nome"
	case "access tokens":
		return "tokens de acesso"
	case "this internet speed exists":
		return "esta velocidade de internet já existe"
	case "`ativa admin speeds list` shows it":
		return "`ativa admin speeds list` a mostra"
	case "no such token":
		return "este token não existe"
	case "the operation waits for no confirmation":
		return "a operação não espera confirmação"
	case "the provider has no callback":
		return "o provedor não tem callback"
	}
	return ""
}

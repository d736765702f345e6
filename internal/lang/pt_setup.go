package lang

// ptSetup is what login, contexts, the configuration and doctor say.
func ptSetup(english string) string {
	switch english {
	case "%s (HTTPS_PROXY or HTTP_PROXY)":
		return "%s (HTTPS_PROXY ou HTTP_PROXY)"
	case "%s answers":
		return "%s responde"
	case "%s answers, but TLS failed":
		return "%s responde, mas o TLS falhou"
	case "%s belongs to a context, and none is chosen":
		return "%s pertence a um contexto, e nenhum foi escolhido"
	case "%s is %s":
		return "%s é %s"
	case "%s is an address":
		return "%s é um endereço"
	case "%s must be a single value":
		return "%s deve ser um só valor"
	case "%s takes connections and gives no answer: %s":
		return "%s aceita conexões e não responde: %s"
	case "%s, certificate until %s":
		return "%s, certificado até %s"
	case "%s, protected":
		return "%s, protegido"
	case "%s, read-only":
		return "%s, só leitura"
	case "%s, server %s":
		return "%s, servidor %s"
	case "%s: %s %s":
		return "%s: %s %s"
	case "%s: %s: %s":
		return "%s: %s: %s"
	case "--lang is pt or en, not %q":
		return "--lang é pt ou en, não %q"
	case "--storage is keyring or file, not %q":
		return "--storage é keyring ou file, não %q"
	case "Access token":
		return "Token de acesso"
	case "Additional Commands:":
		return "Outros comandos:"
	case "Additional help topics:":
		return "Outros assuntos:"
	case "Available Commands:":
		return "Comandos:"
	case "Global Flags:":
		return "Opções globais:"
	case "How the command line authenticates":
		return "Como a linha de comando se autentica"
	case "Servers to work with, by name":
		return "Servidores com que trabalhar, por nome"
	case "What is set, where that comes from, and how to change it":
		return "O que está definido, de onde vem, e como mudar"
	case "Windows has no such permissions":
		return "o Windows não tem essas permissões"
	case "a context has no name":
		return "um contexto não tem nome"
	case "a context must have a name and a server":
		return "um contexto tem de ter nome e servidor"
	case "a context needs --server URL":
		return "um contexto precisa de --server URL"
	case "a context needs its server":
		return "um contexto precisa de seu servidor"
	case "a second context is called %q":
		return "um segundo contexto se chama %q"
	case "add it: ativa context add %s --server URL":
		return "acrescente-o: ativa context add %s --server URL"
	case "an empty value sets nothing":
		return "um valor vazio não define nada"
	case "answers, and holds no token of this context":
		return "responde, e não tem token deste contexto"
	case "answers; %s":
		return "responde; %s"
	case "ativa context use %s":
		return "ativa context use %s"
	case "context %s exists already, for %s; nothing was changed":
		return "o contexto %s já existe, para %s; nada foi alterado"
	case "choose another name, change a key with `ativa config set KEY VALUE --context %s`, or replace it with --force":
		return "escolha outro nome, mude uma chave com `ativa config set CHAVE VALOR --context %s`, ou substitua-o com --force"
	case "configuration file %s: another command is changing it":
		return "arquivo de configuração %s: outro comando o está alterando"
	case "replace the context of that name":
		return "substitui o contexto desse nome"
	case "ativa context add NAME --server %s --use":
		return "ativa context add NOME --server %s --use"
	case "check its spelling, and the DNS servers of this machine":
		return "confira a grafia, e os servidores DNS desta máquina"
	case "check the clock of this machine; if it is right, the server needs a new certificate":
		return "confira o relógio desta máquina; se está certo, o servidor precisa de um certificado novo"
	case "check the server's URL and port":
		return "confira a URL e a porta do servidor"
	case "configuration file %s":
		return "arquivo de configuração %s"
	case "context %q does not exist":
		return "o contexto %q não existe"
	case "context %s, server %s":
		return "contexto %s, servidor %s"
	case "contexts must be a list":
		return "contexts tem de ser uma lista"
	case "extensions: %s":
		return "extensões: %s"
	case "for more information about a command.":
		return "para saber mais sobre um comando."
	case "from %s":
		return "de %s"
	case "give --context NAME":
		return "use --context NOME"
	case "holds the token":
		return "tem o token"
	case "is the server running, the port right, and a firewall or proxy between?":
		return "o servidor está no ar, a porta está certa, e há um firewall ou proxy no meio?"
	case "logged in: the token of context %s is kept in the %s":
		return "sessão iniciada: o token do contexto %s está guardado em %s"
	case "login needs a context":
		return "login precisa de um contexto"
	case "look at the server and what stands before it; is the port right?":
		return "olhe o servidor e o que está na frente dele; a porta está certa?"
	case "mend HTTPS_PROXY, or give --proxy":
		return "corrija HTTPS_PROXY, ou use --proxy"
	case "mend that line of %s":
		return "corrija essa linha de %s"
	case "mend the server's URL or the option that is named":
		return "corrija a URL do servidor ou a opção citada"
	case "needs a token and a connection":
		return "precisa de um token e de uma conexão"
	case "no answer":
		return "sem resposta"
	case "no connection":
		return "sem conexão"
	case "no context":
		return "sem contexto"
	case "no extensions: history, events, dry runs and keys are not there":
		return "sem extensões: não há histórico, eventos, simulações nem chaves"
	case "no file; it would be %s":
		return "nenhum arquivo; seria %s"
	case "no server is set":
		return "nenhum servidor está definido"
	case "no server":
		return "sem servidor"
	case "no token on standard input":
		return "nenhum token na entrada padrão"
	case "not looked up":
		return "não foi procurado"
	case "not needed on this machine":
		return "não é preciso nesta máquina"
	case "not needed: login keeps the token in a file":
		return "não é preciso: o login guarda o token em um arquivo"
	case "not needed: the token comes from elsewhere":
		return "não é preciso: o token vem de outro lugar"
	case "only you can read ativa's files":
		return "só você pode ler os arquivos do ativa"
	case "others can read %s and %d more":
		return "outros podem ler %s e mais %d"
	case "others can read %s":
		return "outros podem ler %s"
	case "pipe it in with --token-stdin":
		return "passe-o por um pipe com --token-stdin"
	case "run `ativa login`":
		return "execute `ativa login`"
	case "see name":
		return "veja name"
	case "see tls":
		return "veja tls"
	case "set HOME":
		return "defina HOME"
	case "set it: ativa config set server URL":
		return "defina-o: ativa config set server URL"
	case "set the clock; on Linux: timedatectl set-ntp true":
		return "acerte o relógio; no Linux: timedatectl set-ntp true"
	case "tell whoever runs the server that its certificate ends soon":
		return "avise quem cuida do servidor que o certificado vence logo"
	case "the cached bearer token could not be removed: %s":
		return "não foi possível remover o token bearer guardado: %s"
	case "the configuration cannot be read":
		return "não foi possível ler a configuração"
	case "the connection is not protected: anybody on the way can read the token":
		return "a conexão não é protegida: qualquer um no caminho pode ler o token"
	case "the file must hold keys and values":
		return "o arquivo tem de ter chaves e valores"
	case "the keyring cannot be used":
		return "o chaveiro não pode ser usado"
	case "the name was not found":
		return "o nome não foi encontrado"
	case "the proxy of the environment is not a URL":
		return "o proxy do ambiente não é uma URL"
	case "the server does not speak TLS on this port":
		return "o servidor não fala TLS nesta porta"
	case "the server does not tell its time":
		return "o servidor não diz a hora dele"
	case "the server is not a URL":
		return "o servidor não é uma URL"
	case "the server may want a client certificate: --client-cert and --client-key":
		return "o servidor talvez queira um certificado de cliente: --client-cert e --client-key"
	case "there is no terminal to ask for the access token":
		return "não há terminal para pedir o token de acesso"
	case "this machine is %s ahead of the server":
		return "esta máquina está %s adiantada em relação ao servidor"
	case "this machine is %s behind the server":
		return "esta máquina está %s atrasada em relação ao servidor"
	case "to forget it whole: ativa context remove %s":
		return "para esquecê-lo inteiro: ativa context remove %s"
	case "to take a key out: ativa config unset %s":
		return "para tirar uma chave: ativa config unset %s"
	case "unknown key %q":
		return "chave desconhecida %q"
	case "unlock or start it, or keep the token in a file with --storage file":
		return "destranque ou inicie o chaveiro, ou guarde o token em um arquivo com --storage file"
	case "unlock or start it, or keep the token in a file: ativa login --storage file":
		return "destranque ou inicie o chaveiro, ou guarde o token em um arquivo: ativa login --storage file"
	case "use --server URL or ATIVA_SERVER, or add a context: ativa context add NAME --server URL --use":
		return "use --server URL ou ATIVA_SERVER, ou acrescente um contexto: ativa context add NOME --server URL --use"
	case "use https":
		return "use https"
	case "use the name that the certificate is for":
		return "use o nome para o qual o certificado foi feito"
	case "when the server's authority is your own: --ca-cert FILE, or ativa config set ca_cert FILE":
		return "se a autoridade do servidor é a sua: --ca-cert ARQUIVO, ou ativa config set ca_cert ARQUIVO"
	case "within a minute of the server's":
		return "a menos de um minuto do servidor"
	}
	return ""
}

package lang

// ptComposed is what is put together at run time: environment variables, triggers,
// actors, operations.
func ptComposed(english string) string {
	switch english {
	case "--from and --to name the two databases":
		return "--from e --to dizem os dois bancos de dados"
	case "Copy everything into another database, and compare both":
		return "Copiar tudo para outro banco de dados, e comparar os dois"
	case "Copy everything into another, empty database: subscribers, services, the queue,\nthe outbox, the history, tokens, links and counters. Then both are compared,\ntable by table, by the number of rows and a checksum of what they hold.":
		return "Copiar tudo para outro banco de dados, vazio: assinantes, serviços, a fila, a caixa de saída,\no histórico, tokens, links e contadores. Depois os dois são comparados, tabela por tabela,\npelo número de linhas e por uma soma do que elas têm."
	case "Stop the service first: a file with a server is refused, and servers on\nPostgreSQL must wait. A copy that broke off goes on when the same command is run\nagain; a target that holds anything else is refused. Access tokens and links\nthat were given out go on being good.":
		return "Pare o serviço antes: um arquivo com um servidor é recusado, e servidores em PostgreSQL têm de\nesperar. Uma cópia interrompida continua quando o mesmo comando é executado de novo; um destino\nque tem outra coisa é recusado. Tokens de acesso e links já entregues continuam valendo."
	case "check --from and --to; what was copied stays, and the same command goes on":
		return "confira --from e --to; o que foi copiado fica, e o mesmo comando continua"
	case "checksum":
		return "soma"
	case "copied and compared; both hold the same":
		return "copiado e comparado; os dois têm o mesmo"
	case "copy into a new database":
		return "copie para um banco de dados novo"
	case "did you mean %s? products: %s":
		return "você quis dizer %s? produtos: %s"
	case "did you mean --%s? %s":
		return "você quis dizer --%s? %s"
	case "schema version":
		return "versão do esquema"
	case "table":
		return "tabela"
	case "the database that is copied: sqlite:PATH or postgres://…":
		return "o banco de dados que é copiado: sqlite:CAMINHO ou postgres://…"
	case "the empty database it is copied to":
		return "o banco de dados vazio para onde se copia"
	case "%d existed already":
		return "%d já [existia|existiam]"
	case "%d of them updated":
		return "%d deles [atualizado|atualizados]"
	case "%d [service|services] of theirs activated":
		return "%d [serviço deles ativado|serviços deles ativados]"
	case "%d duplicate":
		return "%d [repetida|repetidas]"
	case "%d sent":
		return "%d [enviada|enviadas]"
	case "%d refused by the server":
		return "%d [recusada|recusadas] pelo servidor"
	case "%d invalid":
		return "%d [inválida|inválidas]"
	case "%d without an answer":
		return "%d sem resposta"
	case "%d not sent":
		return "%d não [enviada|enviadas]"
	case "%d created":
		return "%d [criado|criados]"
	case "would be imported: %s":
		return "seria importado: %s"
	case "imported: %s":
		return "importado: %s"
	case "create":
		return "a criar"
	case "update":
		return "a atualizar"
	case "activate":
		return "a ativar"
	case "change":
		return "a trocar"
	case "suspend":
		return "a suspender"
	case "reactivate":
		return "a reativar"
	case "deactivate":
		return "a cancelar"
	case "refused":
		return "recusadas"
	case "%d unchanged":
		return "%d sem mudança"
	case "invalid_length":
		return "um CPF tem 11 dígitos"
	case "invalid_characters":
		return "um número se escreve só com dígitos e a pontuação de costume"
	case "invalid_check_digit":
		return "os dígitos verificadores do CPF estão errados"
	case "repeated_digits":
		return "um CPF nunca é um só dígito repetido"
	case "cnpj_not_supported":
		return "isto é um CNPJ; só o CPF de uma pessoa pode ser cadastrado"
	case "invalid_phone":
		return "isto não é um telefone: DDD e 9 dígitos começando com 9, ou 8 começando com 2 a 5"
	case "invalid_area_code":
		return "este DDD não existe"
	case "missing_area_code":
		return "falta o DDD antes do telefone"
	case "no access token: not on standard input, in ATIVA_ACCESS_TOKEN, by command or file, nor stored by a login":
		return "nenhum token de acesso: nem na entrada padrão, nem em ATIVA_ACCESS_TOKEN, nem por comando ou arquivo, nem guardado por um login"
	case "access token from %s":
		return "token de acesso de %s"
	case "there is none":
		return "não há nenhum"
	case "no session bus, so no keyring":
		return "não há barramento de sessão, então não há chaveiro"
	case "no answer in time":
		return "sem resposta a tempo"
	case "other users can read it; chmod 600 mends that":
		return "outros usuários podem lê-lo; chmod 600 resolve"
	case "it belongs to another server":
		return "pertence a outro servidor"
	case "what is there is not an access token":
		return "o que está lá não é um token de acesso"
	case "it could not be read":
		return "não foi possível ler"
	case "empty, too long, or with blanks in it":
		return "vazio, comprido demais ou com espaços"
	case "the keyring is silent; is it waiting to be unlocked?":
		return "o chaveiro não responde; está esperando ser destravado?"
	case "not a regular file":
		return "não é um arquivo comum"
	case "the command ended with exit code %d":
		return "o comando terminou com o código %d"
	case "help for %s":
		return "ajuda sobre %s"
	case "unknown flag: %s":
		return "opção desconhecida: %s"
	case "unknown shorthand flag: %s in %s":
		return "opção curta desconhecida: %s em %s"
	case "flag needs an argument: %s":
		return "a opção precisa de um valor: %s"
	case "invalid argument %s for %s flag: %s":
		return "valor inválido %s para a opção %s: %s"
	case "unknown command %s for %s":
		return "comando desconhecido %s para %s"
	case ", as %s":
		return ", como %s"
	case ", needed":
		return ", necessário"
	case "0 turns colours off":
		return "0 desliga as cores"
	case "Exit codes: %s; see `ativa help exit-codes`.":
		return "Códigos de saída: %s; veja `ativa help exit-codes`."
	case "PEM file of authorities to trust":
		return "arquivo PEM das autoridades em que confiar"
	case "URL of a proxy; without it HTTPS_PROXY and NO_PROXY count":
		return "URL de um proxy; sem ela valem HTTPS_PROXY e NO_PROXY"
	case "activation":
		return "ativação"
	case "address of ativa serve":
		return "endereço de ativa serve"
	case "base URL of the server":
		return "URL base do servidor"
	case "below it ativa's bearer tokens and completions; default ~/.cache":
		return "abaixo dele os tokens bearer e o completar do ativa; padrão ~/.cache"
	case "below it ativa/config.yaml; default ~/.config":
		return "abaixo dele ativa/config.yaml; padrão ~/.config"
	case "below it ativa/imports and the default database; default ~/.local/state":
		return "abaixo dele ativa/imports e o banco de dados padrão; padrão ~/.local/state"
	case "cancellation":
		return "cancelamento"
	case "change of product":
		return "troca de produto"
	case "command that shows long output":
		return "comando que mostra saídas longas"
	case "confirmation":
		return "confirmação"
	case "database of ativa serve and ativa admin":
		return "banco de dados de ativa serve e ativa admin"
	case "dumb turns colours off":
		return "dumb desliga as cores"
	case "failure":
		return "falha"
	case "flags of the pager less; FRX if not set":
		return "opções do paginador less; FRX se não definido"
	case "format of the output":
		return "formato da saída"
	case "hosts that are reached without a proxy":
		return "máquinas que se alcançam sem proxy"
	case "if not empty and not 0, colours in pipes too":
		return "se não vazio e não 0, cores também em pipes"
	case "if not empty, no colours":
		return "se não vazio, sem cores"
	case "import %s is running already, in process %d since %s":
		return "a importação %s já está em andamento, no processo %d desde %s"
	case "its password, unless --smtp-password-file":
		return "a senha dele, a menos que --smtp-password-file"
	case "click on the link":
		return "clique no link"
	case "mail server of ativa serve":
		return "servidor de correio de ativa serve"
	case "operator":
		return "operador"
	case "lack of payment":
		return "falta de pagamento"
	case "proxy for http, unless one is set":
		return "proxy para http, se nenhum foi definido"
	case "proxy for https, unless one is set":
		return "proxy para https, se nenhum foi definido"
	case "reactivation":
		return "reativação"
	case "another e-mail":
		return "outro e-mail"
	case "sender of the e-mails":
		return "remetente dos e-mails"
	case "end of the lack of payment":
		return "fim da falta de pagamento"
	case "free place":
		return "lugar livre"
	case "subscriber":
		return "assinante"
	case "suspension":
		return "suspensão"
	case "suspension for lack of payment":
		return "suspensão por falta de pagamento"
	case "systemd's credentials: the access token is its file ativa_access_token":
		return "credenciais do systemd: o token de acesso é o arquivo ativa_access_token"
	case "the access token; before every other place but --token-stdin":
		return "o token de acesso; antes de qualquer outro lugar, menos --token-stdin"
	case "the context to use":
		return "o contexto a usar"
	case "the home directory":
		return "o diretório pessoal"
	case "time-out":
		return "tempo esgotado"
	case "what activation links begin with":
		return "com o que começam os links de ativação"
	case "where the keyring of Linux is reached":
		return "onde se alcança o chaveiro do Linux"
	case "registration":
		return "cadastro"
	case "import":
		return "importação"
	case "correction":
		return "correção"
	case "erasure":
		return "exclusão"
	case "you":
		return "você"
	}
	return ""
}

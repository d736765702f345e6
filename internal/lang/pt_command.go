package lang

// ptCommand is what the help says a command is for, in one line.
func ptCommand(english string) string {
	switch english {
	case "Accept none of a provider's tokens any more":
		return "Deixar de aceitar os tokens de um provedor"
	case "Accept a provider's tokens again":
		return "Voltar a aceitar os tokens de um provedor"
	case "Add a context":
		return "Acrescentar um contexto"
	case "Change where a partner is called, or how it is simulated":
		return "Mudar onde um parceiro é chamado, ou como ele é simulado"
	case "Add an internet speed; it can be used at once":
		return "Acrescentar uma velocidade de internet, que vale na hora"
	case "Internet speeds that a subscriber can have":
		return "Velocidades de internet que um assinante pode ter"
	case "List the internet speeds":
		return "Listar as velocidades de internet"
	case "Add a partner; its signing secret is printed once":
		return "Acrescentar um parceiro; o segredo de assinatura é mostrado uma vez"
	case "Add a product":
		return "Acrescentar um produto"
	case "Change a product; what is not given stays":
		return "Mudar um produto; o que não é dito fica como está"
	case "Change fields of a subscriber; what is not given stays":
		return "Mudar campos de um assinante; o que não é dito fica como está"
	case "Check an access token and keep it for the context":
		return "Conferir um token de acesso e guardá-lo para o contexto"
	case "Copy the database into a new file while the service runs":
		return "Copiar o banco de dados para um arquivo novo enquanto o serviço funciona"
	case "Deliver now what was given up or waits for another attempt":
		return "Entregar agora o que foi abandonado ou espera outra tentativa"
	case "End an access token and the bearer tokens made from it":
		return "Encerrar um token de acesso e os tokens bearer feitos com ele"
	case "Erase a subscriber whose services are all cancelled":
		return "Apagar um assinante cujos serviços estão todos cancelados"
	case "Find subscribers by name, e-mail, document or telephone":
		return "Procurar assinantes por nome, e-mail, documento ou telefone"
	case "Forget a context":
		return "Esquecer um contexto"
	case "Forget finished runs":
		return "Esquecer execuções terminadas"
	case "Forget the token of the context":
		return "Esquecer o token do contexto"
	case "Go on with an interrupted run":
		return "Continuar uma execução interrompida"
	case "Help about a command or a topic":
		return "Ajuda sobre um comando ou assunto"
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
	case "Print a bearer token, for other programs":
		return "Mostrar um token bearer, para outros programas"
	case "Print all that is kept about one subscriber, as JSON":
		return "Mostrar tudo o que se guarda sobre um assinante, em JSON"
	case "Print the value of a key":
		return "Mostrar o valor de uma chave"
	case "Print the version of the program":
		return "Mostrar a versão do programa"
	case "Register one subscriber":
		return "Cadastrar um assinante"
	case "Run the service: the API, the activation page, deliveries":
		return "Rodar o serviço: a API, a página de ativação, as entregas"
	case "Send any request to the API, and print the answer as it came":
		return "Enviar qualquer requisição à API, e mostrar a resposta como veio"
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
	case "Take a key out of the configuration file":
		return "Tirar uma chave do arquivo de configuração"
	}
	return ""
}

package lang

// ptHelp is the long texts of help pages.
func ptHelp(english string) string {
	switch english {
	case "   0  ok             done; also an empty list, and what already was as wanted\n   1  error          unexpected\n   2  usage          unknown command, flag, argument or config key, or a needed answer; nothing was sent\n   3  not_found      the document, product or context does not exist\n   4  auth           no, wrong or expired credentials; the keyring is unavailable, locked or silent\n   5  refused        a rule or a conflict\n   6  invalid_input  a file failed its check; nothing was sent\n   7  partial        some items done, some not; see the report\n   8  pending        accepted, not final within --timeout; or queued by the limit, with --strict\n   9  unavailable    network, TLS, time-out or an overloaded server: try again later\n 130  interrupted    Ctrl-C; progress is saved\n 143  terminated     SIGTERM; progress is saved":
		return "   0  ok             feito; também uma lista vazia, e o que já estava como se quer\n   1  error          inesperado\n   2  usage          comando, opção, argumento ou chave desconhecidos, ou falta uma resposta; nada foi enviado\n   3  not_found      o documento, produto ou contexto não existe\n   4  auth           credenciais ausentes, erradas ou vencidas; chaveiro indisponível, trancado ou mudo\n   5  refused        uma regra ou um conflito\n   6  invalid_input  um arquivo não passou na conferência; nada foi enviado\n   7  partial        uma parte feita, outra não; veja o relatório\n   8  pending        aceito, sem status final dentro de --timeout; ou na fila do limite, com --strict\n   9  unavailable    rede, TLS, tempo esgotado ou servidor sobrecarregado: tente mais tarde\n 130  interrupted    Ctrl-C; o progresso está salvo\n 143  terminated     SIGTERM; o progresso está salvo"
	case "  --columns a,b   which columns, in which order; a wrong name lists those there are\n  --sort a:desc   by a column, up or :desc\n  --no-header     without the header line\n  --jq FILTER     a jq filter over the document of json, or each line of jsonl\n  --template T    a Go template over the same":
		return "  --columns a,b   quais colunas, em que ordem; um nome errado mostra as que existem\n  --sort a:desc   por uma coluna, crescente ou :desc\n  --no-header     sem a linha de cabeçalho\n  --jq FILTER     um filtro jq sobre o documento json, ou sobre cada linha de jsonl\n  --template T    um modelo Go sobre o mesmo"
	case "  -o table        columns for people; long cells are cut on a terminal only\n  -o json         one document with the API's own field names\n  -o jsonl        a JSON object a line, as the pages come\n  -o csv, -o tsv  the columns with a header; what starts like a formula is guarded\n  -o yaml         the document as YAML\n  -o name         the first column alone, a line each\n  --excel         CSV for Excel: byte order mark and semicolons":
		return "  -o table        colunas para pessoas; células longas só são cortadas no terminal\n  -o json         um documento com os nomes de campo da própria API\n  -o jsonl        um objeto JSON por linha, conforme as páginas chegam\n  -o csv, -o tsv  as colunas com cabeçalho; o que começa como fórmula é protegido\n  -o yaml         o documento em YAML\n  -o name         só a primeira coluna, uma por linha\n  --excel         CSV para o Excel: marca de ordem de bytes e ponto e vírgula"
	case "--dev sets up everything to try it: its own SQLite file, a provider, products of\ntwo families, a simulated partner and a mail directory, and a context \"dev\" that\nthe other commands then use.":
		return "--dev prepara tudo para experimentar: um arquivo SQLite próprio, um provedor, produtos\nde duas famílias, um parceiro simulado e um diretório de correio, e um contexto \"dev\"\nque os outros comandos passam a usar."
	case "--excel writes what Excel opens without damage: a byte order mark, semicolons,\ndocuments and telephone numbers with their punctuation, so that no zero is lost.":
		return "--excel escreve o que o Excel abre sem estragar: marca de ordem de bytes, ponto e\nvírgula, documentos e telefones com a pontuação, para que nenhum zero se perca."
	case "-f NAME=VALUE adds a text and -F NAME=VALUE a value: true, false, null, a number,\na list or an object as in JSON, else a text; -F NAME=@FILE reads it from a file, @-\nfrom standard input. NAME[] adds to a list, NAME[KEY] to an object. They form a\nJSON body, or with GET and HEAD the query. --input sends a file as the body.\n--paginate asks for every page of a list, or for all of /events, and prints the\nanswers one after the other.":
		return "-f NOME=VALOR acrescenta um texto e -F NOME=VALOR um valor: true, false, null, um número,\numa lista ou um objeto como em JSON, senão um texto; -F NOME=@ARQUIVO lê de um arquivo,\n@- da entrada padrão. NOME[] acrescenta a uma lista, NOME[CHAVE] a um objeto. Formam um\ncorpo JSON, ou com GET e HEAD a consulta. --input envia um arquivo como corpo.\n--paginate pede todas as páginas de uma lista, ou todo o /events, e imprime as\nrespostas uma depois da outra."
	case "A client of any server with the provisioning API, and the whole service behind\nit. Try \"ativa demo\" to see it work, \"ativa serve --dev\" to try it yourself.":
		return "Um cliente de qualquer servidor com a API de provisionamento, e o serviço inteiro por\ntrás dela. Experimente \"ativa demo\" para ver funcionar, \"ativa serve --dev\" para usar."
	case "A flag comes before the environment, which comes before the configuration file.":
		return "Uma opção vem antes do ambiente, que vem antes do arquivo de configuração."
	case "A server with its own database, a provider, four products and a simulated partner":
		return "Um servidor com banco de dados próprio, um provedor, quatro produtos e um parceiro simulado"
	case "A speed is an id of `ativa subscribers speeds` or a text such as 100 Mega. Products\nare ids, codes or names, several in a cell separated by commas, or one a line.":
		return "Uma velocidade é um id de `ativa subscribers speeds` ou um texto como 100 Mega. Produtos\nsão ids, códigos ou nomes, vários em uma célula separados por vírgula, ou um por linha."
	case "A spreadsheet of 200 rows from Excel: semicolons, Windows-1252, lost zeros, three mistakes":
		return "Uma planilha de 200 linhas do Excel: ponto e vírgula, Windows-1252, zeros perdidos, três erros"
	case "ID is one of the access tokens that `ativa admin providers list` shows.":
		return "ID é um dos tokens de acesso que `ativa admin providers list` mostra."
	case "Add an internet speed to the list, with the next id. Requests and spreadsheets can\nuse it at once. A speed is never changed or taken out: subscribers name its id.":
		return "Acrescenta uma velocidade de internet à lista, com o próximo id. Pedidos e planilhas podem\nusá-la na hora. Uma velocidade nunca é mudada nem retirada: os assinantes a citam pelo id."
	case "A value comes from the first of: flag, environment, configuration file, default.\nThe file is config.yaml in $XDG_CONFIG_HOME/ativa, else in ~/.config/ativa. Keys\nfrom server on belong to a context: the chosen one, or that of --context.":
		return "Um valor vem do primeiro destes: opção, ambiente, arquivo de configuração, padrão. O\narquivo é config.yaml em $XDG_CONFIG_HOME/ativa, senão em ~/.config/ativa. As chaves\na partir de server pertencem a um contexto: o escolhido, ou o de --context."
	case "Apply again the events that matched no operation; what matches none stays parked":
		return "Aplicar de novo os eventos que não combinavam com operação nenhuma; os que não combinam ficam guardados"
	case "Bring the database to the version of this program, or say which it has":
		return "Levar o banco de dados à versão deste programa, ou dizer qual ele tem"
	case "Bring the database to the version of this program. The service and every other\nadmin command do so by themselves when they start; this one lets you choose the\nmoment. Take a backup first: there is no way back but the backup.":
		return "Levar o banco de dados à versão deste programa. O serviço e os outros comandos admin\nfazem isso sozinhos ao começar; este deixa escolher o momento. Faça antes uma cópia de\nsegurança: não há volta senão por ela."
	case "CPFs are masked in tables, ***.982.247-**, unless --show-documents; never in json,\njsonl, yaml, csv and tsv. Control and bidirectional characters are shown escaped.\nColours are for terminals: --color, NO_COLOR, CLICOLOR_FORCE. With -o json or jsonl\nan error is one JSON object on stderr: code, message, http_status, request_id,\nretryable, hint. docs/output.md lists the fields of every command.":
		return "Nas tabelas o CPF aparece mascarado, ***.982.247-**, a menos que --show-documents; em json,\njsonl, yaml, csv e tsv nunca. Caracteres de controle e bidirecionais aparecem escritos.\nCores são para terminais: --color, NO_COLOR, CLICOLOR_FORCE. Com -o json ou jsonl um erro\né um objeto JSON na saída de erro: code, message, http_status, request_id, retryable, hint.\ndocs/output.md lista os campos de cada comando."
	case "Change one subscriber's service to another product of its family":
		return "Trocar o serviço de um assinante por outro produto da mesma família"
	case "Change the limit of active services; raising it starts queued activations":
		return "Mudar o limite de serviços ativos; aumentá-lo inicia as ativações da fila"
	case "Check an access token and keep it for the context, in the keyring of the\noperating system. Where there is no keyring, --storage file keeps it in a file\nthat only you can read; nothing is ever kept in clear without that flag.":
		return "Conferir um token de acesso e guardá-lo para o contexto, no chaveiro do sistema. Onde não\nhá chaveiro, --storage file o guarda em um arquivo que só você pode ler; nada é guardado\nàs claras sem essa opção."
	case "Check the configuration file, permissions, context, proxy, name, connection, TLS,\nclock, keyring, access token and API, one after the other. Each is a row with the\nremedy. Nothing is changed, and nothing is waited for longer than 10 seconds, or\n--timeout. The exit code is that of the first error, since later ones may follow\nfrom it; warnings are exit 0.":
		return "Conferir o arquivo de configuração, permissões, contexto, proxy, nome, conexão, TLS,\nrelógio, chaveiro, token de acesso e API, um depois do outro. Cada um é uma linha com o\nremédio. Nada é mudado, e nada é esperado por mais de 10 segundos, ou --timeout. O código\nde saída é o do primeiro erro, pois os seguintes podem vir dele; avisos saem com 0."
	case "Data goes to stdout, everything else to stderr. On a terminal a list is a table;\nin a pipe it is the same columns separated by TABs, without decoration.":
		return "Dados vão para a saída padrão, o resto para a saída de erro. No terminal uma lista é uma\ntabela; em um pipe são as mesmas colunas separadas por TAB, sem enfeites."
	case "E-mails, callbacks and partner requests that are owed or were given up":
		return "E-mails, callbacks e pedidos a parceiros que estão por fazer ou foram abandonados"
	case "Excel's damage is mended where that is certain, and reported: lost leading zeros of\na CPF, .0 at the end of a number. 1,23E+10 is refused: the digits are gone. So is a\ncell of which a workbook made a date, as 10/may of the plan 10-5.":
		return "O estrago do Excel é consertado onde é certo, e contado: zeros à esquerda que o CPF perdeu,\n.0 no fim de um número. 1,23E+10 é recusado: os dígitos se foram. Também uma\ncélula que a planilha transformou em data, como 10/mai do plano 10-5."
	case "FILE is CSV in any usual encoding and delimiter, or .xlsx; - is standard input.\nThe whole file is checked before anything is sent: with any invalid row nothing\nis (exit 6), unless --skip-invalid sends the rest (exit 7). FILE.report.csv tells\nwhat became of every row, FILE.rejected.csv holds the refused rows as they stood\nin the file, ready to be mended and imported again.":
		return "ARQUIVO é CSV em qualquer codificação e delimitador usuais, ou .xlsx; - é a entrada padrão.\nO arquivo inteiro é conferido antes de enviar: com uma linha inválida nada é enviado\n(saída 6), a menos que --skip-invalid envie o resto (saída 7). ARQUIVO.report.csv diz o que\nhouve com cada linha, ARQUIVO.rejected.csv guarda as linhas recusadas como estavam, prontas\npara corrigir e importar de novo."
	case "FILE.report.csv tells what became of each line; FILE.rejected.csv holds the refused\nlines as they were, with what is wrong, to be mended and imported again.":
		return "ARQUIVO.report.csv diz o que houve com cada linha; ARQUIVO.rejected.csv guarda as linhas\nrecusadas como estavam, com o que há de errado, para corrigir e importar de novo."
	case "Forget finished runs, or the given ones. An interrupted run that is forgotten\ncannot be gone on with; only a given one is, or with --all.":
		return "Esquecer as execuções terminadas, ou as que forem ditas. Uma interrompida que se esquece\nnão pode continuar; só se ela for dita, ou com --all."
	case "Give a provider a new access token; the one before stays valid, older ones end":
		return "Dar a um provedor um novo token de acesso; o anterior continua valendo, os mais velhos acabam"
	case "Imports and other runs over a file: what is done, and going on with it":
		return "Importações e outras execuções sobre um arquivo: o que está feito, e como continuar"
	case "List the possible service statuses, with category and meaning":
		return "Listar os status possíveis de um serviço, com categoria e significado"
	case "List the runs that this user began on this machine, the latest first. An\ninterrupted one goes on with `ativa imports resume`, or the same command again.":
		return "Listar as execuções que este usuário começou nesta máquina, a última primeiro. Uma\ninterrompida continua com `ativa imports resume`, ou com o mesmo comando outra vez."
	case "Lists are always complete: all pages are read. csv, tsv and jsonl need constant\nmemory for any number of rows; --sort, --jq and --template need all of them.":
		return "As listas são sempre completas: todas as páginas são lidas. csv, tsv e jsonl usam memória\nconstante para qualquer número de linhas; --sort, --jq e --template precisam de todas."
	case "Look for damage in the database and for what the rules do not allow":
		return "Procurar danos no banco de dados e o que as regras não permitem"
	case "Look for damage in the database and for what the rules do not allow: counters\nthat differ from counts, gaps in the queue or the event feed, activations that\nwait although there is room, a second live token of a product or family,\noperations and jobs that belong to nothing. It changes nothing, and the service\nmay run. Exit code 1 when there is a fault; a note is none.":
		return "Procurar danos no banco de dados e o que as regras não permitem: contadores que diferem\ndas contagens, buracos na fila ou nos eventos, ativações que esperam embora haja lugar, um\nsegundo token vivo de um produto ou família, operações e tarefas que não pertencem a nada.\nNão muda nada, e o serviço pode estar funcionando. Sai com 1 quando há uma falha; uma nota\nnão é falha."
	case "Make deliveries due now, with a fresh schedule: those that were given up, and those\nthat wait for another attempt. When one of them cannot be, nothing is changed. An\nactivation e-mail that was refused for good has failed its activation: resend it\ninstead (ativa subscribers resend).":
		return "Pôr entregas para agora, com um novo calendário: as abandonadas, e as que esperam outra\ntentativa. Se uma delas não puder, nada é mudado. Um e-mail de ativação recusado de vez fez\na ativação falhar: reenvie-o (ativa subscribers resend)."
	case "Make due again, with a fresh schedule, the provider's callbacks that were given up,\nand list them. Those whose service has moved on since are left dead.":
		return "Pôr de novo na fila, com um novo calendário, os callbacks abandonados do provedor, e\nlistá-los. Os de serviços que mudaram desde então continuam abandonados."
	case "Make the service match a spreadsheet, which holds the wished state: subscribers,\ntheir fields, their products and, in a status column, active, suspend, overdue or\ncanceled. The plan is shown, and applied after a yes or --yes.":
		return "Fazer o serviço ficar como a planilha, que traz o estado desejado: assinantes, seus campos,\nseus produtos e, em uma coluna de status, ativo, suspenso, inadimplente ou cancelado. O\nplano é mostrado, e aplicado depois de um sim ou de --yes."
	case "Only https and public addresses are called, unless --allow-private. The provider\nchecks the signature as Standard Webhooks describes; see docs/operating.md.":
		return "Só https e endereços públicos são chamados, a menos que --allow-private. O provedor confere\na assinatura como descreve Standard Webhooks; veja docs/operating.md."
	case "P is a product's id, code or name. The documents are given here, or in a file:\na spreadsheet with a document column, or one document per line (- is standard\ninput). Every document is reported by itself; exit 7 when some failed, 5 when\nall did. With a file, FILE.report.csv tells what became of each line, and an\ninterrupted run goes on when the same command is run again.":
		return "P é o id, código ou nome de um produto. Os documentos são ditos aqui, ou em um arquivo: uma\nplanilha com uma coluna de documentos, ou um documento por linha (- é a entrada padrão).\nCada documento tem seu próprio resultado; sai com 7 quando alguns falharam, 5 quando todos.\nCom um arquivo, ARQUIVO.report.csv diz o que houve com cada linha, e uma execução\ninterrompida continua quando o mesmo comando é executado de novo."
	case "Post a signed message of the type callback.test and show what came back":
		return "Enviar uma mensagem assinada do tipo callback.test e mostrar o que voltou"
	case "Post a signed message of the type callback.test to the provider's callback, once,\nfrom this machine, and show what came back. It carries no subscriber. Anything but\na 2xx answer exits 9.":
		return "Enviar uma mensagem assinada do tipo callback.test ao callback do provedor, uma vez, desta\nmáquina, e mostrar o que voltou. Ela não leva assinante. Tudo que não for uma resposta 2xx\nsai com 9."
	case "Print all that is kept about one subscriber, as JSON: the data itself, the\nservices, their history and the deliveries. It is what to hand out when the\nsubscriber asks for it (LGPD, article 18). `ativa subscribers delete` erases it.":
		return "Mostrar tudo o que se guarda sobre um assinante, em JSON: os dados, os serviços, o histórico\ndeles e as entregas. É o que se entrega quando o assinante pede (LGPD, artigo 18). `ativa\nsubscribers delete` apaga."
	case "Print the value of a key: the value alone, or with -o or --columns a row that\nsays where it comes from.":
		return "Mostrar o valor de uma chave: só o valor, ou com -o ou --columns uma linha que diz de onde\nele vem."
	case "What is owed to the partner goes to the new URL from then on, under the same ids\nand signed with the same secret.":
		return "O que se deve ao parceiro vai para a nova URL a partir daí, com os mesmos ids e assinado com o\nmesmo segredo."
	case "Register a provider's callback; its signing secret is printed once":
		return "Registrar o callback de um provedor; o segredo de assinatura é mostrado uma vez"
	case "Register subscribers from a spreadsheet and activate the products of the new ones.":
		return "Cadastrar assinantes de uma planilha e ativar os produtos dos novos."
	case "Register subscribers from a spreadsheet and activate their products":
		return "Cadastrar assinantes de uma planilha e ativar seus produtos"
	case "Register where a provider hears of resent activations, or replace what is\nregistered; its signing secret is new each time and printed once.":
		return "Registrar onde um provedor fica sabendo de ativações reenviadas, ou trocar o que está\nregistrado; o segredo de assinatura é novo a cada vez e mostrado uma vez."
	case "Run the command of an interrupted run again. What it did is not done again; a\nfile that came from standard input must be given there once more.":
		return "Dar de novo o comando de uma execução interrompida. O que ela fez não é feito outra vez; um\narquivo que veio da entrada padrão tem de ser dado de novo."
	case "Run the service: the API, the activation page and the deliveries that follow\nfrom what they do. It stops on SIGINT or SIGTERM after finishing what is under way;\nnothing that was acknowledged is lost.":
		return "Rodar o serviço: a API, a página de ativação e as entregas que seguem do que elas fazem.\nPara com SIGINT ou SIGTERM depois de terminar o que está em andamento; nada do que foi\nconfirmado se perde."
	case "Run the whole job in one go, on a database of its own: start the service with a\nsimulated partner, import a spreadsheet of 200 rows, follow the activation links\nthat were mailed, suspend, change and cancel services, and show the result. It\nneeds nothing and leaves nothing behind, unless --keep.":
		return "Fazer o trabalho inteiro de uma vez, em um banco de dados próprio: iniciar o serviço com um\nparceiro simulado, importar uma planilha de 200 linhas, seguir os links de ativação enviados,\nsuspender, trocar e cancelar serviços, e mostrar o resultado. Não precisa de nada e não\ndeixa nada para trás, a menos que --keep."
	case "Say in plain words how each service stands, and what to do next":
		return "Dizer em palavras simples como está cada serviço, e o que fazer em seguida"
	case "Say in plain words what each service of a subscriber is, what it waits for and\nsince when, its place in the queue, and the commands to type next. Where the\nserver keeps a history, also when the last activation e-mail went out, when the\npartner last said something, and what happened last.":
		return "Dizer em palavras simples o que é cada serviço de um assinante, o que ele espera e desde\nquando, o lugar na fila, e os comandos a digitar em seguida. Onde o servidor guarda\nhistórico, também quando saiu o último e-mail de ativação, quando o parceiro disse algo pela\núltima vez, e o que aconteceu por último."
	case "Send any request to the API, with the server, token, retries and time-outs of the\ncontext, and print the body of the answer as it came. The exit code follows from\nits status.":
		return "Enviar qualquer requisição à API, com o servidor, o token, as tentativas e os tempos do\ncontexto, e mostrar o corpo da resposta como veio. O código de saída segue do status dela."
	case "Send the activation e-mails again; earlier links stop working":
		return "Enviar de novo os e-mails de ativação; os links anteriores deixam de funcionar"
	case "Show what happened to subscribers and services, oldest first, from the event feed\nof the server. --follow goes on until it is interrupted (exit 130), through\nrestarts of the server. At the end the cursor is told, on stderr or as next_cursor\nin -o json: give it as --after to go on from there without a gap. Use -o jsonl to\nread the events with a program.":
		return "Mostrar o que aconteceu com assinantes e serviços, o mais antigo primeiro, do fluxo de\neventos do servidor. --follow continua até ser interrompido (saída 130), mesmo que o\nservidor reinicie. No fim o cursor é dito, na saída de erro ou como next_cursor em -o json:\ndê-o em --after para continuar dali sem buracos. Use -o jsonl para ler os eventos com um\nprograma."
	case "Stop calling a provider's callback; what is due meanwhile is dropped":
		return "Parar de chamar o callback de um provedor; o que vencer nesse tempo é descartado"
	case "Suspend, reactivate, change and cancel; the partner confirms each":
		return "Suspender, reativar, trocar e cancelar; o parceiro confirma cada um"
	case "The copy is one consistent moment, is checked before it gets its name, can be\nread by its owner alone and never replaces a file that is there. To restore it,\nstop the service, put the file in the database's place (remove what ends in\n-wal and -shm beside it) and start the service. A PostgreSQL database is backed\nup with PostgreSQL's own tools.":
		return "A cópia é um só momento consistente, é conferida antes de receber o nome, só o dono pode ler\ne nunca toma o lugar de um arquivo que existe. Para restaurá-la, pare o serviço, ponha o\narquivo no lugar do banco de dados (remova ao lado o que termina em -wal e -shm) e inicie o\nserviço. Um banco PostgreSQL é copiado com as ferramentas do próprio PostgreSQL."
	case "The first line names the columns; case, accents and punctuation do not matter. The\nencoding (UTF-8, UTF-16, Windows-1252) and the delimiter (; , TAB |) are found, said\non stderr, and overridden by --encoding and --delimiter. An .xlsx file is read as it\nis. --map FIELD=COLUMN takes a column whose name is not listed here.":
		return "A primeira linha dá nome às colunas; maiúsculas, acentos e pontuação não importam. A\ncodificação (UTF-8, UTF-16, Windows-1252) e o delimitador (; , TAB |) são descobertos, ditos\nna saída de erro, e mudados com --encoding e --delimiter. Um arquivo .xlsx é lido como está.\n--map CAMPO=COLUNA toma uma coluna cujo nome não está nesta lista."
	case "The whole job in one go: service, simulated partner, CSV import, provisioning, result":
		return "O trabalho inteiro de uma vez: serviço, parceiro simulado, importação de CSV, provisionamento, resultado"
	case "Whatever interrupts an import, run the same command again: a journal knows what\nwas sent, nothing is lost and nothing is done twice. Ctrl-C once finishes what is\nunder way, twice stops at once. Subscribers that exist already are left as they\nare, unless --activate-existing or --update-existing says otherwise; the latter\nchanges what the file has a value for.":
		return "O que quer que interrompa uma importação, execute o mesmo comando de novo: um diário sabe o que\nfoi enviado, nada se perde e nada é feito duas vezes. Ctrl-C uma vez termina o que está em\nandamento, duas vezes para na hora. Assinantes que já existem ficam como estão, a menos que\n--activate-existing ou --update-existing diga outra coisa; este muda o que tem valor no\narquivo."
	case "With -o json or -o jsonl an error is also one JSON object on stderr, whose code says\nmore: one of the API's codes, or a name of this table.":
		return "Com -o json ou -o jsonl um erro é também um objeto JSON na saída de erro, cujo code diz mais:\num dos códigos da API, ou um nome desta tabela."
	case "With the driver http each operation is posted to the partner's URL, signed with\nthe secret (Standard Webhooks); any 2xx accepts it, and the partner confirms by a\nsigned event (POST /partner/events). With manual nobody is called: an operator\nconfirms (ativa admin operations confirm), or the partner by an event. The\nsimulator confirms by itself after a delay. See docs/operating.md.":
		return "Com o driver http cada operação é enviada à URL do parceiro, assinada com o segredo (Standard\nWebhooks); qualquer 2xx a aceita, e o parceiro confirma por um evento assinado (POST\n/partner/events). Com manual ninguém é chamado: um operador confirma (ativa admin operations\nconfirm), ou o parceiro por um evento. O simulator confirma sozinho depois de um tempo. Veja\ndocs/operating.md."
	case "Without a column of products they are left as they are. An empty cell changes\nnothing. Services that the file does not wish are cancelled only with\n--allow-deactivate, then those of subscribers that it lacks too; --max-changes\nstops a wrong file. --plan-file keeps the plan, --apply does exactly what it says.\nInterrupted, run it again: what is done already is not done twice.":
		return "Sem coluna de produtos eles ficam como estão. Uma célula vazia não muda nada. Serviços que o\narquivo não deseja só são cancelados com --allow-deactivate, e então também os de assinantes\nque ele não traz; --max-changes barra um arquivo errado. --plan-file guarda o plano, --apply\nfaz exatamente o que ele diz. Interrompido, execute o comando de novo: o que já está feito não é\nfeito duas vezes."
	case "Write all subscribers and their products as CSV that imports again":
		return "Escrever todos os assinantes e seus produtos em CSV que se importa de novo"
	case "Write all subscribers with their products as CSV, in constant memory.\nativa subscribers import reads it again unchanged. Cancelled services are left out.":
		return "Escrever todos os assinantes com seus produtos em CSV, em memória constante. ativa\nsubscribers import lê de novo sem mudança. Serviços cancelados ficam de fora."
	}
	return ""
}

package lang

// ptSpreadsheet is what is said about spreadsheets: the messages of package
// csvfile, with their placeholders in braces.
func ptSpreadsheet(english string) string {
	switch english {
	case "the cell is empty; it needs a value":
		return "a célula está vazia; ela precisa de um valor"
	case "the text is too long: at most {max} characters":
		return "o texto é longo demais: no máximo {max} caracteres"
	case "the text holds a line break or an invisible control character; type the cell again":
		return "o texto tem uma quebra de linha ou um caractere de controle invisível; digite a célula de novo"
	case "the text holds characters that cannot be read; save the file as CSV UTF-8 and try again":
		return "o texto tem caracteres ilegíveis; salve o arquivo como CSV UTF-8 e tente de novo"
	case "the accents of the text were garbled by an earlier conversion (as in JoÃ£o); correct the text":
		return "os acentos do texto foram estragados por uma conversão anterior (como em JoÃ£o); corrija o texto"
	case "this line is written in UTF-8 and the rest of the file in Windows-1252; save all of it in one encoding":
		return "esta linha está em UTF-8 e o resto do arquivo em Windows-1252; salve tudo em uma só codificação"
	case "the cell holds an error of the spreadsheet instead of a value; correct its formula":
		return "a célula tem um erro da planilha em vez de um valor; corrija a fórmula"
	case "this is not one plain e-mail address such as ana@example.com":
		return "isto não é um endereço de e-mail simples, como ana@example.com"
	case "the spreadsheet shortened the number and digits are lost; format the column as Text and enter the number again":
		return "a planilha abreviou o número e há dígitos perdidos; formate a coluna como Texto e digite o número de novo"
	case "the spreadsheet made a date of what was typed; format the column as Text and enter the value again":
		return "a planilha transformou em data o que foi digitado; formate a coluna como Texto e digite o valor de novo"
	case "a CPF has 11 digits; this has {digits}":
		return "um CPF tem 11 dígitos; este tem {digits}"
	case "this is not written as a number should be; use digits and their usual punctuation only":
		return "isto não está escrito como um número; use só dígitos e a pontuação de costume"
	case "the check digits of the CPF are wrong; compare it with the subscriber's papers":
		return "os dígitos verificadores do CPF estão errados; confira com o documento do assinante"
	case "a CPF is never one digit repeated; enter the real one":
		return "um CPF nunca é um só dígito repetido; digite o verdadeiro"
	case "this is a company number (CNPJ); only a person's CPF can be registered":
		return "isto é um CNPJ; só o CPF de uma pessoa pode ser cadastrado"
	case "this is not a telephone number: area code and 9 digits starting with 9, or 8 starting with 2 to 5":
		return "isto não é um telefone: DDD e 9 dígitos começando com 9, ou 8 começando com 2 a 5"
	case "Brazil has no such area code; write the area code in front, as (11) 98765-4321":
		return "este DDD não existe; escreva o DDD na frente, como (11) 98765-4321"
	case "the area code is missing; write it in front, as (11) 98765-4321":
		return "falta o DDD; escreva-o na frente, como (11) 98765-4321"
	case "the speed {value} is not in the list of internet speeds; `ativa subscribers speeds` shows it; tell which it is with --map-value '{mapping}=SPEED'":
		return "a velocidade {value} não está na lista de velocidades; veja com `ativa subscribers speeds`; diga qual é com --map-value '{mapping}=VELOCIDADE'"
	case "{number} may be the speed {number} Mega or the id of {other}; write `{number} Mega`, name the column internet_speed_id, or tell with --map-value '{mapping}={number} Mega'":
		return "{number} pode ser a velocidade {number} Mega ou o id de {other}; escreva `{number} Mega`, chame a coluna de internet_speed_id, ou diga com --map-value '{mapping}={number} Mega'"
	case "the product {value} is not in your list{suggestion}; `ativa products` shows it; tell which it is with --map-value '{mapping}=PRODUCT'":
		return "o produto {value} não está na sua lista{suggestion}; veja com `ativa products`; diga qual é com --map-value '{mapping}=PRODUTO'"
	case "the product {value} may be any of {candidates}; write its id or code, or tell with --map-value '{mapping}=PRODUCT'":
		return "o produto {value} pode ser qualquer um destes: {candidates}; escreva o id ou o código, ou diga com --map-value '{mapping}=PRODUTO'"
	case "the product {product} is not active":
		return "o produto {product} não está ativo"
	case "the product {product} cannot be activated":
		return "o produto {product} não pode ser ativado"
	case "the status {value} is not active, suspend, overdue or canceled; tell which it is with --map-value '{mapping}=STATUS'":
		return "o status {value} não é ativo, suspenso, inadimplente nem cancelado; diga qual é com --map-value '{mapping}=STATUS'"
	case "the status {value} is not known to mean active, so the row is not registered; if it does, tell with --map-value '{mapping}=active'; --map ignore={column} leaves the column out":
		return "o status {value} não é dos que significam ativo, por isso a linha não é cadastrada; se for ativo, diga com --map-value '{mapping}=ativo'; --map ignore={column} deixa a coluna de fora"
	case "the column of a product says yes or no, and not {value}; write X, Sim or 1 for yes, Não, 0 or nothing for no, or leave the column out with --map ignore={column}":
		return "a coluna de um produto diz sim ou não, e não {value}; escreva X, Sim ou 1 para sim, Não, 0 ou nada para não, ou deixe a coluna de fora com --map ignore={column}"
	case "the column {found} says which rows have that product":
		return "a coluna {found} diz quais linhas têm esse produto"
	case "the columns {numbers} are all called {column}; tell which by its number, as --map {field}={first}":
		return "as colunas {numbers} têm todas o nome {column}; diga qual pelo número, como --map {field}={first}"
	case "{mapping} is not products:VALUE=PRODUCT, speed:VALUE=SPEED or status:VALUE=active":
		return "{mapping} não é products:VALOR=PRODUTO, speed:VALOR=VELOCIDADE nem status:VALOR=ativo"
	case "--map-value {mapping}: the server does not have {meaning}{suggestion}":
		return "--map-value {mapping}: o servidor não tem {meaning}{suggestion}"
	case "the sheet {sheet} has no column for {fields}; choose another sheet, as --sheet {other}, or tell with --map FIELD=COLUMN. The others: {others}":
		return "a planilha {sheet} não tem coluna para {fields}; escolha outra planilha, como --sheet {other}, ou diga com --map CAMPO=COLUNA. As outras: {others}"
	case "the sheet {sheet} has a header and no rows; choose another sheet, as --sheet {other}. The others: {others}":
		return "a planilha {sheet} tem cabeçalho e nenhuma linha; escolha outra planilha, como --sheet {other}. As outras: {others}"
	case "line {line} already has this CPF with other data; keep one of the two":
		return "a linha {line} já tem este CPF com outros dados; deixe só uma das duas"
	case "line {line} has the same CPF and is wrong; correct that line, both are imported together":
		return "a linha {line} tem o mesmo CPF e está errada; corrija aquela linha, as duas são importadas juntas"
	case "the line has {columns} columns and the header {expected}; a delimiter or a part of the line is missing":
		return "a linha tem {columns} colunas e o cabeçalho {expected}; falta um delimitador ou um pedaço da linha"
	case "the line has {columns} columns and the header {expected}; put a text that contains {delimiter} in quotes":
		return "a linha tem {columns} colunas e o cabeçalho {expected}; ponha entre aspas o texto que contém {delimiter}"
	case "a quote (\") opened in this line is not closed properly; close it, or remove it":
		return "uma aspa (\") aberta nesta linha não foi bem fechada; feche-a ou tire-a"
	case "a quoted text goes on after its closing quote (\"); double the quotes inside it, or remove them":
		return "um texto entre aspas continua depois da aspa (\") que o fecha; dobre as aspas de dentro, ou tire-as"
	case "the line is longer than {max} bytes":
		return "a linha tem mais de {max} bytes"
	case "the header stands here again; remove the line":
		return "o cabeçalho aparece aqui outra vez; remova a linha"
	case "the file is empty":
		return "o arquivo está vazio"
	case "the file has a header and no rows":
		return "o arquivo tem cabeçalho e nenhuma linha"
	case "this is {kind}, not a table; save it as CSV or .xlsx":
		return "isto é {kind}, não uma tabela; salve como CSV ou .xlsx"
	case "the encoding {encoding} is not known; use utf-8, utf-16le, utf-16be or windows-1252":
		return "a codificação {encoding} não é conhecida; use utf-8, utf-16le, utf-16be ou windows-1252"
	case "{delimiter} cannot be a delimiter; use ; , tab or |":
		return "{delimiter} não pode ser delimitador; use ; , tab ou |"
	case "the file ends in the middle of a character; it was not copied whole":
		return "o arquivo termina no meio de um caractere; a cópia não está completa"
	case "the first line has no column name that is known (delimiter {delimiter}); add a header, or tell with --delimiter and --map. Found: {found}":
		return "a primeira linha não tem nome de coluna conhecido (delimitador {delimiter}); acrescente um cabeçalho, ou diga com --delimiter e --map. Encontrado: {found}"
	case "the header is in line {line}; what stands above it is left out":
		return "o cabeçalho está na linha {line}; o que fica acima dele é deixado de fora"
	case "this is a total and no subscriber; remove the line":
		return "isto é um total, e não um assinante; remova a linha"
	case "no column for {fields}; name columns so, or tell which, as --map {field}=COLUMN. Not used: {found}":
		return "nenhuma coluna para {fields}; dê esses nomes a colunas, ou diga quais são, como --map {field}=COLUNA. Sem uso: {found}"
	case "the columns {found} may all be {field}; tell which with --map {field}=COLUMN":
		return "as colunas {found} podem todas ser {field}; diga qual com --map {field}=COLUNA"
	case "the column {found} is not known and looks like {fields}; tell with {flags}, or --map ignore={found}":
		return "a coluna {found} não é conhecida e parece ser {fields}; diga com {flags}, ou --map ignore={found}"
	case "{field} is not a field of a subscriber; use one of {fields}":
		return "{field} não é um campo do assinante; use um destes: {fields}"
	case "the file has no column {column}; it has {found}":
		return "o arquivo não tem a coluna {column}; ele tem {found}"
	case "the columns {first} and {second} seem to be swapped in {share} % of the rows; correct the header, or use --map {firstField}={second} --map {secondField}={first}":
		return "as colunas {first} e {second} parecem trocadas em {share} % das linhas; corrija o cabeçalho, ou use --map {firstField}={second} --map {secondField}={first}"
	case "the workbook has no sheet {sheet}; it has {found}":
		return "a pasta de trabalho não tem a planilha {sheet}; ela tem {found}"
	case "the workbook cannot be read ({detail}); open it and save it again":
		return "não foi possível ler a pasta de trabalho ({detail}); abra e salve de novo"
	case "the column {found} is not known and left out":
		return "a coluna {found} não é conhecida e fica de fora"
	case "the column {found} is left out; if it is {field}, use --map {field}={found}":
		return "a coluna {found} fica de fora; se ela é {field}, use --map {field}={found}"
	case "only the sheet {sheet} is read; the workbook has {found}":
		return "só a planilha {sheet} é lida; a pasta de trabalho tem {found}"
	case "zeros that the CPF had lost on its left were put back":
		return "zeros que o CPF perdeu à esquerda foram repostos"
	case "a decimal tail (.0) was removed":
		return "um final decimal (.0) foi removido"
	case "thousands separators or unusual punctuation were removed":
		return "separadores de milhar ou pontuação incomum foram removidos"
	case "line {line}":
		return "linha {line}"
	case "the accents are written in an encoding of old Macs or of DOS; save the file as CSV UTF-8 or .xlsx":
		return "os acentos estão em uma codificação de Macs antigos ou do DOS; salve o arquivo como CSV UTF-8 ou .xlsx"
	case "the area code was taken from its own column":
		return "o DDD foi tirado da sua própria coluna"
	case "the columns {first} and {second} are joined into {field}":
		return "as colunas {first} e {second} são juntadas em {field}"
	case "a number in scientific notation with all its digits was written out":
		return "um número em notação científica com todos os dígitos foi escrito por extenso"
	case "a text written as a formula (=\"…\") was unwrapped":
		return "um texto escrito como fórmula (=\"…\") foi desembrulhado"
	case "mailto: was removed":
		return "mailto: foi removido"
	case "the first valid one of several telephone numbers was taken":
		return "de vários telefones ficou o primeiro válido"
	case "line %d":
		return "linha %d"
	case "line %d, column %d":
		return "linha %d, coluna %d"
	case "line %d, column %d (%s)":
		return "linha %d, coluna %d (%s)"
	}
	return ""
}

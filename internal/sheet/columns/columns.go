// Package columns decides which field of a subscriber a column of a spreadsheet holds, by its name
// alone: the aliases of each field and the meaning of unknown names. It refuses to know files,
// values and the user's mappings.
package columns

import (
	"slices"
	"strings"

	"ativa/internal/api"
	"ativa/internal/sheet/names"
)

// FieldStatus is the status of a subscriber.
const FieldStatus = "status"

// FieldDays is the number of days for which an invoice bills a service.
const FieldDays = "days"

// FieldIgnore is the field of a column that is left out on purpose.
const FieldIgnore = "ignore"

// Reading is how the name of a column changes the meaning of its values: a bare number as a speed, a
// yes or no as a status.
type Reading int

// The readings.
const (
	ReadEither Reading = iota // an id or Mbps: refused if both exist
	ReadID                    // only an id
	ReadMbps                  // only Mbps
	ReadYesNo                 // in a status column yes means active
	ReadNamed                 // in a status column yes means what the column is called, no means nothing
)

// Fields of a file that are not fields of the API: parts of others.
const (
	FieldSurname  = "surname"   // the rest of a name
	FieldAreaCode = "area_code" // for telephone numbers without one
)

// MaxColumns is the maximum number of columns of a field that may have several.
const MaxColumns = 5

// Alias lists the column names that mean a field. Case, accents, spaces and punctuation are
// ignored, and so is a number after the names of a field that may have several columns.
type Alias struct {
	Field    string
	Required bool
	Several  bool // the field may have up to [MaxColumns] columns
	Fallback bool // names count only if no other column has the field
	Names    []string
	Reading  Reading
}

// Aliases returns the whole list, for help texts and documentation.
func Aliases() []Alias {
	return []Alias{
		{Field: api.FieldName, Required: true, Names: []string{
			"name", "nome", "nome completo", "nome do cliente", "nome cliente", "nome do assinante", "nome assinante",
			"nome do titular", "nome titular", "nome/razão social", "nome/razão", "nome ou razão social", "razão social/nome",
			"nome do contratante", "contratante", "cliente", "assinante", "titular",
			"full name", "customer", "customer name", "subscriber", "subscriber name"}},
		{Field: api.FieldName, Fallback: true, Names: []string{
			"razão social", "razão", "primeiro nome", "prenome", "first name", "given name"}},
		{Field: FieldSurname, Names: []string{"sobrenome", "último nome", "surname", "last name", "family name"}},
		{Field: api.FieldEmail, Required: true, Names: []string{
			"email", "e-mail", "mail", "e-mail do cliente", "e-mail cliente", "e-mail do assinante", "e-mail do titular", "e-mail principal",
			"e-mail de contato", "endereço de e-mail", "endereço eletrônico", "correio eletrônico", "email address", "customer email"}},
		{Field: api.FieldEmail, Fallback: true, Names: []string{"e-mails", "e-mail 1"}},
		{Field: api.FieldDocument, Required: true, Names: []string{
			"document", "documento", "cpf", "cpf/cnpj", "cnpj/cpf", "cpf ou cnpj", "cnpj ou cpf", "cpf do cliente", "cpf cliente",
			"cpf do assinante", "cpf assinante", "cpf do titular", "cpf titular", "cpf do contratante", "cpf/cnpj do cliente", "cpf/cnpj do titular",
			"número do cpf", "nº do cpf", "nº cpf", "documento (cpf)", "documento cpf", "documento do cliente", "número do documento",
			"nº do documento", "cnpj/cnpf", "tx_id", "documents", "documentos", "document number", "customer document", "tax id"}},
		{Field: api.FieldPhone, Required: true, Several: true, Names: []string{
			"phone", "telefone", "telefones", "fone", "fones", "tel", "celular", "celulares", "cel", "whatsapp", "telefone celular", "telefone com ddd",
			"ddd/telefone", "ddd + telefone", "telefone fixo", "telefone residencial", "telefone comercial", "telefone de contato", "telefone para contato",
			"telefone contato", "telefone do cliente", "telefone cliente", "telefone do assinante", "telefone do titular", "telefone titular",
			"telefone principal", "telefone primário", "telefone secundário", "telefone terciário", "telefone alternativo",
			"número de telefone", "número do telefone", "nº telefone", "nº do telefone", "telefone móvel", "telefone/celular", "telefone/whatsapp",
			"celular/telefone", "celular/whatsapp", "whatsapp/celular", "celular com ddd", "celular principal", "celular do cliente", "celular do titular",
			"número do celular", "número celular", "nº celular", "nº do celular", "número do whatsapp", "número whatsapp", "nº whatsapp",
			"tel celular", "tel residencial", "tel comercial", "tel fixo", "tel contato", "fone celular", "fone/celular", "fone residencial",
			"fone comercial", "fone fixo", "fone contato", "fone de contato", "fone/whatsapp",
			"phone number", "telephone", "mobile", "mobile phone", "cell phone"}},
		{Field: FieldAreaCode, Several: true, Names: []string{"ddd", "código de área", "area code"}},
		{Field: api.FieldInternetSpeedID, Reading: ReadID, Names: []string{
			"internet_speed_id", "speed id", "id da velocidade", "id velocidade", "velocidade id", "código da velocidade"}},
		{Field: api.FieldInternetSpeedID, Names: []string{
			"velocidade", "velocidade da internet", "velocidade de internet", "velocidade internet", "velocidade contratada", "velocidade do plano",
			"banda", "speed", "internet speed"}},
		{Field: api.FieldInternetSpeedID, Reading: ReadMbps, Names: []string{
			"mega", "megas", "mbps", "velocidade (mbps)", "velocidade em mbps", "velocidade (mb)", "velocidade em mb", "velocidade em mega",
			"velocidade em megas", "velocidade mega", "velocidade megas", "speed (mbps)", "speed mbps"}},
		{Field: api.FieldCustomerPlan, Names: []string{
			"customer_plan", "plano", "plano do cliente", "plano cliente", "plano do assinante", "nome do plano", "descrição do plano", "plano atual",
			"plano contratado", "plano de internet", "plano internet", "plano de velocidade", "plano velocidade", "plano de acesso", "plano acesso", "pacote de internet", "plan", "plan name", "customer plan name"}},
		{Field: api.FieldCustomerPlan, Fallback: true, Names: []string{"servico_plano"}},
		{Field: api.FieldProductsIDs, Several: true, Names: []string{
			"products_ids", "product ids", "products", "product", "product id", "produto", "produtos", "id do produto",
			"id dos produtos", "ids dos produtos", "produto id", "produtos ids", "código do produto", "códigos dos produtos",
			"nome do produto", "nome dos produtos", "produtos contratados", "produto contratado", "produto adicional", "produtos adicionais",
			"serviços", "serviços contratados", "serviços adicionais", "serviço adicional", "sva", "svas", "contentSupplierProduct"}},
		{Field: FieldStatus, Several: true, Names: []string{
			"status", "situação", "status do serviço", "situação do serviço", "status do cliente", "situação do cliente", "status cliente",
			"situação cliente", "status do assinante", "situação do assinante", "status do contrato", "situação do contrato", "status contrato",
			"situação contrato", "status do plano", "situação do plano", "status do cadastro", "situação do cadastro", "situação cadastral",
			"status internet", "status do acesso", "status acesso", "situação financeira", "contratoStatus", "contratoStatusDisplay", "status_prefixo", "service status", "customer status", "subscriber status", "account status", "contract status"}},
		{Field: FieldStatus, Several: true, Reading: ReadYesNo, Names: []string{
			"ativo", "ativa", "ativo/inativo", "cliente ativo", "assinante ativo", "contrato ativo", "cli_ativado", "ativado", "habilitado", "liberado", "active"}},
		{Field: FieldStatus, Several: true, Reading: ReadNamed, Names: []string{
			"bloqueado", "bloqueada", "cliente bloqueado", "suspenso", "suspensa", "inadimplente", "cancelado", "cancelada", "inativo", "inativa",
			"desativado", "desativada", "blocked", "suspended", "overdue", "cancelled", "canceled", "inactive"}},
		{Field: FieldDays, Names: []string{
			"dias", "dias ativos", "dias ativo", "dias cobrados", "dias faturados", "dias utilizados", "dias de uso", "dias habilitados", "qtd dias",
			"qtd de dias", "qtde dias", "qtde de dias", "quantidade de dias", "nº de dias", "número de dias", "total de dias", "days", "enabled_days", "billed_days", "active days"}},
	}
}

// AmbiguousNames maps folded column names that mean one field in some systems and another in
// others to these fields. The user is asked about them.
func AmbiguousNames() map[string][]string {
	planOrProduct := []string{api.FieldCustomerPlan, api.FieldProductsIDs}
	return map[string][]string{"servico": planOrProduct, "service": planOrProduct}
}

// Columns that a file of rejected rows has after those of the original file. A later import leaves
// them out.
const (
	ErrorLine    = "ativa_error_line"
	ErrorColumn  = "ativa_error_column"
	ErrorCode    = "ativa_error_code"
	ErrorMessage = "ativa_error_message"
)

// ignoredNames are columns with nothing to import: those of an export, those of a file of rejected
// rows, and the state of things other than the subscriber.
var ignoredNames = []string{
	"status da onu", "status onu", "status da olt", "status olt", "status da conexão", "status conexão", "status do equipamento", "status do sinal",
	api.FieldCreatedAt, api.FieldServices, "criado em",
	ErrorLine, ErrorColumn, ErrorCode, ErrorMessage,
}

// Index finds the alias of a folded column name.
type Index map[string]*Alias

// NewIndex indexes [Aliases] and the columns that are left out.
func NewIndex() Index {
	index := Index{}
	for _, a := range Aliases() {
		for _, name := range a.Names {
			index[names.Fold(name)] = &a
		}
	}
	for _, name := range ignoredNames {
		index[names.Fold(name)] = &Alias{Field: FieldIgnore}
	}
	return index
}

// Find returns the alias that a column name matches, or nil. It ignores text in brackets after the
// name.
func (x Index) Find(name string) *Alias {
	folded := names.Fold(name)
	if a := x[folded]; a != nil {
		return a
	}
	if a := x[strings.TrimRight(folded, "0123456789")]; a != nil && a.Several {
		return a
	}
	if before, _, found := strings.Cut(name, "("); found {
		return x.Find(before)
	}
	return nil
}

// Suggest returns the probable field of an unknown column name, or "". close reports whether the
// name looks like a typing mistake and does not only share a word.
func (x Index) Suggest(name string) (field string, close bool) {
	folded := names.Fold(name)
	best := ""
	for alias, a := range x {
		if a.Field != FieldIgnore && names.Near(folded, alias) && (best == "" || alias < best) {
			best = alias
		}
	}
	if best != "" {
		return x[best].Field, true
	}
	for _, word := range names.FoldEachWord(name) {
		if a := x[word]; a != nil && a.Field != FieldIgnore {
			return a.Field, false
		}
	}
	return "", false
}

// MayBeStatus reports whether a word in the name of an unknown column means the status: such a
// column is never overlooked.
func (x Index) MayBeStatus(name string) bool {
	return slices.ContainsFunc(names.FoldEachWord(name), func(word string) bool {
		a := x[word]
		return a != nil && a.Field == FieldStatus
	})
}

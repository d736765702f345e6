package csvfile

import (
	"strings"

	"ativa/internal/api"
)

// FieldStatus is the wished status of a subscriber's services; only [Sync]
// reads it.
const FieldStatus = "status"

// FieldIgnore is the field of a column that is left out on purpose.
const FieldIgnore = "ignore"

// reading says how a bare number in a speed column is meant.
type reading int

const (
	readEither reading = iota // an id or Mbps: refused where both exist
	readID
	readMbps
)

// Alias lists the column names that are taken for a field. Case, accents,
// spaces and punctuation do not matter, nor does a number behind the names of
// a field that may have several columns.
type Alias struct {
	Field    string
	Required bool
	// Several tells that the field may have up to [MaxColumns] columns.
	Several bool
	Names   []string

	reading reading
}

// Aliases is the whole list, for help texts and documentation.
func Aliases() []Alias {
	return []Alias{
		{Field: api.FieldName, Required: true, Names: []string{
			"name", "nome", "nome completo", "nome do cliente", "nome cliente", "nome do assinante", "nome assinante",
			"nome do titular", "nome/razão social", "cliente", "assinante", "titular",
			"full name", "customer", "customer name", "subscriber", "subscriber name"}},
		{Field: api.FieldEmail, Required: true, Names: []string{
			"email", "e-mail", "mail", "e-mail do cliente", "e-mail do assinante", "e-mail principal", "e-mail de contato",
			"endereço de e-mail", "correio eletrônico", "email address", "customer email"}},
		{Field: api.FieldDocument, Required: true, Names: []string{
			"document", "documento", "cpf", "cpf/cnpj", "cpf ou cnpj", "cpf do cliente", "cpf do assinante", "cpf do titular",
			"número do cpf", "nº do cpf", "nº cpf", "documento (cpf)", "documento do cliente", "documents", "documentos",
			"document number", "customer document", "tax id"}},
		{Field: api.FieldPhone, Required: true, Several: true, Names: []string{
			"phone", "telefone", "fone", "tel", "celular", "cel", "whatsapp", "telefone celular", "telefone com ddd",
			"telefone fixo", "telefone residencial", "telefone comercial", "telefone de contato", "telefone do cliente",
			"telefone principal", "número de telefone", "telefone móvel", "fone celular", "fone residencial", "fone comercial",
			"phone number", "telephone", "mobile", "mobile phone", "cell phone"}},
		{Field: api.FieldInternetSpeedID, reading: readID, Names: []string{
			"internet_speed_id", "speed id", "id da velocidade", "id velocidade", "velocidade id", "código da velocidade"}},
		{Field: api.FieldInternetSpeedID, Names: []string{
			"velocidade", "velocidade da internet", "velocidade de internet", "velocidade contratada", "velocidade do plano",
			"banda", "speed", "internet speed"}},
		{Field: api.FieldInternetSpeedID, reading: readMbps, Names: []string{
			"mega", "megas", "mbps", "velocidade (mbps)", "velocidade em mbps", "velocidade em mega", "velocidade mega",
			"speed (mbps)", "speed mbps"}},
		{Field: api.FieldCustomerPlan, Names: []string{
			"customer_plan", "plano", "plano do cliente", "plano do assinante", "nome do plano", "plano contratado",
			"plano de internet", "pacote de internet", "plan", "plan name", "customer plan name"}},
		{Field: api.FieldProductsIDs, Several: true, Names: []string{
			"products_ids", "product ids", "products", "product", "product id", "produto", "produtos", "id do produto",
			"id dos produtos", "ids dos produtos", "produto id", "produtos ids", "código do produto", "códigos dos produtos",
			"nome do produto", "produtos contratados", "produto contratado", "contentSupplierProduct"}},
		{Field: FieldStatus, Names: []string{
			"status", "situação", "status do serviço", "situação do serviço", "service status"}},
	}
}

// ignoredNames are columns of our own files that carry nothing to import: what
// an export adds, and what [RejectedWriter] added.
var ignoredNames = []string{
	api.FieldCreatedAt, api.FieldServices, "criado em",
	columnErrorLine, columnErrorColumn, columnErrorCode, columnErrorMessage,
}

// aliasIndex finds the alias of a folded column name.
type aliasIndex map[string]*Alias

func newAliasIndex() aliasIndex {
	index := aliasIndex{}
	for _, a := range Aliases() {
		for _, name := range a.Names {
			index[fold(name)] = &a
		}
	}
	for _, name := range ignoredNames {
		index[fold(name)] = &Alias{Field: FieldIgnore}
	}
	return index
}

// find is the alias that a column name stands for, or nil.
func (x aliasIndex) find(name string) *Alias {
	folded := fold(name)
	if a := x[folded]; a != nil {
		return a
	}
	if a := x[strings.TrimRight(folded, "0123456789")]; a != nil && a.Several {
		return a
	}
	if before, _, found := strings.Cut(name, "("); found {
		return x[fold(before)]
	}
	return nil
}

// suggest is the field that an unknown column name may be meant for, or "".
// close tells that it looks like a slip of the pen rather than another thing.
func (x aliasIndex) suggest(name string) (field string, close bool) {
	folded := fold(name)
	best := ""
	for alias, a := range x {
		if a.Field != FieldIgnore && near(folded, alias) && (best == "" || alias < best) {
			best = alias
		}
	}
	if best != "" {
		return x[best].Field, true
	}
	for _, word := range foldWords(name) {
		if a := x[word]; a != nil && a.Field != FieldIgnore {
			return a.Field, false
		}
	}
	return "", false
}

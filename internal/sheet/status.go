package sheet

import (
	"strings"

	"ativa/internal/sheet/columns"
	"ativa/internal/sheet/names"
)

const (
	statusActive   = "active"
	statusCanceled = "canceled"
	// statusNone means that the subscriber is registered without a service. Only --map-value can
	// set it.
	statusNone = "none"
)

// parseMeaning parses the user's meaning of a status.
func parseMeaning(s string) (string, bool) {
	switch names.Fold(s) {
	case "none", "nenhum", "nenhuma", "semservico":
		return statusNone, true
	}
	return parseStatus(s)
}

// parseStatus returns the API's name for a status in words.
func parseStatus(s string) (string, bool) {
	switch withoutSubject(names.Fold(s)) {
	case "active", "ativo", "ativa", "normal", "emdia", "liberado", "liberada", "habilitado", "habilitada", "1":
		return statusActive, true
	case "suspend", "suspended", "suspenso", "suspensa", "4":
		return "suspend", true
	case "overdue", "inadimplente", "ematraso", "7":
		return "overdue", true
	case "canceled", "cancelled", "cancelado", "cancelada", "inativo", "inativa", "3":
		return statusCanceled, true
	}
	return "", false
}

// withoutSubject removes the subject of a status: in HubSoft an enabled service is a "Serviço
// Habilitado".
func withoutSubject(folded string) string {
	for _, subject := range []string{"servico", "contrato", "cliente", "assinante"} {
		folded = strings.TrimPrefix(folded, subject)
	}
	return folded
}

// parseYesNo reads a yes or no (cli.md, Values of a spreadsheet).
func parseYesNo(s string) (yes, known bool) {
	switch names.Fold(s) {
	case "x", "sim", "s", "yes", "y", "1", "true", "verdadeiro":
		return true, true
	case "nao", "n", "no", "0", "false", "falso":
		return false, true
	case "":
		return false, trim(s) == "" || trim(s) == "-"
	}
	return false, false
}

// status reads the status columns. All of them must mean active (cli.md, Values of a spreadsheet);
// in Sync the only one is the desired status.
func (k *checker) status(row *Row, cells cells) {
	for _, c := range k.columns[columns.FieldStatus] {
		cell := cells.of(c)
		value, repair := clean(cell)
		if repair == RepairNoValue { // it may mean that there is no service
			value = trim(cell)
		}
		if yes, known := parseYesNo(value); known && c.reading == columns.ReadNamed {
			value = ""
			if yes {
				value = c.Name
			}
		}
		if value == "" {
			continue
		}
		status, known := k.statusOf(value, c.reading)
		code := ""
		switch profile := k.file.options.Profile; {
		case !known:
			code = CodeUnknownStatus
		case profile == Sync && status == statusNone:
			row.Status = statusCanceled // neither has a service
		case profile == Sync:
			row.Status = status
		case profile == Import && status == statusNone:
			row.unserved = true
		case status != statusActive:
			code = CodeNotActive
		}
		if code != "" {
			row.fail(c, cell, valueFault(code, columns.FieldStatus, value, map[string]string{"column": c.quoted()}))
		}
	}
}

// statusOf returns the API's name of a status; the user's value mappings come first.
func (k *checker) statusOf(value string, how columns.Reading) (status string, known bool) {
	if m := k.statuses.of(value); m != nil {
		return parseMeaning(m.Meaning)
	}
	if yes, known := parseYesNo(value); known && yes && how == columns.ReadYesNo {
		return statusActive, true
	}
	return parseStatus(value)
}

// readProductColumns reads the columns named like a product.
func (k *checker) readProductColumns(row *Row, cells cells) {
	for _, c := range k.productColumns {
		value, _ := clean(cells.of(c))
		switch yes, known := parseYesNo(value); {
		case !known:
			row.fail(c, value, valueFault(CodeNotYesNo, c.Field, value, map[string]string{"column": c.quoted()}))
		case yes && c.product.fault.code != "":
			row.fail(c, value, c.product.fault)
		case yes:
			k.addProducts(row, c.product.ids)
		}
	}
}

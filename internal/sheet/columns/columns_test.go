package columns_test

import (
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/sheet/columns"
	"ativa/internal/sheet/names"
)

// Only names of fields with several columns take a number.
func TestEveryNameIsOfOneFieldAndFoundHoweverItIsWritten(t *testing.T) {
	index, seen := columns.NewIndex(), map[string]string{}
	for _, a := range columns.Aliases() {
		for _, name := range a.Names {
			if before, twice := seen[names.Fold(name)]; twice && before != a.Field {
				t.Errorf("%q is a name of %s and of %s", name, before, a.Field)
			}
			seen[names.Fold(name)] = a.Field
			for _, written := range []string{name, strings.ToUpper(name), strings.ReplaceAll(name, " ", "_"), " " + name + ": ", name + " (opcional)"} {
				found := index.Find(written)
				if found == nil || found.Field != a.Field || found.Fallback != a.Fallback {
					t.Errorf("%q: got %+v, want %s", written, found, a.Field)
				}
			}
			found := index.Find(name + " 27")
			if !strings.Contains(name, "(") && (found != nil) != a.Several || found != nil && found.Field != a.Field {
				t.Errorf("%s 27: got %+v", name, found)
			}
		}
	}
}

func TestNamesOfColumns(t *testing.T) {
	index := columns.NewIndex()
	for field, readings := range map[string]map[columns.Reading][]string{
		api.FieldDocument:        {columns.ReadEither: {"CPF", "(CPF)", "Nº do CPF"}},
		api.FieldPhone:           {columns.ReadEither: {"Telefone 2", "WhatsApp"}},
		api.FieldInternetSpeedID: {columns.ReadEither: {"velocidade"}, columns.ReadID: {"internet_speed_id"}, columns.ReadMbps: {"Mega", "Mbps", "Velocidade (Mbps)"}},
		columns.FieldStatus:      {columns.ReadEither: {"Situação", "status"}, columns.ReadYesNo: {"ativo", "cliente ativo"}, columns.ReadNamed: {"Bloqueado"}},
		columns.FieldIgnore: {columns.ReadEither: {"created_at", "services", "Criado em", columns.ErrorLine, columns.ErrorMessage, columns.ErrorColumn,
			columns.ErrorCode}},
		"": {columns.ReadEither: {"", "cidade", "serviço", "CPF 2"}},
	} {
		for reading, names := range readings {
			for _, name := range names {
				var got columns.Alias
				if a := index.Find(name); a != nil {
					got = *a
				}
				if got.Field != field || got.Reading != reading {
					t.Errorf("%q: got %q, %d, want %q, %d", name, got.Field, got.Reading, field, reading)
				}
			}
		}
	}
}

func TestAnUnknownNameIsSuggestedAField(t *testing.T) {
	index := columns.NewIndex()
	for name, want := range map[string]struct {
		field string
		close bool
	}{
		"telefnoe": {api.FieldPhone, true}, "e-mial": {api.FieldEmail, true}, "docmento": {api.FieldDocument, true}, "produtoss": {api.FieldProductsIDs, true},
		"data do plano": {api.FieldCustomerPlan, false}, "telefone da mãe": {api.FieldPhone, false}, "created_att": {"", false}, "cidade": {"", false}, "": {"", false},
	} {
		if field, close := index.Suggest(name); field != want.field || close != want.close {
			t.Errorf("%q: got %q, %v, want %+v", name, field, close, want)
		}
	}
}

func TestAnAmbiguousNameIsNoAlias(t *testing.T) {
	index := columns.NewIndex()
	for name, fields := range columns.AmbiguousNames() {
		if name != names.Fold(name) || index.Find(name) != nil || len(fields) < 2 {
			t.Errorf("%s: %v, %+v", name, fields, index.Find(name))
		}
	}
}

package sheet

import (
	"slices"
	"strings"

	"ativa/internal/api"
	"ativa/internal/sheet/columns"
	"ativa/internal/sheet/names"
)

// Profile is the purpose for which a file is read.
type Profile int

const (
	// Import reads subscribers and their products. Name, e-mail, document and
	// telephone need columns, and a status must be active.
	Import Profile = iota
	// Sync is Import with a desired status, if the file has a column of it.
	Sync
	// Documents needs a document column and nothing else; a plain list of
	// documents without a header will do.
	Documents
	// ActiveDocuments is Documents with a status that must be active, as in Import, if the file
	// has a column of it.
	ActiveDocuments
	// Invoice reads a supplier's bill: documents, their products, and days if there is a column of
	// them. A document may occur in several lines, and its products need not allow
	// activation.
	Invoice
)

// Options are the user's settings for a file. Zero values are detected.
type Options struct {
	Profile   Profile
	Encoding  string    // utf-8, utf-16le, utf-16be, windows-1252 or a usual synonym
	Delimiter string    // one character, or the word tab
	Map       []Mapping // names the column of a field; it takes precedence over the header's names
	// Saved are mappings from earlier files: each applies if the file has a column of that name
	// and Map has no mapping of the field or of that column.
	Saved       []Mapping
	SavedValues []ValueMapping `json:",omitempty"` // meanings from earlier files; Values take precedence
	Values      []ValueMapping `json:",omitempty"` // meanings of cell values; they take precedence over the catalogue
	Sheet       string         // the name of a workbook's sheet; the first one by default
}

// Mapping is one `--map field=column`. Column is a column's name, or its number from 1. A field
// that may have several columns may be mapped several times. The field [columns.FieldIgnore]
// leaves a column out.
type Mapping struct{ Field, Column string }

// Replaces reports whether m takes the place of a saved mapping: of the same field, or of the
// same column.
func (m Mapping) Replaces(saved Mapping) bool {
	return m.Field == saved.Field && m.Field != columns.FieldIgnore || names.Fold(m.Column) == names.Fold(saved.Column)
}

// ParseMapping parses `field=column`. The field may be any known name for it, such as `cpf`. The
// error is a *Problem.
func ParseMapping(s string) (Mapping, error) {
	field, column, _ := strings.Cut(s, "=")
	field, column = strings.TrimSpace(field), strings.TrimSpace(column)
	if column == "" {
		return Mapping{}, &Problem{Code: CodeNoMapping, Args: map[string]string{"mapping": s}}
	}
	if names.Fold(field) == columns.FieldIgnore {
		return Mapping{columns.FieldIgnore, column}, nil
	}
	a := columns.NewIndex().Find(field)
	if a == nil || a.Field == columns.FieldIgnore {
		return Mapping{}, &Problem{Code: CodeUnknownField, Args: map[string]string{
			"field": field, "fields": strings.Join(fieldNames(), ", ")}}
	}
	return Mapping{a.Field, column}, nil
}

func fieldNames() []string {
	var names []string
	for _, a := range columns.Aliases() {
		if !slices.Contains(names, a.Field) {
			names = append(names, a.Field)
		}
	}
	return append(names, columns.FieldIgnore)
}

// onlyDocuments reports whether the profile reads documents and no products.
func (p Profile) onlyDocuments() bool { return p == Documents || p == ActiveDocuments }

// wants reports whether the profile reads the field.
func (p Profile) wants(field string) bool {
	switch p {
	case Documents:
		return field == api.FieldDocument
	case ActiveDocuments:
		return field == api.FieldDocument || field == columns.FieldStatus
	case Invoice:
		return field == api.FieldDocument || field == api.FieldProductsIDs || field == columns.FieldDays
	}
	return field != columns.FieldDays
}

// maxColumns returns how many columns a field may have. In Sync the status has only one.
func (p Profile) maxColumns(a *columns.Alias) int {
	if a == nil || !a.Several || a.Field == columns.FieldStatus && p == Sync {
		return 1
	}
	return columns.MaxColumns
}

func (p Profile) required() []string {
	if p.onlyDocuments() || p == Invoice {
		return []string{api.FieldDocument}
	}
	return []string{api.FieldName, api.FieldEmail, api.FieldDocument, api.FieldPhone}
}

package sheet

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"ativa/internal/api"
	"ativa/internal/sheet/columns"
)

// ValueMapping is one `--map-value field:value=meaning`: the meaning of a value in the cells of a
// field. The field is [api.FieldProductsIDs], [api.FieldInternetSpeedID] or
// [columns.FieldStatus].
type ValueMapping struct{ Field, Value, Meaning string }

// valueWord returns the word for a field whose values can be mapped, or "".
func valueWord(field string) string {
	switch field {
	case api.FieldProductsIDs:
		return "products"
	case api.FieldInternetSpeedID:
		return "speed"
	case columns.FieldStatus:
		return "status"
	}
	return ""
}

// ParseValueMapping parses `products:Combo 500=play-basic,musica`. The word in front may be any
// name of the field. The error is a *Problem.
func ParseValueMapping(s string) (ValueMapping, error) {
	field, rest, _ := strings.Cut(s, ":")
	at := strings.LastIndex(rest, "=")
	a := columns.NewIndex().Find(field)
	if at < 0 || a == nil || valueWord(a.Field) == "" || trim(rest[:at]) == "" || trim(rest[at+1:]) == "" {
		return ValueMapping{}, &Problem{Code: CodeNoValueMapping, Args: map[string]string{"mapping": s}}
	}
	return ValueMapping{a.Field, trim(rest[:at]), trim(rest[at+1:])}, nil
}

// String returns the mapping in the form that [ParseValueMapping] reads.
func (m ValueMapping) String() string { return valueWord(m.Field) + ":" + m.Value + "=" + m.Meaning }

// valueKey makes values of cells comparable.
func valueKey(s string) string { return strings.ToLower(trim(s)) }

// mappedValue is a value mapping of a file.
type mappedValue struct {
	ValueMapping
	saved   bool    // from earlier files
	meaning meaning // of a product or a speed
	used    bool    // the file has the value
}

// mappedValues are the value mappings of one field, by valueKey.
type mappedValues map[string]*mappedValue

// mappedValues returns the value mappings of a field. Those of this file replace saved ones.
func (o Options) mappedValues(field string) mappedValues {
	values := mappedValues{}
	for i, m := range slices.Concat(o.SavedValues, o.Values) {
		if m.Field == field {
			values[valueKey(m.Value)] = &mappedValue{ValueMapping: m, saved: i < len(o.SavedValues)}
		}
	}
	return values
}

// sorted returns the mappings in the order of their values.
func (v mappedValues) sorted() []*mappedValue {
	return slices.SortedFunc(maps.Values(v), func(a, b *mappedValue) int { return strings.Compare(a.Value, b.Value) })
}

// of returns the mapping of a value that the file has, or nil.
func (v mappedValues) of(cell string) *mappedValue {
	m := v[valueKey(cell)]
	if m != nil {
		m.used = true
	}
	return m
}

// resolve finds what the mappings mean. The error is a *Problem if the server lacks one of their items.
func (v mappedValues) resolve(find func(text string) meaning) error {
	for _, m := range v.sorted() {
		m.meaning = find(m.Meaning)
		switch m.meaning.fault.code {
		case api.CodeUnknownProduct, CodeAmbiguousProduct, api.CodeUnknownInternetSpeed:
			if err := m.unknown(); err != nil {
				return err
			}
		}
	}
	return nil
}

// savedNotices names the saved mappings of values that the file has.
func (k *checker) savedNotices() (notices []Problem) {
	values := map[string]mappedValues{api.FieldProductsIDs: k.products.values, api.FieldInternetSpeedID: k.speeds.values, columns.FieldStatus: k.statuses}
	for _, m := range k.file.options.SavedValues {
		if v := values[m.Field][valueKey(m.Value)]; v != nil && v.saved && v.used && v.meaning.fault.code == "" {
			notices = append(notices, Problem{Code: NoticeSavedValue, Field: m.Field, Args: map[string]string{"mapping": m.String()}})
		}
	}
	return notices
}

// unknown returns the error of a mapping to an item that the server lacks, or refuses the rows with
// the value of a saved one, because other files need not have it.
func (m *mappedValue) unknown() error {
	args := map[string]string{"mapping": m.String(), "meaning": m.Meaning, "suggestion": m.meaning.fault.args["suggestion"]}
	if m.saved {
		args["value"] = strconv.Quote(shortened(m.Value))
		m.meaning.fault = fault{CodeSavedMeaning, args}
		return nil
	}
	return &Problem{Code: CodeUnknownMeaning, Field: m.Field, Args: args}
}

// valueFault returns the fault of a value that a value mapping can correct.
func valueFault(code, field, value string, args map[string]string) fault {
	value = withoutPersonalData(value)
	all := map[string]string{"value": strconv.Quote(shortened(value)), "mapping": strings.ReplaceAll(valueWord(field)+":"+value, "'", `'\''`)}
	maps.Copy(all, args)
	return fault{code, all}
}

// shortened cuts a value to the length shown in a message.
func shortened(value string) string {
	const most = 60
	if runes := []rune(value); len(runes) > most {
		value = string(runes[:most-1]) + "…"
	}
	return value
}

// withoutPersonalData hides a value that looks like an e-mail address, a telephone number or a
// document: it is in the wrong column, and messages hold no personal data.
func withoutPersonalData(value string) string {
	if !strings.Contains(value, "@") && longestNumber(value) < personalDigits {
		return value
	}
	return "•••"
}

// personalDigits is the number of digits in a row, with punctuation between them, that may be a
// telephone number or a document.
const personalDigits = 8

// longestNumber returns the number of digits of the longest number in s.
func longestNumber(s string) int {
	most, n := 0, 0
	for _, r := range s {
		switch {
		case '0' <= r && r <= '9':
			n++
			most = max(most, n)
		case !strings.ContainsRune(".-/() ", r):
			n = 0
		}
	}
	return most
}

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

// mappingsOf returns the value mappings of one field, by valueKey.
func mappingsOf(all []ValueMapping, field string) map[string]ValueMapping {
	found := map[string]ValueMapping{}
	for _, m := range all {
		if m.Field == field {
			found[valueKey(m.Value)] = m
		}
	}
	return found
}

// savedValues returns the saved mappings that no mapping of this file replaces.
func (o Options) savedValues() []ValueMapping {
	return slices.DeleteFunc(slices.Clone(o.SavedValues), func(m ValueMapping) bool {
		_, replaced := mappingsOf(o.Values, m.Field)[valueKey(m.Value)]
		return replaced
	})
}

// savedNotices names the saved mappings of values that the file has.
func (k *checker) savedNotices() (notices []Problem) {
	used := map[string]map[string]bool{api.FieldProductsIDs: k.products.used, api.FieldInternetSpeedID: k.speeds.used, columns.FieldStatus: k.usedStatuses}
	for _, m := range k.file.options.savedValues() {
		if used[m.Field][valueKey(m.Value)] {
			notices = append(notices, Problem{Code: NoticeSavedValue, Field: m.Field, Args: map[string]string{"mapping": m.String()}})
		}
	}
	return notices
}

// unknownMeaning returns the error of a value mapping to an item that the server lacks.
func unknownMeaning(m ValueMapping, f fault) *Problem {
	return &Problem{Code: CodeUnknownMeaning, Field: m.Field, Args: map[string]string{
		"mapping": m.String(), "meaning": m.Meaning, "suggestion": f.args["suggestion"]}}
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

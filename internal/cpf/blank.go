package cpf

import (
	"strings"
	"unicode"
)

// IsBlank reports whether s shows nothing: it is empty, or each of its characters is white space or
// has no width. A name must not be blank (decisions.md 7).
func IsBlank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsSpace(r) && !unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	})
}

package cli

import (
	"slices"
	"strings"

	"ativa/internal/api"
	"ativa/internal/failure"
	"ativa/internal/lang"
)

// Message is a text for a person.
type Message = lang.Message

// Msg makes a message of a literal, so that a test can look whether it is
// translated. Errors among its arguments are put into the person's language, too.
func Msg(english string, args ...any) Message {
	return failure.Msg(english, args...)
}

// ActionWords are the actions that a product allows, in a few words: what can be
// suspended can be reactivated unless the word says so, and change is both ways.
func ActionWords(l lang.Language, can []string) string {
	has := func(action string) bool { return slices.Contains(can, action) }
	to, from := has(api.CanChangeTo), has(api.CanChangeFrom)
	var words []string
	for _, w := range []struct {
		text  string
		shown bool
	}{
		{"activate", has(api.CanActivate)}, {"suspend", has(api.CanSuspend) && has(api.CanReactivate)},
		{"suspend-for-good", has(api.CanSuspend) && !has(api.CanReactivate)}, {"reactivate", !has(api.CanSuspend) && has(api.CanReactivate)},
		{api.CanDeactivate, has(api.CanDeactivate)}, {"change", to && from}, {"change-to", to && !from}, {"change-from", from && !to},
	} {
		if w.shown {
			words = append(words, l.Word(w.text))
		}
	}
	return strings.Join(words, " ")
}

// YesNo is a truth value as a table shows it.
func YesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

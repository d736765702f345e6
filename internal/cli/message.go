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

// Msg returns a message. english must be a literal, so that a test can check that it is
// translated. Errors among the arguments are translated, too.
func Msg(english string, args ...any) Message {
	return failure.Msg(english, args...)
}

// ActionWords describes the actions that a product allows in a few words. suspend includes
// reactivate unless the word says otherwise, and change means both ways.
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

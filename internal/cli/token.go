package cli

import (
	"strings"
	"time"

	"ativa/internal/api"
	"ativa/internal/client"
)

// ExpiryWarning is how long before its end an access token or a certificate is
// worth a warning.
const ExpiryWarning = 14 * 24 * time.Hour

// TokenMessage says the name of an access token, what it may do and when it ends.
// It is empty for one of a server without scopes.
func TokenMessage(t api.AccessToken) Message {
	switch {
	case len(t.Scopes) == 0:
		return Message{}
	case t.ExpiresAt.IsZero():
		return Msg("token %s, which may %s and does not expire", t.Name, ScopeList(t))
	}
	return Msg("token %s, which may %s and expires on %s", t.Name, ScopeList(t), t.ExpiresAt.Local().Format(time.DateTime))
}

// TokenExpiresSoon reports whether a token ends within ExpiryWarning.
func TokenExpiresSoon(t api.AccessToken, now time.Time) bool {
	return !t.ExpiresAt.IsZero() && t.ExpiresAt.Sub(now) < ExpiryWarning
}

// TokenRemedy says what to do about a token that ends soon.
func TokenRemedy() Message {
	return Msg("ask whoever runs the server for another token, and give it to `ativa login`")
}

// ScopeList lists the scopes of a token in one cell.
func ScopeList(t api.AccessToken) string {
	words := make([]string, len(t.Scopes))
	for i, s := range t.Scopes {
		words[i] = string(s)
	}
	return strings.Join(words, ", ")
}

// scopeMessage says that a token may not do what was asked.
func scopeMessage(e *client.Error) Message {
	what := Msg("the access token may not do this")
	if t := e.AccessToken; t != nil && t.Name != "" {
		what = Msg("the access token %s may not do this", t.Name)
	}
	if meaning := scopeMeaning(e.MissingScope()); !meaning.IsEmpty() {
		return Msg("%s: it lacks the scope %s (%s)", what, string(e.MissingScope()), meaning)
	}
	return Msg("%s: it lacks the scope %s", what, string(e.MissingScope()))
}

// scopeHint says whom to ask for a token with the scope that was missing.
func scopeHint(e *client.Error) Message {
	hint := Msg("ask whoever runs the server for a token with the scope %s", string(e.MissingScope()))
	if e.AccessToken != nil && len(e.AccessToken.Scopes) > 0 {
		return Msg("%s; this one has %s", hint, ScopeList(*e.AccessToken))
	}
	return hint
}

func scopeMeaning(s api.Scope) Message {
	switch s {
	case api.ScopeRead:
		return Msg("see subscribers, products and events")
	case api.ScopeManage:
		return Msg("register and change subscribers, and send e-mails again")
	case api.ScopeProvision:
		return Msg("activate, change and suspend services")
	case api.ScopeImport:
		return Msg("import subscribers")
	case api.ScopeCancel:
		return Msg("cancel services and erase subscribers")
	}
	return Message{}
}

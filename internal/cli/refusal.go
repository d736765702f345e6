package cli

import (
	"cmp"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/render"
)

// refusalText says an answer that says no: first by its code where that is
// known, else in a sentence of our own with the server's words in quotes. Route and
// status are in the trace of --debug.
func refusalText(l lang.Language, e *client.Error) string {
	if e.MissingScope() != "" {
		return scopeMessage(e).Text(l)
	}
	if e.Code == client.CodeRedirect && e.Location != "" {
		return l.Textf("the answer points to %s: something between, or a server that has moved", e.Location)
	}
	text := CodeText(l, e.Code, e.Message)
	if fields := fieldText(l, e.Problem.Errors); fields != "" && !repeatsField(l, text, e.Problem.Errors) {
		text = strings.TrimSpace(text + ": " + fields)
	}
	switch {
	case text == "":
		return refusalKind(e).Text(l)
	case lang.Has(e.Message) || lang.Has(e.Code) || e.Status < http.StatusBadRequest:
		return text
	}
	return refusalKind(e).Text(l) + ": " + strconv.Quote(text)
}

// refusalKind is our own sentence for an answer that says no.
func refusalKind(e *client.Error) Message {
	switch e.Kind() {
	case client.KindAuth:
		return Msg("the server does not accept the access token")
	case client.KindNotFound:
		return Msg("the server does not have it")
	case client.KindUnavailable:
		return Msg("the server cannot answer now")
	case client.KindRefused:
		return Msg("the server refused it")
	}
	return Msg("the server answered with an error")
}

// CodeText says in the person's language what the server says, as far as the
// catalogue knows that: our server's own words, else what the code means.
func CodeText(l lang.Language, code, detail string) string {
	return lang.Refusal{Code: code, Detail: detail}.Text(l)
}

// RefusedItem is why the server refused one of several.
type RefusedItem struct{ Code, Detail string }

func (r *RefusedItem) Error() string { return cmp.Or(r.Detail, r.Code) }

// repeatsField tells that the text of the whole says already what is wrong with the
// only field.
func repeatsField(l lang.Language, text string, all []api.FieldError) bool {
	if len(all) != 1 {
		return false
	}
	words := CodeText(l, all[0].Code, all[0].Detail)
	return words != "" && strings.Contains(text, words)
}

// fieldText says what is wrong with the first fields of a request, as far as
// the text of the whole does not say it.
func fieldText(l lang.Language, all []api.FieldError) string {
	const shown = 5
	var parts []string
	for _, f := range all[:min(len(all), shown)] {
		parts = append(parts, l.Text(f.Field)+": "+CodeText(l, f.Code, f.Detail))
	}
	if more := len(all) - shown; more > 0 {
		parts = append(parts, l.Textf("and %d more", more))
	}
	return strings.Join(parts, "; ")
}

// unavailableText says why there is no whole answer.
func unavailableText(l lang.Language, e *client.UnavailableError) string {
	text := l.Text("the server cannot be reached")
	proxy, ok := errors.AsType[*client.ProxyError](e.Err)
	switch {
	case ok:
		return proxyText(l, proxy)
	case e.Unknown:
		text = l.Text("no answer came, and the request may have been carried out")
	case e.Sent:
		text = l.Text("no whole answer came")
	}
	return text + ": " + networkText(l, e.Err)
}

// proxyText says why a proxy makes no connection.
func proxyText(l lang.Language, e *client.ProxyError) string {
	switch e.Status {
	case 0:
		return l.Textf("the proxy %s cannot be reached", e.Proxy)
	case http.StatusProxyAuthRequired:
		return l.Textf("the proxy %s asks for a user name and a password", e.Proxy)
	}
	return l.Textf("the proxy %s refuses to connect to the server, or cannot", e.Proxy)
}

// unexpectedText says that an answer is not what was asked for, and why in plain words
// where there are some. A decoder's words are left out; --debug shows the answer.
func unexpectedText(l lang.Language, e *client.UnexpectedResponseError) string {
	if errors.Is(e.Err, client.ErrWebPage) {
		return l.Text(e.Err.Error())
	}
	text := l.Text("the server gave an answer that this program cannot read")
	if why := e.Err.Error(); lang.Has(why) {
		text += ": " + l.Text(why)
	}
	return text
}

// networkText says the usual faults of a network in the person's language;
// others are in the words of the system.
func networkText(l lang.Language, err error) string {
	if name, ok := errors.AsType[*net.DNSError](err); ok {
		if name.IsNotFound {
			return l.Textf("no machine has the name %s", name.Name)
		}
		return l.Textf("the name %s could not be looked up; is this machine on the network?", name.Name)
	}
	return lang.Cause(err.Error()).Text(l)
}

// optionText says what is wrong with a flag that decides what is printed.
func optionText(l lang.Language, e *render.OptionError) string {
	switch {
	case len(e.Args) > 0:
		return e.Option + ": " + l.Textf(e.Reason, e.Args...)
	case e.Reason != "":
		return e.Option + ": " + l.Text(e.Reason)
	}
	return l.Textf("%s: there is no %q, but %s", e.Option, e.Value, strings.Join(e.Known, ", "))
}

// settingText says what is wrong with what leads to the server.
func settingText(l lang.Language, e *client.OptionError) string {
	text := l.Text(e.Option) + ": " + l.Text(e.Reason)
	if e.Err != nil {
		text += ": " + errorText(l, e.Err)
	}
	return text
}

// RefusalHint says what a person may do about a refusal of the server. The document is
// that of the subscriber, empty where there are several or none is known.
func RefusalHint(code, document string) Message {
	document = cmp.Or(document, "DOC")
	switch code {
	case api.CodeSubscriberNotFound:
		return Msg("`ativa subscribers search TERM` finds one by name, e-mail or telephone; `ativa subscribers create` registers one")
	case api.CodeSubscriberExists:
		return Msg("`ativa subscribers get DOC` shows the one that exists, `ativa subscribers update DOC` changes it")
	case api.CodeSubscriberHasServices:
		return Msg("cancel the services first with `ativa provision deactivate`")
	case api.CodeServiceNotFound:
		return Msg("`ativa subscribers get %s` shows the services there are", document)
	case api.CodeUnknownProduct, api.CodeProductInactive, api.CodeActionNotAllowed, api.CodeSameProduct, api.CodeNotReplaceable:
		return Msg("`ativa products` shows what may be sold, and done with it")
	case api.CodeUnknownInternetSpeed:
		return Msg("see `ativa subscribers speeds`")
	case api.CodeInvalidCursor:
		return Msg("without --after, `ativa events` begins with the oldest event that is kept; how everything stands now is in `ativa subscribers list`")
	case api.CodeNotFound:
		return Msg("check the address of the server: `ativa doctor`")
	case api.CodeMethodNotAllowed:
		return Msg("check the method and the path, and the address of the server: `ativa doctor`")
	case api.CodeServiceOverdue:
		return Msg("the payment is missing; once it is made: `ativa provision settle %s`", document)
	case api.CodeOperationInProgress, api.CodeServiceNotActive, api.CodeServiceSuspended, api.CodeServiceCanceled,
		api.CodeServiceInError, api.CodeCancellationUnresolved, api.CodeFamilyConflict, api.CodeNothingToResend:
		return Msg("`ativa subscribers explain %s` says how each service stands, and what to do next", document)
	}
	return Msg("nothing was changed; fix the request and try again, or see what is sent with --debug")
}

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
	return strings.Join(Map(t.Scopes, func(s api.Scope) string { return string(s) }), ", ")
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
	return map[api.Scope]Message{
		api.ScopeRead:      Msg("see subscribers, products and events"),
		api.ScopeManage:    Msg("register and change subscribers, and send e-mails again"),
		api.ScopeProvision: Msg("activate, change and suspend services"),
		api.ScopeImport:    Msg("import subscribers"),
		api.ScopeCancel:    Msg("cancel services and erase subscribers"),
	}[s]
}

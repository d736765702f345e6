package client

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"

	"ativa/internal/api"
	"ativa/internal/failure"
	"ativa/internal/lang"
)

// inDoubt returns the text of an error, which says whether the request may have had its effect.
func inDoubt(l lang.Language, unknown bool, text string) string {
	if unknown {
		return l.Textf("%s; the request may have been carried out", text)
	}
	return text
}

// Text explains an error response: by its code if that is known, else in a sentence of our own
// with the server's words in quotes. Route and status are in the trace of --debug.
func (e *Error) Text(l lang.Language) string { return inDoubt(l, e.Unknown, e.reason(l)) }

func (e *Error) reason(l lang.Language) string {
	if e.MissingScope() != "" {
		return e.scopeMessage().Text(l)
	}
	if e.Code == CodeRedirect && e.Location != "" {
		return l.Textf("the answer points to %s: something between, or a server that has moved", e.Location)
	}
	text := lang.Refusal{Code: e.Code, Detail: e.Message}.Text(l)
	quoted := e.codeless && !lang.Has(e.Message)
	if quoted {
		text = e.Message
	}
	if fields := fieldText(l, e.Problem.Errors); fields != "" && !repeatsField(l, text, e.Problem.Errors) {
		text = strings.TrimPrefix(strings.TrimSuffix(text, ".")+": "+fields, ": ")
	}
	own := cmp.Or(lang.Refusal{Code: e.Code}.Text(l), e.kindMessage().Text(l))
	switch {
	case text == "":
		return own
	case !quoted && (lang.Has(e.Message) || lang.Has(e.Code)):
		return text
	}
	return own + ": " + strconv.Quote(text)
}

// Outcome returns the exit code and the hint for the kind of the error.
func (e *Error) Outcome() failure.Outcome {
	o := failure.Outcome{Exit: failure.ExitError, Code: e.Code, Hint: RefusalHint(e.Code, e.Document)}
	if e.Unknown {
		o.Hint = RefusalHint(api.CodeOperationInProgress, e.Document) // look first
	}
	switch e.Kind() {
	case KindAuth:
		o.Exit, o.Hint = failure.ExitAuth, lang.Msg("run `ativa login` again, or check the token; `ativa auth status` shows which is used")
		if e.MissingScope() != "" {
			o.Hint = e.scopeHint()
		}
	case KindNotFound:
		o.Exit = failure.ExitNotFound
	case KindUnavailable:
		o.Exit = failure.ExitUnavailable
		if o.Hint = foreignHint(e.Code); o.Hint.IsEmpty() {
			o.Hint = lang.Msg("try again later")
		}
	case KindRefused:
		o.Exit = failure.ExitRefused
	}
	return o
}

// kindMessage returns our own sentence for the kind of the error.
func (e *Error) kindMessage() lang.Message {
	if e.Code == api.CodeSubscriberNotFound {
		return lang.Msg("no subscriber has this document")
	}
	switch e.Kind() {
	case KindAuth:
		return lang.Msg("the server does not accept the access token")
	case KindNotFound:
		return lang.Msg("the server does not have it")
	case KindUnavailable:
		return lang.Msg("the server cannot answer now")
	case KindRefused:
		return lang.Msg("the server refused it")
	}
	return lang.Msg("the server answered with an error")
}

// repeatsField reports whether the text already says what is wrong with the only field.
func repeatsField(l lang.Language, text string, all []api.FieldError) bool {
	if len(all) != 1 {
		return false
	}
	words := lang.Refusal{Code: all[0].Code, Detail: all[0].Detail}.Text(l)
	return words != "" && strings.Contains(text, words)
}

// fieldText says what is wrong with the first five fields of a request.
func fieldText(l lang.Language, all []api.FieldError) string {
	const shown = 5
	var parts []string
	for _, f := range all[:min(len(all), shown)] {
		parts = append(parts, l.Text(f.Field)+": "+lang.Refusal{Code: f.Code, Detail: f.Detail}.Text(l))
	}
	if more := len(all) - shown; more > 0 {
		parts = append(parts, l.Textf("and %d more", more))
	}
	return strings.Join(parts, "; ")
}

// HintOfStop returns the hint for the error that stopped a run of many requests: again, and before
// that another token if the token lacks a scope.
func HintOfStop(err error, again lang.Message) lang.Message {
	if e, ok := errors.AsType[*Error](err); ok && e.MissingScope() != "" {
		return lang.Msg("%s; then %s", e.scopeHint(), again)
	}
	return again
}

// scopeMessage says that the token lacks the scope for the request.
func (e *Error) scopeMessage() lang.Message {
	what := lang.Msg("the access token may not do this")
	if t := e.AccessToken; t != nil && t.Name != "" {
		what = lang.Msg("the access token %s may not do this", t.Name)
	}
	if meaning := scopeMeaning(e.MissingScope()); !meaning.IsEmpty() {
		return lang.Msg("%s: it lacks the scope %s (%s)", what, string(e.MissingScope()), meaning)
	}
	return lang.Msg("%s: it lacks the scope %s", what, string(e.MissingScope()))
}

// scopeHint says whom to ask for a token with the missing scope.
func (e *Error) scopeHint() lang.Message {
	hint := lang.Msg("ask whoever runs the server for a token with the scope %s", string(e.MissingScope()))
	if e.AccessToken != nil && len(e.AccessToken.Scopes) > 0 {
		return lang.Msg("%s; this one has %s", hint, e.AccessToken.ScopeList())
	}
	return hint
}

func scopeMeaning(s api.Scope) lang.Message {
	return map[api.Scope]lang.Message{
		api.ScopeRead:      lang.Msg("see subscribers, products and events"),
		api.ScopeManage:    lang.Msg("register and change subscribers, and send e-mails again"),
		api.ScopeProvision: lang.Msg("activate, change and suspend services"),
		api.ScopeImport:    lang.Msg("import subscribers"),
		api.ScopeCancel:    lang.Msg("cancel services and erase subscribers"),
		api.ScopeTokens:    lang.Msg("make and revoke access tokens"),
	}[s]
}

// Text says why there is no complete response.
func (e *UnavailableError) Text(l lang.Language) string {
	text := l.Text("the server cannot be reached")
	proxy, ok := errors.AsType[*ProxyError](e.Err)
	switch {
	case errors.Is(e.Err, context.Canceled) && e.Unknown:
		return l.Text("interrupted, and the request may have been carried out")
	case errors.Is(e.Err, context.Canceled):
		return l.Text("interrupted")
	case ok:
		return proxy.Text(l)
	case e.Unknown:
		text = l.Text("no answer came, and the request may have been carried out")
	case e.Sent && IsTimeout(e.Err):
		return l.Text("the server did not answer in time")
	case e.Sent:
		text = l.Text("no whole answer came")
	}
	return text + ": " + networkText(l, e.Err)
}

// Outcome returns the outcome of the cause, such as an untrusted certificate or a proxy, else that of a
// server that may answer later.
func (e *UnavailableError) Outcome() failure.Outcome {
	if isUntrusted(e.Err) {
		return failure.Outcome{Exit: failure.ExitAuth, Code: "untrusted_certificate", Hint: certificateHint(e.Err)}
	}
	if proxy, ok := errors.AsType[*ProxyError](e.Err); ok {
		return proxy.Outcome()
	}
	if errors.Is(e.Err, context.Canceled) { // also while it waited to try again after another error
		return failure.Interrupted()
	}
	if o := failure.OutcomeOf(e.Err); o.Code == "unavailable" {
		return o
	}
	o := failure.OutcomeOf(context.DeadlineExceeded)
	if IsTimeout(e.Err) {
		o.Hint = lang.Msg("try again later, or wait longer with --timeout; `ativa doctor` looks for the cause")
	}
	return o
}

// certificateHint says what to do about a certificate that is not accepted.
func certificateHint(err error) lang.Message {
	if remedy := CertificateRemedy(err); !remedy.IsEmpty() {
		return lang.Msg("%s; until then send nothing there", remedy)
	}
	return lang.Msg("if the authority is your own, trust it: --ca-cert FILE, or the key ca_cert; otherwise send nothing there, and run `ativa doctor`")
}

// CertificateRemedy returns the remedy for a certificate that is expired or for another name, which
// --ca-cert does not make valid; empty for any other error.
func CertificateRemedy(err error) lang.Message {
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return lang.Msg("use the name that the certificate is for")
	}
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok && e.Reason == x509.Expired {
		return lang.Msg("check the clock of this machine; if it is right, the server needs a new certificate")
	}
	return lang.Message{}
}

// networkText explains the usual faults of a network; others are in the words of the system.
func networkText(l lang.Language, err error) string {
	if name, ok := errors.AsType[*net.DNSError](err); ok {
		if name.IsNotFound {
			return l.Textf("no machine has the name %s", name.Name)
		}
		return l.Textf("the name %s could not be looked up; is this machine on the network?", name.Name)
	}
	return lang.Cause(err.Error()).Text(l)
}

// Text says why the proxy makes no connection.
func (e *ProxyError) Text(l lang.Language) string {
	switch {
	case isTimeout(e.Err):
		return l.Textf("the proxy %s makes no connection to the server in time", e.Proxy)
	case e.Status == 0:
		return l.Textf("the proxy %s cannot be reached", e.Proxy)
	case e.Status == http.StatusProxyAuthRequired:
		return l.Textf("the proxy %s asks for a user name and a password", e.Proxy)
	}
	return l.Textf("the proxy %s refuses to connect to the server, or cannot", e.Proxy)
}

// Outcome returns that of an unavailable server, with a hint about the proxy setting.
func (e *ProxyError) Outcome() failure.Outcome {
	return failure.Outcome{Exit: failure.ExitUnavailable, Code: "proxy", Hint: foreignHint(CodeProxyAuth)}
}

// Text says that the response cannot be read, and why if there are plain words for it. A decoder's
// words are left out; `ativa api` shows the response.
func (e *UnexpectedResponseError) Text(l lang.Language) string {
	text := l.Text("the server gave an answer that this program cannot read")
	switch why := e.Err.Error(); {
	case errors.Is(e.Err, ErrWebPage):
		text = l.Text(why)
	case lang.Has(why):
		text += ": " + l.Text(why)
	}
	return inDoubt(l, e.Unknown, text)
}

// Outcome returns the outcome of the cause, or of a web page from something in between.
func (e *UnexpectedResponseError) Outcome() failure.Outcome {
	if errors.Is(e.Err, ErrWebPage) {
		return failure.Outcome{Exit: failure.ExitUnavailable, Code: CodeWebPage, Hint: foreignHint(CodeWebPage)}
	}
	return failure.OutcomeOf(e.Err)
}

// foreignHint returns the hint for a response that does not come from the server.
func foreignHint(code string) lang.Message {
	switch code {
	case CodeRedirect:
		return lang.Msg("if the server has moved there: `ativa config set server URL`, or --server; otherwise sign in to the network, or ask its operator")
	case CodeTLSRequired:
		return lang.Msg("correct it: `ativa config set server URL`, or --server; `ativa config list` shows where it is set")
	case CodeWebPage:
		return lang.Msg("open the address of the server in a browser; `ativa config list` shows where the address and a proxy are set")
	case CodeProxyAuth:
		return lang.Msg("the proxy is set by --proxy, the key proxy or HTTPS_PROXY, as in http://USER:PASSWORD@HOST:PORT; `ativa config list` shows where")
	}
	return lang.Message{}
}

// RefusalHint returns the hint for a refusal of the server. document is the subscriber's, empty if
// there are several or none is known.
func RefusalHint(code, document string) lang.Message {
	document = cmp.Or(document, "DOC")
	switch code {
	case api.CodeSubscriberNotFound:
		return lang.Msg("`ativa subscribers search TERM` finds one by name, e-mail or telephone; `ativa subscribers create` registers one")
	case api.CodeSubscriberExists:
		return lang.Msg("`ativa subscribers get DOC` shows the one that exists, `ativa subscribers update DOC` changes it")
	case api.CodeSubscriberHasServices:
		return lang.Msg("cancel the services first with `ativa provision deactivate`")
	case api.CodeServiceNotFound:
		return lang.Msg("`ativa subscribers get %s` lists its services", document)
	case api.CodeScheduleNotFound, api.CodeScheduleEnded:
		return lang.Msg("`ativa provision schedule list` lists the schedules and their outcome")
	case api.CodeUnknownProduct, api.CodeProductInactive, api.CodeActionNotAllowed, api.CodeSameProduct, api.CodeNotReplaceable:
		return lang.Msg("`ativa products` lists the products and what each allows")
	case api.CodeUnknownInternetSpeed:
		return lang.Msg("see `ativa subscribers speeds`")
	case api.CodeInvalidCursor:
		return lang.Msg("without --after, `ativa events` begins with the oldest event that is kept; `ativa subscribers list` shows the current state")
	case api.CodeNotFound:
		return lang.Msg("check the address of the server: `ativa doctor`")
	case api.CodeMethodNotAllowed:
		return lang.Msg("check the method and the path, and the address of the server: `ativa doctor`")
	case api.CodeServiceOverdue:
		return lang.Msg("the payment is missing; once it is made: `ativa provision settle %s`", document)
	case api.CodeOperationInProgress, api.CodeServiceNotActive, api.CodeServiceSuspended, api.CodeServiceCanceled,
		api.CodeServiceInError, api.CodeCancellationUnresolved, api.CodeFamilyConflict, api.CodeNothingToResend:
		return lang.Msg("`ativa subscribers explain %s` explains the state of each service and what to do next", document)
	}
	return lang.Msg("nothing was changed; fix the request and try again")
}

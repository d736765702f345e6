package cmd

import (
	"net/http"
	"strings"
	"testing"

	"ativa/internal/client"
	"ativa/internal/lang"
)

// Exit codes are contract (cli.md): what a script can do about a refusal
// follows from its status, whoever wrote the server.
func TestExitCodeAndRemedyOfARefusal(t *testing.T) {
	for _, c := range []struct {
		status int
		code   string
		exit   int
		hint   string
	}{
		{http.StatusOK, "taken", exitRefused, "nothing was changed"}, // an error in the body of a success
		{http.StatusTemporaryRedirect, client.CodeRedirect, exitError, "ativa config set server"},
		{http.StatusBadRequest, "malformed_json", exitRefused, "nothing was changed"},
		{http.StatusUnauthorized, "token_expired", exitAuth, "ativa login"},
		{http.StatusForbidden, "insufficient_scope", exitAuth, "ativa login"},
		{http.StatusNotFound, "subscriber_not_found", exitNotFound, "ativa subscribers search"},
		{http.StatusMethodNotAllowed, "method_not_allowed", exitRefused, "ativa doctor"},
		{http.StatusProxyAuthRequired, "http_error", exitAuth, "ativa login"},
		{http.StatusRequestTimeout, "http_error", exitUnavailable, "try again later"},
		{http.StatusConflict, "subscriber_exists", exitRefused, "ativa subscribers update"},
		{http.StatusRequestEntityTooLarge, "payload_too_large", exitRefused, "nothing was changed"},
		{http.StatusUnprocessableEntity, "unknown_product", exitRefused, "ativa products"},
		{http.StatusTooManyRequests, "rate_limited", exitUnavailable, "try again later"},
		{http.StatusInternalServerError, "internal", exitUnavailable, "try again later"},
		{http.StatusServiceUnavailable, "unavailable", exitUnavailable, "try again later"},
	} {
		x := explain(&client.Error{Route: "GET /x", Status: c.status, Code: c.code})
		if hint := x.hint.in(lang.English); x.exit != c.exit || !strings.Contains(hint, c.hint) {
			t.Errorf("%d %s: got exit %d, %q; want exit %d, %q", c.status, c.code, x.exit, hint, c.exit, c.hint)
		}
	}
}

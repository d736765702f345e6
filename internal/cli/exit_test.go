package cli_test

import (
	"net/http"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/credentials"
	"ativa/internal/failure"
	"ativa/internal/lang"
	"ativa/internal/sheet"
)

// Errors of these types carry their own message, exit code and hint.
var _ = []failure.Error{
	(*cli.Failure)(nil), (*client.Error)(nil), (*client.ProxyError)(nil), (*client.UnavailableError)(nil),
	(*client.UnexpectedResponseError)(nil), (*credentials.Error)(nil), (*sheet.Problem)(nil),
}

// Exit codes are contract (cli.md): they follow from the status of any server's refusal.
func TestARefusalHasTheExitCodeOfItsStatusAndARemedy(t *testing.T) {
	for _, c := range []struct {
		status int
		code   string
		exit   int
		hint   string
	}{
		{http.StatusOK, "taken", cli.ExitRefused, "nothing was changed"}, // an error in the body of a success
		{http.StatusTemporaryRedirect, client.CodeRedirect, cli.ExitUnavailable, "ativa config set server"},
		{http.StatusBadRequest, "malformed_json", cli.ExitRefused, "nothing was changed"},
		{http.StatusUnauthorized, "token_expired", cli.ExitAuth, "ativa login"},
		{http.StatusForbidden, "insufficient_scope", cli.ExitAuth, "ativa login"},
		{http.StatusNotFound, "subscriber_not_found", cli.ExitNotFound, "ativa subscribers search"},
		{http.StatusMethodNotAllowed, "method_not_allowed", cli.ExitRefused, "ativa doctor"},
		{http.StatusProxyAuthRequired, client.CodeProxyAuth, cli.ExitUnavailable, "--proxy"},
		{http.StatusForbidden, client.CodeWebPage, cli.ExitUnavailable, "browser"},
		{http.StatusRequestTimeout, "http_error", cli.ExitUnavailable, "try again later"},
		{http.StatusConflict, "subscriber_exists", cli.ExitRefused, "ativa subscribers update"},
		{http.StatusRequestEntityTooLarge, "payload_too_large", cli.ExitRefused, "nothing was changed"},
		{http.StatusUnprocessableEntity, "unknown_product", cli.ExitRefused, "ativa products"},
		{http.StatusTooManyRequests, "rate_limited", cli.ExitUnavailable, "try again later"},
		{http.StatusInternalServerError, "internal", cli.ExitUnavailable, "try again later"},
		{http.StatusServiceUnavailable, "unavailable", cli.ExitUnavailable, "try again later"},
	} {
		x := failure.OutcomeOf(&client.Error{Route: "GET /x", Status: c.status, Code: c.code})
		if hint := x.Hint.Text(lang.English); x.Exit != c.exit || !strings.Contains(hint, c.hint) {
			t.Errorf("%d %s: got exit %d, %q; want exit %d, %q", c.status, c.code, x.Exit, hint, c.exit, c.hint)
		}
	}
}

func TestAResponseIsPartialOnlyIfSomethingWasDone(t *testing.T) {
	for _, c := range []struct {
		exit int
		done bool
		want string
	}{
		{cli.ExitOK, false, api.ResponseSuccess}, {cli.ExitOK, true, api.ResponseSuccess},
		{cli.ExitPartial, true, api.ResponsePartial}, {cli.ExitPartial, false, api.ResponseError},
		{cli.ExitRefused, true, api.ResponsePartial}, {cli.ExitRefused, false, api.ResponseError},
	} {
		var err error
		if c.exit != cli.ExitOK {
			err = &cli.SilentExit{Code: c.exit}
		}
		if got := cli.Response(err, c.done); got != c.want {
			t.Errorf("exit %d, done %t: got %s, want %s", c.exit, c.done, got, c.want)
		}
	}
}

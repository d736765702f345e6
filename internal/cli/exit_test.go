package cli_test

import (
	"testing"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/credentials"
	"ativa/internal/failure"
	"ativa/internal/sheet"
)

// Errors of these types carry their own message, exit code and hint.
var _ = []failure.Error{
	(*cli.Failure)(nil), (*client.Error)(nil), (*client.ProxyError)(nil), (*client.UnavailableError)(nil),
	(*client.UnexpectedResponseError)(nil), (*credentials.Error)(nil), (*sheet.Problem)(nil),
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

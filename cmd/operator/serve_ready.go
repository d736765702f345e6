package operator

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/lang"
)

// checkReady asks the server of these settings, on this machine, whether it can serve requests. It
// is a health check for systems without shell and curl.
func checkReady(ctx context.Context, o ServeOptions) error {
	host, port, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return cli.Usage("--listen is an address as 127.0.0.1:8080, not %q", o.Listen)
	}
	if n, err := net.DefaultResolver.LookupPort(ctx, "tcp", port); err == nil { // a URL has no name of a port
		port = strconv.Itoa(n)
	}
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() {
		host = "127.0.0.1" // also works if the server listens on [::]
	}
	url := scheme(o) + "://" + net.JoinHostPort(host, port) + "/readyz"
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	// The certificate is for the public name, and nothing secret is sent.
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} //nolint:gosec // see above
	defer c.CloseIdleConnections()
	res, err := c.Do(req)
	if err != nil {
		return &cli.Failure{Exit: cli.ExitUnavailable, Code: "not_ready", Message: cli.Msg("no server answers at %s: %s", o.Listen, lang.Cause(err.Error()))}
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusOK {
		return nil
	}
	var refused api.Problem
	if err := json.NewDecoder(io.LimitReader(res.Body, 64<<10)).Decode(&refused); err != nil {
		return &cli.Failure{Exit: cli.ExitUnavailable, Code: "not_ready", Message: cli.Msg("the server at %s does not answer as ativa does: %s", url, res.Status),
			Hint: cli.Msg("give --check-ready the --listen, --tls-cert and --tls-key of the server")}
	}
	return &cli.Failure{Exit: cli.ExitUnavailable, Code: "not_ready", Message: cli.Msg("the server says that it is not ready: %s", refused.Detail)}
}

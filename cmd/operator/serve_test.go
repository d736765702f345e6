package operator

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"ativa/internal/service/store/pgtest"
	"ativa/internal/system/systemtest"
)

// running starts the service on a free port with its own database; the caller stops it.
func running(t *testing.T, o ServeOptions) *Service {
	t.Helper()
	o.Listen, o.DB = "127.0.0.1:0", pgtest.DSN(t)
	s, err := StartService(t.Context(), o, slog.New(slog.DiscardHandler))
	must(t, err)
	return s
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	must(t, err)
	res, err := http.DefaultClient.Do(req)
	must(t, err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	must(t, err)
	return res.StatusCode, string(b)
}

// Behind a proxy on the same machine every client has its own limit, which needs
// --trusted-proxy in our systemd unit.
func TestTheUnitTrustsAProxyOfTheSameMachine(t *testing.T) {
	unit, err := os.ReadFile("../../docs/systemd/ativa.service")
	must(t, err)
	_, line, _ := strings.Cut(string(unit), "\nEnvironment=ATIVA_TRUSTED_PROXY=") // which ativa.env may replace
	line, _, _ = strings.Cut(line, "\n")
	o := ServeOptions{Listen: "127.0.0.1:8080", trustedProxies: strings.Split(line, ",")}
	must(t, o.checkListener())
	for _, proxy := range []string{"127.0.0.1", "::1"} {
		if !slices.ContainsFunc(o.proxies, func(p netip.Prefix) bool { return p.Contains(netip.MustParseAddr(proxy)) }) {
			t.Errorf("a proxy at %s is not believed: all its clients share one limit", proxy)
		}
	}
	if o.Listen = "0.0.0.0:8080"; o.checkListener() == nil {
		t.Error("with a proxy of the same machine it serves the network in the clear")
	}
}

var must = systemtest.Must

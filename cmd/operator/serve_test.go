package operator

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ativa/internal/cli"
	"ativa/internal/service/store/pgtest"
)

// running starts the service on a free port with its own database; the caller stops it.
func running(t *testing.T, o ServeOptions) *Service {
	t.Helper()
	o.Listen, o.DB = "127.0.0.1:0", pgtest.DSN(t)
	s, err := StartService(t.Context(), o, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

func TestFiguresTellWhatIsOwedAndWhatWaits(t *testing.T) {
	s := running(t, ServeOptions{metricsListen: metricsPublic})
	if _, err := CreateDemoData(t.Context(), s.Parts, 1, time.Hour); err != nil {
		t.Fatal(err)
	}
	status, text := get(t, s.URL+"/metrics")
	for _, want := range []string{
		"ativa_store_up 1\n", "ativa_store_writes_waiting ", "ativa_services_queued 0\n", "ativa_operations_waiting 0\n",
		`ativa_outbox_jobs{kind="email",state="open"} 0`, `ativa_outbox_jobs{kind="callback",state="dead"} 0`,
		`ativa_outbox_late_seconds{kind="partner"} 0`, "process_resident_memory_bytes ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%d: the metrics lack %q", status, want)
		}
	}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") && !regexp.MustCompile(`^[a-z_]+({[^}]*})? [-+.\deE]+\n$`).MatchString(line) {
			t.Errorf("%q is no line of the Prometheus text format", line)
		}
	}
	if status, _ := get(t, s.URL+"/readyz"); status != http.StatusOK {
		t.Errorf("/readyz: got %d", status)
	}
	if err := s.Store.Close(); err != nil {
		t.Fatal(err)
	}
	if status, _ := get(t, s.URL+"/readyz"); status != http.StatusServiceUnavailable {
		t.Errorf("/readyz without a database: got %d, want 503", status)
	}
	if _, text := get(t, s.URL+"/metrics"); !strings.Contains(text, "ativa_store_up 0\n") {
		t.Error("the metrics do not show that the database is down")
	}
	s.stopWorkers()
	if err := s.http.Close(); err != nil {
		t.Error(err)
	}
	s.workers.Wait()
}

// Behind a proxy on the same machine every client has its own limit, which needs
// --trusted-proxy in our systemd unit.
func TestTheUnitTrustsAProxyOfTheSameMachine(t *testing.T) {
	unit, err := os.ReadFile("../../docs/systemd/ativa.service")
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(unit), "\nExecStart=/usr/bin/ativa serve ")
	line, _, _ = strings.Cut(line, "\n")
	e := &cli.Env{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Getenv: func(string) string { return "" }}
	c := NewServe(e)
	if err := c.ParseFlags(strings.Fields(line)); err != nil {
		t.Fatal(err)
	}
	trusted, err := c.Flags().GetStringSlice("trusted-proxy")
	if err != nil {
		t.Fatal(err)
	}
	o := ServeOptions{Listen: "127.0.0.1:8080", trustedProxies: trusted}
	if err := o.checkListener(); err != nil {
		t.Fatal(err)
	}
	for _, proxy := range []string{"127.0.0.1", "::1"} {
		if !slices.ContainsFunc(o.proxies, func(p netip.Prefix) bool { return p.Contains(netip.MustParseAddr(proxy)) }) {
			t.Errorf("a proxy at %s is not believed: all its clients share one limit", proxy)
		}
	}
}

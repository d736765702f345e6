package operator

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ativa/internal/api/apitest"
	"ativa/internal/client"
	"ativa/internal/service/domain"
	"ativa/internal/service/store/pgcluster"
)

// The proxies of docs/proxy, started unchanged but for names and ports, pass on large
// imports, streamed lists and the client's address, and hide the operator's paths.
func TestTheExampleProxiesServe(t *testing.T) {
	for name, start := range map[string]func(t *testing.T, program, server string, port int){"nginx": startNginx, "caddy": startCaddy} {
		t.Run(name, func(t *testing.T) {
			program, err := exec.LookPath(name)
			if err != nil {
				program, err = exec.LookPath("/usr/sbin/" + name)
			}
			switch {
			case err != nil && os.Getenv("ATIVA_REQUIRE_PROXIES") != "":
				t.Fatal(err)
			case err != nil:
				t.Skip(name + " is not installed")
			}
			s := running(t, ServeOptions{metricsListen: metricsPublic, trustedProxies: []string{"127.0.0.1"}})
			defer func() { must(t, s.Stop()) }()
			_, token, err := s.Registry.CreateProvider(t.Context(), domain.Provider{Name: "Azul", Limit: 10, AllProducts: true})
			must(t, err)
			port, err := pgcluster.FreePort(t.Context())
			must(t, err)
			start(t, program, strings.TrimPrefix(s.URL, "http://"), port)
			p := proxied{t: t, url: fmt.Sprintf("http://127.0.0.1:%d", port)}
			p.waitUntilItAnswers()
			p.checkWhatIsPrivate()
			bearer, err := apitest.Client(t, client.Options{Server: p.url}).Authenticate(t.Context(), token)
			must(t, err)
			p.checkSizes(bearer.Token)
			p.checkAddresses()
		})
	}
}

type proxied struct {
	t   *testing.T
	url string
}

func (p proxied) call(method, path, bearer string, body []byte) (int, string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, p.url+path, bytes.NewReader(body))
	must(p.t, err)
	req.Header.Set("Content-Type", "application/json")
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}
	req.Header.Set("X-Forwarded-For", fmt.Sprintf("203.0.113.%d", rand.IntN(256))) // forged
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	must(p.t, err)
	return res.StatusCode, string(text)
}

func (p proxied) waitUntilItAnswers() {
	p.t.Helper()
	for start := time.Now(); ; <-time.After(20 * time.Millisecond) {
		status, text := p.call(http.MethodGet, "/openapi.yaml", "", nil)
		if status == http.StatusOK {
			return
		}
		if time.Since(start) > time.Minute {
			p.t.Fatalf("the proxy does not serve: %d %s", status, text)
		}
	}
}

func (p proxied) checkWhatIsPrivate() {
	p.t.Helper()
	for _, path := range []string{"/metrics", "/livez", "/readyz", "/api/metrics", "/api/livez", "/api/readyz", "/%6detrics", "/api/%6detrics", "/%61pi/metrics"} {
		if status, text := p.call(http.MethodGet, path, "", nil); status != http.StatusNotFound {
			p.t.Errorf("%s: got %d %.80s, want it to be the operator's", path, status, text)
		}
	}
}

// checkSizes sends bodies of the maximum size and above: both get the service's response.
func (p proxied) checkSizes(bearer string) {
	p.t.Helper()
	large := fmt.Appendf(nil, `{"subscribers":[%s{}]}`, strings.Repeat(`{"name":"`+strings.Repeat("x", 10_000)+`"},`, 1500))
	if status, text := p.call(http.MethodPost, "/subscribers/import", bearer, large); status != http.StatusUnprocessableEntity {
		p.t.Errorf("15 MB: got %d %.200s, want every row refused by the service", status, text)
	}
	if status, text := p.call(http.MethodPost, "/subscribers/import", bearer, bytes.Repeat([]byte(" "), 16<<20+1)); status != http.StatusRequestEntityTooLarge || !strings.Contains(text, "payload_too_large") {
		p.t.Errorf("more than 16 MiB: got %d %.200s", status, text)
	}
	if status, text := p.call(http.MethodGet, "/events?wait=1", bearer, nil); status != http.StatusOK || !strings.Contains(text, "next_cursor") {
		p.t.Errorf("waiting for events: got %d %.200s", status, text)
	}
}

// checkAddresses guesses access tokens with a forged address each time: the attempts are
// counted by the address that the proxy saw.
func (p proxied) checkAddresses() {
	p.t.Helper()
	for range 100 {
		if status, _ := p.call(http.MethodPost, "/authenticate", "", []byte(`{"access_token":"wrong"}`)); status == http.StatusTooManyRequests {
			return
		}
	}
	p.t.Error("a hundred guesses under forged addresses were let through")
}

func run(t *testing.T, env []string, name string, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	var log bytes.Buffer
	c.Env, c.Stdout, c.Stderr = append(os.Environ(), env...), &log, &log
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second
	must(t, c.Start())
	t.Cleanup(func() { // after the test's context
		_ = c.Wait() // the error of an interrupted program
		if t.Failed() {
			t.Logf("%s: %s", name, log.String())
		}
	})
}

func startNginx(t *testing.T, program, server string, port int) {
	t.Helper()
	dir := t.TempDir()
	text, err := os.ReadFile("../../docs/proxy/nginx.conf")
	must(t, err)
	site := string(text)
	for from, to := range map[string]string{
		"127.0.0.1:8080": server, "listen 443 ssl http2": fmt.Sprintf("listen 127.0.0.1:%d", port),
	} {
		if !strings.Contains(site, from) {
			t.Fatalf("nginx.conf does not say %q", from)
		}
		site = strings.ReplaceAll(site, from, to)
	}
	site = regexp.MustCompile(`(?m)^\s*ssl_.*\n`).ReplaceAllString(site, "")
	whole := "pid " + dir + "/pid; error_log stderr; daemon off; master_process off; events {}\nhttp { access_log off; client_body_temp_path " + dir + "/body; proxy_temp_path " + dir +
		"/proxy; fastcgi_temp_path " + dir + "/f; uwsgi_temp_path " + dir + "/u; scgi_temp_path " + dir + "/s;\n" + site + "}\n"
	path := filepath.Join(dir, "nginx.conf")
	must(t, os.WriteFile(path, []byte(whole), 0o600))
	run(t, nil, program, "-p", dir, "-c", path)
}

func startCaddy(t *testing.T, program, server string, port int) {
	t.Helper()
	dir := t.TempDir()
	text, err := os.ReadFile("../../docs/proxy/Caddyfile")
	must(t, err)
	path := filepath.Join(dir, "Caddyfile")
	must(t, os.WriteFile(path, append([]byte("{\n\tadmin off\n}\n"), text...), 0o600))
	run(t, []string{"HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "XDG_DATA_HOME=" + dir, fmt.Sprintf("ATIVA_HOST=http://127.0.0.1:%d", port), "ATIVA_SERVERS=" + server},
		program, "run", "--config", path, "--adapter", "caddyfile")
}

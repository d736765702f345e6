package server_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/domain"
	"ativa/internal/service/server"
)

func title(r reply) string {
	_, rest, _ := strings.Cut(string(r.body), "<h1>")
	t, _, _ := strings.Cut(rest, "</h1>")
	return t
}

func TestTheActivationPageShowsTheStateOfItsLink(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                  string
		link                  func(f *fixture) string
		status                int
		portuguese, inEnglish string
		button                bool
	}{
		{"ready", func(f *fixture) string { return f.links()[doc(1)] }, 200, "Ative o seu serviço", "Activate your service", true},
		{"unknown", func(*fixture) string { return strings.Repeat("x", 43) }, 404, "Link não encontrado", "Link not found", false},
		{"used", func(f *fixture) string {
			l := f.links()[doc(1)]
			f.do("POST", "/activate/"+l, "").want(200)
			f.do("POST", "/provision/deactivate", batch(basic, 1)).want(200)
			return l
		}, 410, "Link já utilizado", "Link already used", false},
		{"replaced", func(f *fixture) string {
			l := f.links()[doc(1)]
			f.do("POST", "/subscribers/resend_activation_email", `{"document":"`+doc(1)+`"}`).want(200)
			return l
		}, 410, "Link substituído", "Link replaced", false},
		{"changing", func(f *fixture) string { // of a service that will be active again: nothing is cancelled
			f.do("POST", "/activate/"+f.links()[doc(1)], "").want(200)
			f.do("POST", "/subscribers/resend_activation_email", `{"document":"`+doc(1)+`"}`).want(200)
			l := f.links()[doc(1)]
			f.do("POST", "/provision/change", `{"product_id":2,"previous_product_id":1,"document":"`+doc(1)+`"}`).want(200)
			return l
		}, 410, "Ativação indisponível agora", "Activation not possible right now", false},
		{"expired", func(f *fixture) string {
			l := f.links()[doc(1)]
			f.advance(7 * 24 * time.Hour)
			f.bearer = f.login(f.access)
			return l
		}, 410, "Link expirado", "Link expired", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newParallelFixture(t)
			f.register(1, 1, basic)
			path := "/activate/" + c.link(f)
			before := f.do("GET", "/subscribers/"+doc(1), "")
			for accept, want := range map[string]string{
				"": c.portuguese, "pt-BR,en;q=0.5": c.portuguese, "en": c.inEnglish, "de, en-US;q=0.7, pt;q=0.3": c.inEnglish, "fr": c.portuguese,
			} {
				r := f.do("GET", path, "", "Authorization", "Accept-Language: "+accept).want(c.status)
				if got := title(r); got != want {
					t.Errorf("%q: got %q, want %q", accept, got, want)
				}
				r.wantSafePage(map[string]string{c.portuguese: "pt-BR", c.inEnglish: "en"}[want])
				if c.status == 410 {
					f.do("GET", path, "", "Accept: application/json").want(410, api.CodeLinkInvalid)
				}
				if got := strings.Contains(string(r.body), "<button"); got != c.button {
					t.Errorf("%q: button: got %t, want %t", accept, got, c.button)
				}
			}
			if after := f.do("GET", "/subscribers/"+doc(1), ""); string(after.body) != string(before.body) {
				t.Errorf("GET changed %s to %s", before.body, after.body)
			}
		})
	}
}

// A mail program may extend or shorten a link; the error is a page, not JSON.
func TestALinkThatAMailProgramChangedLeadsToAPage(t *testing.T) {
	f := newParallelFixture(t)
	f.register(1, 1, basic)
	good := "/activate/" + f.links()[doc(1)]
	for _, c := range []struct {
		method, path string
		status       int
		title        string
	}{
		{"GET", good + "/", 200, "Ative o seu serviço"},
		{"GET", good + "/x", 404, "Link não encontrado"},
		{"POST", "/api/activate", 404, "Link não encontrado"},
		{"GET", "/activate/", 404, "Link não encontrado"},
		{"POST", good + "/", 200, "Serviço ativado"},
	} {
		if got := title(f.do(c.method, c.path, "").want(c.status)); got != c.title {
			t.Errorf("%s %s: got %q, want %q", c.method, c.path, got, c.title)
		}
	}
}

func TestOnlyPOSTActivates(t *testing.T) {
	f := newParallelFixture(t)
	f.register(1, 1, basic)
	path := "/activate/" + f.links()[doc(1)]
	f.do("GET", path, "").want(200)
	f.do("HEAD", path, "").want(200)
	f.do("GET", "/subscribers/"+doc(1), "").has(map[string]string{"subscriber.services.0.status": "inProgress"})
	r := f.do("POST", "/api"+path, "", "Authorization", "Content-Type: application/x-www-form-urlencoded").want(200)
	if got := title(r); got != "Serviço ativado" {
		t.Errorf("got %q", got)
	}
	f.do("GET", "/subscribers/"+doc(1), "").has(map[string]string{"subscriber.services.0.status": "active"})
	if got := title(f.do("POST", path, "", "Authorization").want(200)); got != "Serviço já ativo" {
		t.Errorf("second press: got %q", got)
	}
}

// wantSafePage checks that a page loads nothing, allows only its own style, and has no data of the
// subscriber.
func (r reply) wantSafePage(language string) {
	r.t.Helper()
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindSubmatch(r.body)
	sum := sha256.Sum256(style[1])
	for name, want := range map[string]string{
		"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY", "Content-Language": language, "Content-Type": "text/html; charset=utf-8",
		"Content-Security-Policy": "default-src 'none'; img-src data:; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	} {
		if got := r.header.Get(name); got != want {
			r.t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	for _, bad := range []string{"<script", "http://", "https://", "src=", "<img", doc(1), "example.com"} {
		if strings.Contains(string(r.body), bad) {
			r.t.Errorf("the page holds %s", bad)
		}
	}
}

func TestTheActivationPageShowsAServerError(t *testing.T) {
	f := newParallelFixture(t, func(o *server.Options, _ *domain.Provider) { o.Language = "en" })
	f.register(1, 1, basic)
	link := f.links()[doc(1)]
	f.store.update = func(context.Context) error { return &domain.Error{Code: domain.Unavailable} }
	r := f.do("POST", "/activate/"+link, "", "Authorization").want(503)
	if got := title(r); got != "Something went wrong" || !strings.Contains(string(r.body), r.header.Get(api.HeaderRequestID)) {
		t.Errorf("got %s", r.body)
	}
	f.store.update = noFault
	if r := f.do("POST", "/activate/"+link, "", "Authorization").want(http.StatusOK); title(r) != "Service activated" {
		t.Errorf("got %q", title(r))
	}
}

// The page shows the provider's brand and, of a working service, the instructions of its product: as text,
// with the telephone number and the URL as links.
func TestThePageShowsBrandAndInstructions(t *testing.T) {
	f := newParallelFixture(t)
	f.register(1, 1, basic)
	f.brand()
	_, err := f.m.UpdateProduct(t.Context(), basic, func(p *domain.Product) error {
		p.Instructions, p.HelpURL = "<script>alert(1)</script>\nEntre & assista", "https://exemplo.com.br/?a=1&b='2'"
		return nil
	})
	f.must(err)
	path := "/activate/" + f.links()[doc(1)]
	for _, c := range []struct {
		method string
		active bool
	}{{"GET", false}, {"POST", true}, {"GET", true}, {"POST", true}} {
		page := string(f.do(c.method, path, "").want(200).body)
		for text, want := range map[string]bool{
			`alt="Azul &amp; Filhos"`: true, `src="data:image/png;base64,`: true, ".good{--accent:#0b3d91;": true,
			`Atendimento: <a href="tel:08001234569">0800 123-4569</a>`: true,
			"Entre &amp; assista": c.active,
			`<a href="https://exemplo.com.br/?a=1&amp;b=%272%27" rel="noreferrer">https://exemplo.com.br/?a=1&amp;b=&#39;2&#39;</a>`: c.active,
			"<script": false, f.p.Name: false,
		} {
			if got := strings.Contains(page, text); got != want {
				t.Errorf("%s: the page shows %s: %t, want %t", c.method, text, got, want)
			}
		}
	}
}

// The first GET of a link is recorded, HEAD and later requests are not. The page is shown even if the
// record cannot be written.
func TestTheFirstViewOfALinkIsRecorded(t *testing.T) {
	f := newParallelFixture(t)
	f.register(1, 1, basic)
	deliveries, err := f.m.Deliveries(t.Context(), domain.DeliveryFilter{})
	f.must(err)
	requested, path := api.At(f.clock()).String(), "/subscribers/"+doc(1)+"/deliveries"
	f.do("GET", path, "").want(200).has(map[string]string{
		"deliveries.0.id": deliveries[0].ID.String(), "deliveries.0.state": "waiting", "deliveries.0.attempts": "0", "deliveries.0.last_attempt_at": "",
		"deliveries.0.requested_at": requested, "deliveries.0.next_attempt_at": requested,
	})
	link := f.links()[doc(1)]
	view := func(method, opened string) {
		t.Helper()
		f.do(method, "/activate/"+link, "").want(200)
		f.do("GET", path, "").want(200).has(map[string]string{"deliveries.0.state": "sent", "deliveries.0.opened_at": opened})
		f.advance(time.Minute)
	}
	view("HEAD", "")
	f.store.update = func(context.Context) error { return errors.New("the disk is full") }
	view("GET", "")
	if log := f.log.String(); !strings.Contains(log, "the disk is full") || strings.Contains(log, link) {
		t.Errorf("got the log %s, want the cause without the link", log)
	}
	f.store.update = noFault
	opened := api.At(f.clock()).String()
	for _, method := range []string{"GET", "GET", "POST"} {
		view(method, opened)
	}
}

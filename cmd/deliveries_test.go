package cmd

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/cli"
)

// deliveriesServer answers what is sent to the routes, with the extensions; resends
// are counted by path.
func deliveriesServer(t *testing.T, extensions, answer, services string) (u *user, resent map[string]string) {
	t.Helper()
	resent = map[string]string{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if extensions != "" {
			w.Header().Set(api.HeaderExtensions, extensions)
		}
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.URL.Path == "/authenticate":
			_, _ = io.WriteString(w, `{"authorization":{"token":"b","expires_in":3600}}`)
		case r.URL.Path == "/products/status":
			_, _ = io.WriteString(w, `{"status":[]}`)
		case r.URL.Path == "/products":
			_, _ = io.WriteString(w, `{"content_supplier_products":[{"id":25,"name":"P","code":"p","active":1},{"id":26,"name":"Q","code":"q","active":1}]}`)
		case r.URL.Path == "/subscribers/52998224725/deliveries" && answer != "":
			_, _ = io.WriteString(w, answer)
		case r.URL.Path == "/subscribers/52998224725":
			_, _ = io.WriteString(w, `{"subscriber":{"name":"Ana","document":"52998224725","services":[`+services+`]}}`)
		case strings.HasPrefix(r.URL.Path, api.PathResend):
			resent[r.URL.Path] = string(body)
			_, _ = io.WriteString(w, `{"response":"success"}`)
		case strings.HasSuffix(r.URL.Path, "/deliveries") && answer != "":
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"code":"subscriber_not_found"}`)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return newUser(t, map[string]string{"ATIVA_SERVER": s.URL, "ATIVA_ACCESS_TOKEN": "t"}), resent
}

// Without a product those services are mailed that wait for the subscriber, and with
// --all those that work, too.
func TestResendMailsWhoWaitsAlone(t *testing.T) {
	const pPath, qPath, all = "/subscribers/resend_activation_email/25", "/subscribers/resend_activation_email/26", "/subscribers/resend_activation_email"
	p := func(id, status string) string { return serviceEntry("25", id, status) }
	q := func(id, status string) string { return serviceEntry("26", id, status) }
	for _, c := range []struct {
		name, extensions, services string
		flag                       string
		exit                       int
		sent                       []string // paths
	}{
		{"one waits", api.ExtResendProduct, p("10", "inProgress") + "," + q("1", "active"), "", cli.ExitOK, []string{pPath}},
		{"two wait", api.ExtResendProduct, p("10", "inProgress") + "," + q("10", "inProgress"), "", cli.ExitOK, []string{pPath, qPath}},
		{"an activation has failed", api.ExtResendProduct, p("11", "error") + "," + q("1", "active"), "", cli.ExitOK, []string{pPath}},
		{"none waits", api.ExtResendProduct, p("1", "active") + "," + q("4", "suspend"), "", cli.ExitRefused, nil},
		{"there is none", api.ExtResendProduct, "", "", cli.ExitRefused, nil},
		{"all", api.ExtResendProduct, p("1", "active") + "," + q("4", "suspend"), "--all", cli.ExitOK, []string{all}},
		{"the server mails all, and all wait", "", p("10", "inProgress") + "," + q("10", "inProgress"), "", cli.ExitOK, []string{all}},
		{"the server mails all, and the other is suspended", "", p("10", "inProgress") + "," + q("4", "suspend"), "", cli.ExitOK, []string{all}},
		{"the server mails all, and one works", "", p("10", "inProgress") + "," + q("1", "active"), "", cli.ExitUsage, nil},
		{"the server mails all, and one works, which is meant", "", p("10", "inProgress") + "," + q("1", "active"), "--all", cli.ExitOK, []string{all}},
		{"the server mails all, and none waits", "", p("1", "active"), "", cli.ExitRefused, nil},
	} {
		u, resent := deliveriesServer(t, c.extensions, "", c.services)
		args := []string{"subscribers", "resend", "529.982.247-25", "--yes"}
		if c.flag != "" {
			args = append(args, c.flag)
		}
		got := u.run(nil, args...)
		if sent := slices.Sorted(maps.Keys(resent)); got.exit != c.exit || !slices.Equal(sent, c.sent) {
			t.Errorf("%s: exit %d, sent %q, told %s; want %d, %q", c.name, got.exit, sent, got.stderr, c.exit, c.sent)
		}
	}
}

// Where one service is meant, never all are mailed.
func TestResendOfOneProductNeverMailsAll(t *testing.T) {
	const one, all = "/subscribers/resend_activation_email/25", "/subscribers/resend_activation_email"
	p := func(id, status string) string { return serviceEntry("25", id, status) }
	q := func(id, status string) string { return serviceEntry("26", id, status) }
	for _, c := range []struct {
		name, extensions, services string
		exit                       int
		sent                       string // the path
	}{
		{"the server can", api.ExtResendProduct, p("1", "active") + "," + q("1", "active"), cli.ExitOK, one},
		{"the server can, whatever the status", api.ExtResendProduct, p("4", "suspend"), cli.ExitOK, one},
		{"the only one, active", "", p("1", "active"), cli.ExitOK, all},
		{"the only one, in activation", "history", p("10", "inProgress") + "," + q("4", "suspend"), cli.ExitOK, all},
		{"the newer of two tokens", "", p("3", "canceled") + "," + p("10", "inProgress"), cli.ExitOK, all},
		{"another is active", "", p("10", "inProgress") + "," + q("1", "active"), cli.ExitRefused, ""},
		{"another is in activation", "", p("1", "active") + "," + q("10", "inProgress"), cli.ExitRefused, ""},
		{"it is suspended and another active", "", p("4", "suspend") + "," + q("1", "active"), cli.ExitRefused, ""},
		{"it is suspended", "", p("4", "suspend"), cli.ExitRefused, ""},
		{"there is none", "", "", cli.ExitRefused, ""},
	} {
		u, resent := deliveriesServer(t, c.extensions, "", c.services)
		got := u.run(nil, "subscribers", "resend", "529.982.247-25", "--product", "p")
		want := map[string]string{}
		if c.sent != "" {
			want[c.sent] = `{"document":"52998224725"}`
		}
		if got.exit != c.exit || len(resent) != len(want) || resent[c.sent] != want[c.sent] {
			t.Errorf("%s: exit %d, sent %q, told %s; want %d, %q", c.name, got.exit, resent, got.stderr, c.exit, want)
		}
	}
	u, resent := deliveriesServer(t, "", "", p("1", "active"))
	if got := u.run(nil, "subscribers", "resend", "52998224725", "--product", "nothing"); got.exit != cli.ExitNotFound || len(resent) != 0 {
		t.Errorf("an unknown product: exit %d, sent %q", got.exit, resent)
	}
	if got := u.run(nil, "subscribers", "resend", "52998224725", "--product", "q", "--lang", "pt"); got.exit != cli.ExitRefused || len(resent) != 0 || !strings.Contains(got.stderr, "nada foi enviado") {
		t.Errorf("in Portuguese: exit %d, sent %q, %s", got.exit, resent, got.stderr)
	}
}

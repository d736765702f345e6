package cmd

import (
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/cli"
)

// Without a product resend mails the services that wait for the subscriber, with --all
// also active ones. For one service it never mails all.
func TestResendMailsWhoWaitsAlone(t *testing.T) {
	const ours, p25, q26, all = api.ExtResendProduct, "/subscribers/resend_activation_email/25", "/subscribers/resend_activation_email/26", "/subscribers/resend_activation_email"
	p := func(id, status string) string { return serviceEntry("25", id, status) }
	q := func(id, status string) string { return serviceEntry("26", id, status) }
	for _, c := range []struct {
		name, extensions, services string
		flags                      string
		exit                       int
		sent                       []string // paths
	}{
		{"one waits", ours, p("10", "inProgress") + "," + q("1", "active"), "--yes", cli.ExitOK, []string{p25}},
		{"two wait", ours, p("10", "inProgress") + "," + q("10", "inProgress"), "--yes", cli.ExitOK, []string{p25, q26}},
		{"an activation has failed", ours, p("11", "error") + "," + q("1", "active"), "--yes", cli.ExitOK, []string{p25}},
		{"none waits", ours, p("1", "active") + "," + q("4", "suspend"), "--yes", cli.ExitRefused, nil},
		{"there is none", ours, "", "--yes", cli.ExitRefused, nil},
		{"all", ours, p("1", "active") + "," + q("4", "suspend"), "--yes --all", cli.ExitOK, []string{all}},
		{"the server mails all, and all wait", "", p("10", "inProgress") + "," + q("10", "inProgress"), "--yes", cli.ExitOK, []string{all}},
		{"the server mails all, and the other is suspended", "", p("10", "inProgress") + "," + q("4", "suspend"), "--yes", cli.ExitOK, []string{all}},
		{"the server mails all, and one works", "", p("10", "inProgress") + "," + q("1", "active"), "--yes", cli.ExitUsage, nil},
		{"the server mails all, and one works, which is meant", "", p("10", "inProgress") + "," + q("1", "active"), "--yes --all", cli.ExitOK, []string{all}},
		{"the server mails all, and none waits", "", p("1", "active"), "--yes", cli.ExitRefused, nil},

		{"the server can", ours, p("1", "active") + "," + q("1", "active"), "--product p", cli.ExitOK, []string{p25}},
		{"the server can, whatever the status", ours, p("4", "suspend"), "--product p", cli.ExitOK, []string{p25}},
		{"the only one, active", "", p("1", "active"), "--product p", cli.ExitOK, []string{all}},
		{"the only one, in activation", "history", p("10", "inProgress") + "," + q("4", "suspend"), "--product p", cli.ExitOK, []string{all}},
		{"the newer of two tokens", "", p("3", "canceled") + "," + p("10", "inProgress"), "--product p", cli.ExitOK, []string{all}},
		{"another is active", "", p("10", "inProgress") + "," + q("1", "active"), "--product p", cli.ExitRefused, nil},
		{"another is in activation", "", p("1", "active") + "," + q("10", "inProgress"), "--product p", cli.ExitRefused, nil},
		{"it is suspended and another active", "", p("4", "suspend") + "," + q("1", "active"), "--product p", cli.ExitRefused, nil},
		{"it is suspended", "", p("4", "suspend"), "--product p", cli.ExitRefused, nil},
		{"there is none of it", "", p("1", "active"), "--product q", cli.ExitRefused, nil},
		{"an unknown product", "", p("1", "active"), "--product nothing", cli.ExitNotFound, nil},
	} {
		resent := map[string]string{} // bodies by path
		server := &plainServer{onlySubscriber(c.services), func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, api.PathResend) {
				body, _ := io.ReadAll(r.Body)
				resent[r.URL.Path] = string(body)
				_, _ = io.WriteString(w, `{"response":"success"}`)
			}
		}}
		u := userOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header()[api.HeaderExtensions] = strings.Fields(c.extensions)
			server.ServeHTTP(w, r)
		}))
		got := u.run(nil, append([]string{"subscribers", "resend", "529.982.247-25"}, strings.Fields(c.flags)...)...)
		if sent := slices.Sorted(maps.Keys(resent)); got.exit != c.exit || !slices.Equal(sent, c.sent) {
			t.Errorf("%s: exit %d, sent %q, stderr %s; want %d, %q", c.name, got.exit, sent, got.stderr, c.exit, c.sent)
		}
		for path, body := range resent {
			if !strings.Contains(body, `"52998224725"`) {
				t.Errorf("%s: %s got %s", c.name, path, body)
			}
		}
	}
}

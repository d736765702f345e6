package cmd

import (
	"slices"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/cli"
)

// Without a product resend mails the services that wait for the subscriber, with --all also active
// ones. A resend for one service never mails the others.
func TestResendMailsWhoWaitsAlone(t *testing.T) {
	const ours, p25, q26, all = api.ExtResendProduct, "/subscribers/resend_activation_email/25", "/subscribers/resend_activation_email/26", "/subscribers/resend_activation_email"
	type list = []api.Service
	p := func(status string) api.Service { return entry(25, status) }
	q := func(status string) api.Service { return entry(26, status) }
	for _, c := range []struct {
		name, extensions string
		services         list
		flags            string
		exit             int
		sent             []string // paths
	}{
		{"one waits", ours, list{p("inProgress"), q("active")}, "--yes", cli.ExitOK, []string{p25}},
		{"two wait", ours, list{p("inProgress"), q("inProgress")}, "--yes", cli.ExitOK, []string{p25, q26}},
		{"an activation has failed", ours, list{p("error"), q("active")}, "--yes", cli.ExitOK, []string{p25}},
		{"none waits", ours, list{p("active"), q("suspend")}, "--yes", cli.ExitRefused, nil},
		{"all", ours, list{p("active"), q("suspend")}, "--yes --all", cli.ExitOK, []string{all}},
		{"the server mails all, and all wait", "", list{p("inProgress"), q("inProgress")}, "--yes", cli.ExitOK, []string{all}},
		{"the server mails all, and the other is suspended", "", list{p("inProgress"), q("suspend")}, "--yes", cli.ExitOK, []string{all}},
		{"the server mails all, and one works", "", list{p("inProgress"), q("active")}, "--yes", cli.ExitUsage, nil},
		{"the server mails all, and one works, which is meant", "", list{p("inProgress"), q("active")}, "--yes --all", cli.ExitOK, []string{all}},
		{"the server mails all, and none waits", "", list{p("active")}, "--yes", cli.ExitRefused, nil},

		{"the server can", ours, list{p("active"), q("active")}, "--product p", cli.ExitOK, []string{p25}},
		{"the only one, active", "", list{p("active")}, "--product p", cli.ExitOK, []string{all}},
		{"the only one, in activation", "history", list{p("inProgress"), q("suspend")}, "--product p", cli.ExitOK, []string{all}},
		{"the newer of two tokens", "", list{p("canceled"), p("inProgress")}, "--product p", cli.ExitOK, []string{all}},
		{"another is active", "", list{p("inProgress"), q("active")}, "--product p", cli.ExitRefused, nil},
		{"it is suspended", "", list{p("suspend")}, "--product p", cli.ExitRefused, nil},
		{"an unknown product", "", list{p("active")}, "--product nothing", cli.ExitNotFound, nil},
	} {
		u, server := minimalServer(t, c.services...)
		server.Extensions = c.extensions
		got := u.run(nil, append([]string{"subscribers", "resend", "529.982.247-25"}, strings.Fields(c.flags)...)...)
		var sent []string
		for _, r := range server.Requests {
			sent = append(sent, r.Path)
			if !slices.Equal(r.Documents, []string{ana}) {
				t.Errorf("%s: %s got %s", c.name, r.Path, r.Body)
			}
		}
		if slices.Sort(sent); got.exit != c.exit || !slices.Equal(sent, c.sent) {
			t.Errorf("%s: exit %d, sent %q, stderr %s; want %d, %q", c.name, got.exit, sent, got.stderr, c.exit, c.sent)
		}
	}
}

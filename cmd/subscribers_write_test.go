package cmd

import (
	"net/http"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/cli"
)

// create and update normalize a telephone and a speed like an import, because a server
// may store them unchanged.
func TestCreateAndUpdateNormalizeAsTheImportDoes(t *testing.T) {
	create := []string{"subscribers", "create", "--name", "Ana", "--email", "ana@example.com", "--document", "529.982.247-25"}
	update := []string{"subscribers", "update", "52998224725"}
	for _, c := range []struct {
		args []string
		exit int
		want string // in the body or the message
	}{
		{append(create, "--phone", "(11) 98765-4321"), cli.ExitOK, `{"name":"Ana","email":"ana@example.com","document":"52998224725","phone":"+5511987654321","internet_speed_id":38,"customer_plan":""}`},
		{append(create, "--phone", "11987654321.0", "--speed", "1 Giga"), cli.ExitOK, `"phone":"+5511987654321","internet_speed_id":36,`},
		{append(create, "--phone", "98765-4321"), cli.ExitUsage, "--phone: the area code is missing"},
		{append(create, "--phone", "11987654321", "--speed", "77 Mega"), cli.ExitUsage, "`ativa subscribers speeds`"},
		{append(update, "--phone", "11 98765.4321"), cli.ExitOK, `"phone":"+5511987654321","internet_speed_id":3,`},
		{append(create, "--phone", "11987654321", "--plan", "#N/D"), cli.ExitUsage, "--plan: "},
		{append(update, "--name", "#REF!"), cli.ExitUsage, "--name: "},
		{append(update, "--email", "not an address"), cli.ExitUsage, "--email: this is not one plain e-mail address"},
		{append(update, "--email", "mailto:ana@example.com.br"), cli.ExitOK, `"email":"ana@example.com.br"`},
		{append(update, "--plan", "Fibra"), cli.ExitOK, `"internet_speed_id":3,"customer_plan":"Fibra"`},
		{append(update, "--speed", "77 Mega"), cli.ExitUsage, `internet speed "77 Mega"`},
	} {
		u, s := minimalServer(t)
		got := u.run(nil, c.args...)
		where := lastWrite(s)
		if c.exit != cli.ExitOK {
			where = got.stderr
		}
		if got.exit != c.exit || !strings.Contains(where, c.want) || c.exit != cli.ExitOK && lastWrite(s) != "" {
			t.Errorf("%q: exit %d, sent %s, stderr %s; want %d and %s", c.args, got.exit, lastWrite(s), got.stderr, c.exit, c.want)
		}
	}
}

// If a server without details accepts a write, and its effect cannot be read, the error says that
// it was accepted.
func TestAnAcceptedWriteThatCannotBeReadSaysSo(t *testing.T) {
	for _, line := range []string{"subscribers create --name Bia --email bia@example.com --document 11144477735 --phone 11987654321",
		"subscribers update 52998224725 --plan Fibra", "provision suspend --product 25 52998224725"} {
		u, s := minimalServer(t, entry(25, "active"))
		answer := s.Answer
		s.Answer = func(w http.ResponseWriter, r apitest.Request) bool {
			fails := r.Method == http.MethodGet && len(s.Requests) > 0
			if fails {
				w.WriteHeader(http.StatusForbidden)
			}
			return fails || answer(w, r)
		}
		if got := u.run(nil, strings.Fields(line)...); got.exit != cli.ExitAuth || !strings.HasPrefix(got.stderr, "ativa: accepted, but the result could not be read: ") {
			t.Errorf("%s: exit %d: %s", line, got.exit, got.stderr)
		}
	}
}

// --wait follows a status of the server's own until it is final, outlives a server that is away, and
// whatever ends it says that the change was accepted and how to see its outcome.
func TestAWaitSaysThatTheChangeWasAccepted(t *testing.T) {
	t.Parallel()
	portal := func(w http.ResponseWriter) {
		w.Header().Set("Location", "https://portal.example.com")
		w.WriteHeader(http.StatusFound)
	}
	for name, c := range map[string]struct {
		answer func(http.ResponseWriter) // nil for the subscriber as it is
		times  int                       // that it is given, before the service is active
		exit   int
		stderr string
	}{
		"followed":  {nil, 2, cli.ExitOK, "1 for a final status"},
		"pending":   {nil, 1000, cli.ExitPending, "1 for a final status"},
		"back":      {portal, 3, cli.ExitOK, ""},
		"away":      {portal, 1000, cli.ExitPending, "the answer points to https://portal.example.com"},
		"refused":   {func(w http.ResponseWriter) { w.WriteHeader(http.StatusForbidden) }, 1000, cli.ExitAuth, ""},
		"cut often": {func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, 1000, cli.ExitPending, "no whole answer came"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, s := minimalServer(t)
			s.Become["activate"] = api.Status{ID: 2, Name: "checkout"}
			reads := 0
			s.Answer = func(w http.ResponseWriter, r apitest.Request) bool {
				one := s.Subscribers[ana]
				if r.Method != http.MethodGet || len(one.Services) == 0 {
					return false
				}
				switch reads++; {
				case reads == 1: // of the change itself
				case reads > c.times+1:
					one.Services[0].Status, one.Services[0].StatusID = "active", api.StatusActive
				case c.answer != nil:
					c.answer(w)
					return true
				}
				return false
			}
			got := u.run(nil, "provision", "activate", ana, "--product", "p", "--wait", "--timeout", "4s", "-o", "json")
			status, accepted := `"status":"active"`, true
			if c.exit != cli.ExitOK {
				status = `"status":"checkout"`
				accepted = strings.Contains(got.stderr, "accepted, but 1 of 1 service is not final") && strings.Contains(got.stderr, "ativa subscribers explain")
			}
			if got.exit != c.exit || !accepted || !strings.Contains(got.stdout, status) || !strings.Contains(got.stderr, c.stderr) {
				t.Errorf("exit %d, want %d: %s%s", got.exit, c.exit, got.stdout, got.stderr)
			}
		})
	}
}

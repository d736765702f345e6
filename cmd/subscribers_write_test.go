package cmd

import (
	"net/http"
	"strings"
	"testing"

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
		{append(create, "--phone", "11987654321", "--plan", "#N/D"), cli.ExitUsage, "--plan: "},
		{append(update, "--email", "not an address"), cli.ExitUsage, "--email: this is not one plain e-mail address"},
		{append(update, "--email", "mailto:ana@example.com.br"), cli.ExitOK, `"email":"ana@example.com.br"`},
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

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

// --wait follows an activation that begins in an unknown status until it is final.
func TestWaitFollowsAStatusOfTheServersOwn(t *testing.T) {
	t.Parallel()
	for last, id := range map[string]api.Int{"active": api.StatusActive, "checkout": 2} {
		u, s := minimalServer(t)
		reads := 0
		s.Become["activate"] = api.Status{ID: 2, Name: "checkout"}
		s.Answer = func(_ http.ResponseWriter, r apitest.Request) bool {
			if one := s.Subscribers[ana]; r.Method == http.MethodGet && len(one.Services) > 0 {
				if reads++; reads > 2 {
					one.Services[0].Status, one.Services[0].StatusID = last, id
				}
			}
			return false
		}
		want, limit := cli.ExitOK, "1m"
		if last == "checkout" {
			want, limit = cli.ExitPending, "5s"
		}
		got := u.run(nil, "provision", "activate", "52998224725", "--product", "p", "--wait", "--timeout", limit, "-o", "json")
		if got.exit != want || !strings.Contains(got.stdout, `"status":"`+last+`"`) || !strings.Contains(got.stderr, "for a final status") {
			t.Errorf("%s: got exit %d, %s%s, want %d", last, got.exit, got.stdout, got.stderr, want)
		}
	}
}

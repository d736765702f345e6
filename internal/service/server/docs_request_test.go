package server_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/api/apicheck"
	"ativa/internal/service/domain"
	"ativa/internal/service/store/pgtest"
)

const (
	ana  = "52998224725"
	joao = "11144477735"
)

// documented is a fixture in which Ana, the page's subscriber, has the state that an example needs.
type documented struct{ *fixture }

func newDocumented(t *testing.T) documented {
	f := newFixture(t)
	f.must(f.m.Grant(t.Context(), f.p.Name, []int{music, inactive, suspendOnly}, false))
	var err error
	_, f.access, err = f.m.CreateToken(t.Context(), domain.Caller{Provider: f.p.ID}, domain.AccessToken{Name: "crm", Scopes: domain.AllScopes, ExpiresAt: f.clock().AddDate(1, 0, 0)})
	f.must(err)
	f.bearer = f.login(f.access)
	return documented{f}
}

func (d documented) registered() {
	d.do("POST", "/subscribers", `{"name":"Ana Souza","email":"ana@example.com","document":"`+ana+`","phone":"+5511987654321","internet_speed_id":10,"customer_plan":"Fibra 100"}`).want(201)
}

// inProgress returns an activation link that was mailed but not followed.
func (d documented) inProgress() (link string) {
	d.registered()
	d.do("POST", "/provision/activate", `{"contentSupplierProduct":1,"documents":["`+ana+`"]}`).want(200)
	return d.links()[ana]
}

func (d documented) active() {
	d.do("POST", "/activate/"+d.inProgress(), "").want(200)
}

// batch calls active and registers João without a service.
func (d documented) batch() {
	d.active()
	d.other()
}

func (d documented) other() {
	d.do("POST", "/subscribers", `{"name":"João Silva","email":"joao@example.com","document":"`+joao+`","phone":"+5511987654322"}`).want(201)
}

func (d documented) overdue() {
	d.batch()
	d.do("POST", "/provision/overdue", `{"contentSupplierProduct":1,"documents":["`+ana+`"]}`).want(200)
	d.confirm(ana, true)
}

// prepare sets up the example of a call and returns the variables of its request.
func (d documented) prepare(example, request string) (variables []string) {
	switch example {
	case "deleteSubscriber", "activate", "validateBatch":
		d.registered()
	case "listSubscribers", "getSubscriber", "updateSubscriber", "searchSubscribers", "getHistory", "resendActivationEmail", "change", "validateChange":
		d.active()
	case "rotateToken", "revokeToken":
		t, _, err := d.m.CreateToken(d.t.Context(), domain.Caller{Provider: d.p.ID}, domain.AccessToken{Name: "maria", Scopes: domain.ScopeManage | domain.ScopeProvision,
			ExpiresAt: d.clock().AddDate(0, 1, 0)})
		d.must(err)
		return []string{"TOKEN_ID=" + t.ID.String()}
	case "listProducts":
		_, err := d.m.UpdateProduct(d.t.Context(), basic, func(p *domain.Product) error {
			p.Instructions, p.HelpURL = "Baixe o aplicativo Play e entre com o seu e-mail.", "https://play.example.com/ajuda"
			return nil
		})
		d.must(err)
	case "suspend", "deactivate", "overdue", "schedule", "validateSchedule":
		d.batch()
	case "listSchedules", "cancelSchedule":
		d.active()
		at := time.Date(2026, 12, 1, 3, 0, 0, 0, time.UTC)
		id := d.do("POST", "/provision/schedule", strings.Replace(scheduled("deactivate", basic, at, 1), doc(1), ana, 1)).want(200).text("results", 0, "schedule_id")
		return []string{"ID=" + id}
	case "settle":
		d.overdue()
	case "resendActivationEmailOfProduct":
		d.inProgress()
	case "showActivation", "completeActivation":
		return []string{"LINK=" + d.inProgress()}
	case "listDeliveries":
		d.do("GET", "/activate/"+d.inProgress(), "").want(200)
	case "listEvents":
		link := d.inProgress()
		cursor := d.do("GET", "/events", "").want(200).text("next_cursor")
		d.do("POST", "/activate/"+link, "").want(200)
		return []string{"CURSOR=" + cursor}
	case "reportUsage":
		d.now = time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
		d.active()
		d.advance(16*24*time.Hour - 20*time.Minute)
		d.bearer = d.login(d.access)
	case "importSubscribers", "validateImport":
		d.other()
	case "receivePartnerEvent":
		_, body, _ := strings.Cut(request, "-d '")
		for _, header := range d.sign("m1", strings.TrimSuffix(body, "'"), 0) {
			name, value, _ := strings.Cut(header, ": ")
			variables = append(variables, strings.ToUpper(strings.ReplaceAll(name, "-", "_"))+"="+value)
		}
	}
	return variables
}

// normal returns a JSON value without the parts that change each time: times, opaque ids, tokens.
func normal(t testing.TB, text string) any {
	t.Helper()
	text = regexp.MustCompile(`"\d{4}-\d\d-\d\dT[0-9:.]+Z"`).ReplaceAllString(text, `"TIME"`)
	text = regexp.MustCompile(`"(op|ev|sub|job|tok|sch)_[0-9a-z]+"`).ReplaceAllString(text, `"$1"`)
	text = regexp.MustCompile(`"token":\s*"[^"]*"`).ReplaceAllString(text, `"token":"TOKEN"`)
	text = regexp.MustCompile(`"access_token":\s*"[^"]*"`).ReplaceAllString(text, `"access_token":"TOKEN"`)
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// excerpt shortens long lists to the elements of the example.
func excerpt(example, response any) any {
	shown, _ := example.(map[string]any)
	all, _ := response.(map[string]any)
	for _, list := range []string{"internet_speeds", "status"} {
		elements, _ := all[list].([]any)
		if wanted, ok := shown[list].([]any); ok {
			all[list] = slices.DeleteFunc(elements, func(e any) bool {
				return !slices.ContainsFunc(wanted, func(w any) bool { return reflect.DeepEqual(w, e) })
			})
		}
	}
	return response
}

// A shell runs every request of the page; status and body are those on the page.
func TestTheRequestsOfTheDocsGetTheirExampleResponses(t *testing.T) {
	t.Parallel()
	pgtest.Only(t, "sqlite", "the responses are the same")
	for _, program := range []string{"sh", "curl", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not on this machine", program)
		}
	}
	// The page's lines before the first request.
	first := newDocumented(t)
	first.bearer = strings.TrimSpace(first.shell(login+"\nprintf %s $BEARER", nil))
	first.do("GET", "/products", "").want(200)
	d, err := apicheck.Description()
	must(t, err)
	seen := 0
	for _, tag := range d.Tags {
		for _, call := range callsOf(d, tag.Name) {
			if call.Path == "" {
				continue // a message to the receiver
			}
			seen++
			t.Run(call.OperationID, func(t *testing.T) {
				t.Parallel()
				f := newDocumented(t)
				request := call.Request()
				status, example := call.Success()
				r := f.typed(request, f.prepare(call.OperationID, request))
				if fmt.Sprint(r.status) != status {
					t.Fatalf("got %d, want %s\n%s\n%s", r.status, status, request, r.body)
				}
				f.check(call.Method, strings.TrimPrefix(regexp.MustCompile(`\$SERVER[^" ]*`).FindString(request), "$SERVER"), r)
				if example == "" {
					return
				}
				want := normal(t, example)
				if diff := cmp.Diff(want, excerpt(want, normal(t, string(r.body)))); diff != "" {
					t.Errorf("the response differs from its example (-example +response):\n%s", diff)
				}
			})
		}
	}
	if seen < 34 {
		t.Errorf("only %d requests were found", seen)
	}
}

// typed runs a request of the page in a shell.
func (d documented) typed(request string, variables []string) reply {
	d.t.Helper()
	out := d.shell(strings.Replace(request, "curl ", "curl -q -isS ", 1), append(variables, "BEARER="+d.bearer))
	r, err := readReply(d.t, bufio.NewReader(strings.NewReader(out)))
	d.must(err)
	return r
}

// shell runs a script with the page's variables and returns its output.
func (d documented) shell(script string, variables []string) string {
	d.t.Helper()
	c := exec.CommandContext(d.t.Context(), "sh", "-ec", script)
	c.Env = append([]string{"PATH=" + os.Getenv("PATH"), "SERVER=" + d.http.URL, "ACCESS_TOKEN=" + d.access}, variables...)
	out, err := c.Output()
	if err != nil {
		d.t.Fatalf("%v\n%s\n%s", err, script, out)
	}
	return string(out)
}

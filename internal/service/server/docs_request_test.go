package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
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

// The subscribers of the page.
const (
	ana      = "52998224725"
	anaSouza = `{"name":"Ana Souza","email":"ana@example.com","document":"52998224725","phone":"+5511987654321",
		"internet_speed_id":10,"customer_plan":"Fibra 100"}`
	joaoSilva = `{"name":"João Silva","email":"joao@example.com","document":"11144477735","phone":"+5511987654322"}`
)

func (f *fixture) registerAna() {
	f.do("POST", "/subscribers", strings.Replace(anaSouza, ana, f.ana, 1)).want(201)
}

// offerToAna returns an activation link that was mailed but not followed.
func (f *fixture) offerToAna() (link string) {
	f.registerAna()
	f.do("POST", "/provision/activate", `{"contentSupplierProduct":1,"documents":["`+f.ana+`"]}`).want(200)
	return f.links()[f.ana]
}

func (f *fixture) activateAna() { f.do("POST", "/activate/"+f.offerToAna(), "").want(200) }

// example returns the target and the body of the example of a call, about the fixture's Ana.
func (f *fixture) example(call docCall, variables map[string]string) (target, body string) {
	r, about := call.Request(), strings.NewReplacer(ana, f.ana, "529.982.247-25", f.ana)
	value := func(name string) string { return variables[name] }
	return os.Expand(about.Replace(r.target), value), os.Expand(about.Replace(r.body), value)
}

// prepare gives the page's subscribers the state that the example of a call needs, and returns the
// variables of its request.
func (f *fixture) prepare(call docCall) map[string]string {
	variables := map[string]string{"ACCESS_TOKEN": f.access}
	switch call.OperationID {
	case "deleteSubscriber", "activate", "validateBatch":
		f.registerAna()
	case "listSubscribers", "getSubscriber", "updateSubscriber", "searchSubscribers", "getHistory",
		"resendActivationEmail", "change", "validateChange":
		f.activateAna()
	case "rotateToken", "revokeToken":
		nextMonth := f.clock().AddDate(0, 1, 0)
		t, _ := f.createToken(domain.AccessToken{Name: "maria", Scopes: domain.ScopeManage | domain.ScopeProvision, ExpiresAt: nextMonth})
		variables["TOKEN_ID"] = t.ID.String()
	case "listProducts":
		_, err := f.m.UpdateProduct(f.t.Context(), basic, func(p *domain.Product) error {
			p.Instructions, p.HelpURL = "Baixe o aplicativo Play e entre com o seu e-mail.", "https://play.example.com/ajuda"
			return nil
		})
		f.must(err)
	case "suspend", "deactivate", "overdue", "settle", "schedule", "validateSchedule":
		f.activateAna()
		f.do("POST", "/subscribers", joaoSilva)
		if call.OperationID == "settle" {
			f.do("POST", "/provision/overdue", `{"contentSupplierProduct":1,"documents":["`+f.ana+`"]}`).want(200)
			f.confirm(f.ana, true)
		}
	case "listSchedules", "cancelSchedule":
		f.activateAna()
		later := `{"operation":"deactivate","at":"2026-12-01T03:00:00Z","contentSupplierProduct":1,"documents":["` + f.ana + `"]}`
		variables["ID"] = f.do("POST", "/provision/schedule", later).want(200).text("results", 0, "schedule_id")
	case "resendActivationEmailOfProduct", "showActivation", "completeActivation":
		variables["LINK"] = f.offerToAna()
	case "listDeliveries":
		f.do("GET", "/activate/"+f.offerToAna(), "").want(200)
	case "listEvents":
		link := f.offerToAna()
		variables["CURSOR"] = f.do("GET", "/events", "").want(200).text("next_cursor")
		f.do("POST", "/activate/"+link, "").want(200)
	case "reportUsage":
		f.now = time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
		f.activateAna()
		f.advance(16*24*time.Hour - 20*time.Minute)
		f.bearer = f.login(f.access)
	case "importSubscribers", "validateImport":
		f.do("POST", "/subscribers", joaoSilva)
	case "receivePartnerEvent":
		for _, header := range f.sign("m1", call.Request().body, 0) {
			name, value, _ := strings.Cut(header, ": ")
			variables[strings.ToUpper(strings.ReplaceAll(name, "-", "_"))] = value
		}
	}
	variables["BEARER"] = f.bearer
	return variables
}

// normal returns a JSON value without the parts that change each time: times, opaque ids, tokens.
func normal(t testing.TB, text string) any {
	t.Helper()
	text = regexp.MustCompile(`"\d{4}-\d\d-\d\dT[0-9:.]+Z"`).ReplaceAllString(text, `"TIME"`)
	text = regexp.MustCompile(`"(op|ev|sub|job|tok|sch)_[0-9a-z]+"`).ReplaceAllString(text, `"$1"`)
	text = regexp.MustCompile(`("(?:access_)?token"):\s*"[^"]*"`).ReplaceAllString(text, `$1:"TOKEN"`)
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

// effects are the rows that the example of a call adds (+) and removes (-); one that it changes is both.
// No other row differs.
var effects = map[string]string{
	"authenticate":                   "bearer_token +1",
	"completeActivation":             "activation_link +1-1, enabled_interval +1, event +1, operation +1-1, provider +1-1, service +1-1",
	"receivePartnerEvent":            "partner_event +1",
	"showActivation":                 "delivery +1-1",
	"revokeToken":                    "access_token +1-1, event +1, operator_record +1, provider +1-1",
	"rotateToken":                    "access_token +1-1, event +1, operator_record +1, provider +1-1",
	"createToken":                    "access_token +1, event +1, operator_record +1, provider +1-1",
	"cancelSchedule":                 "idempotency_response +1, schedule +1-1",
	"resendActivationEmailOfProduct": "delivery +1, event +1, idempotency_response +1, provider +1-1, service +1-1",
	"schedule":                       "idempotency_response +1, provider +1-1, schedule +1",
	"change":                         "delivery +1, event +1, idempotency_response +1, operation +1, provider +1-1, service +1-1",
	"deactivate":                     "delivery +1, event +1, idempotency_response +1, operation +1, provider +1-1, service +1-1",
	"overdue":                        "delivery +1, event +1, idempotency_response +1, operation +1, provider +1-1, service +1-1",
	"settle":                         "delivery +1, event +2, idempotency_response +1, operation +1, provider +1-1, service +1-1",
	"activate":                       "delivery +1, event +1, idempotency_response +1, operation +1, provider +1-1, service +1",
	"suspend":                        "delivery +1, event +1, idempotency_response +1, operation +1, provider +1-1, service +1-1",
	"importSubscribers":              "delivery +1, event +2, idempotency_response +1, operation +1, provider +1-1, service +1, subscriber +1",
	"resendActivationEmail":          "delivery +1, event +1, idempotency_response +1, provider +1-1, service +1-1",
	"createSubscriber":               "event +1, idempotency_response +1, provider +1-1, subscriber +1",
	"deleteSubscriber":               "event +1, idempotency_response +1, provider +1-1, subscriber -1",
	"updateSubscriber":               "event +1, idempotency_response +1, provider +1-1, subscriber +1-1",
}

// rows returns the rows of each table of a SQLite database.
func (f *fixture) rows() map[string][]string {
	f.t.Helper()
	tables := map[string][]string{}
	for _, table := range f.query(`SELECT name FROM sqlite_schema WHERE type = 'table'`) {
		tables[table] = f.query("SELECT * FROM " + table)
	}
	return tables
}

// changed says how many rows of each table were added and removed.
func changed(before, after map[string][]string) string {
	var all []string
	for _, table := range slices.Sorted(maps.Keys(after)) {
		added, removed := without(after[table], before[table]), without(before[table], after[table])
		if len(added)+len(removed) > 0 {
			all = append(all, strings.NewReplacer("+0", "", "-0", "").Replace(fmt.Sprintf("%s +%d-%d", table, len(added), len(removed))))
		}
	}
	return strings.Join(all, ", ")
}

// without returns the rows that others do not have.
func without(rows, others []string) []string {
	return slices.DeleteFunc(slices.Clone(rows), func(row string) bool { return slices.Contains(others, row) })
}

// quoted matches a command that every shell splits alike and whose variables it replaces.
var quoted = regexp.MustCompile(`^curl (-X [A-Z]+ )?"[^"]*"( \\\n  -[Hd] ("[^"]*"|'[^'$]*')+)*$`)

func TestTheRequestsOfTheDocsGetTheirExampleResponses(t *testing.T) {
	t.Parallel()
	pgtest.Only(t, "sqlite", "the responses are the same")
	d, err := apicheck.Description()
	must(t, err)
	for _, call := range operations(d) {
		t.Run(call.OperationID, func(t *testing.T) {
			f := newParallelFixture(t)
			request, success := call.Request(), call.Success()
			if !quoted.MatchString(request.String()) {
				t.Errorf("a shell reads other words in %s", request)
			}
			f.must(f.m.Grant(t.Context(), f.p.Name, []int{music, inactive, suspendOnly}, false))
			_, f.access = f.createToken(domain.AccessToken{Name: "crm", Scopes: domain.AllScopes, ExpiresAt: f.clock().AddDate(1, 0, 0)})
			f.bearer = f.login(f.access)
			variables := f.prepare(call)
			headers := []string{"Authorization", "Content-Type"} // none but those of the page
			for _, header := range request.headers {
				headers = append(headers, os.Expand(header, func(name string) string { return variables[name] }))
			}
			target, body := f.example(call, variables)
			before := f.rows()
			r := f.do(request.method, target, body, headers...)
			if got := changed(before, f.rows()); got != effects[call.OperationID] {
				t.Errorf("of the database it changed %q, want %q", got, effects[call.OperationID])
			}
			if fmt.Sprint(r.status) != success.Status {
				t.Fatalf("got %d, want %s\n%s\n%s", r.status, success.Status, request, r.body)
			}
			if success.Example == "" {
				return
			}
			want := normal(t, success.Example)
			if diff := cmp.Diff(want, excerpt(want, normal(t, string(r.body)))); diff != "" {
				t.Errorf("the response differs from its example (-example +response):\n%s", diff)
			}
		})
	}
}

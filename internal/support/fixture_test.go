package support_test

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/service/domain"
	"ativa/internal/service/server"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
	"ativa/internal/support"
	"ativa/internal/system/systemtest"
)

// Tests with a database run on each engine.
func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// The products of a fixture: two of one family, one without.
const (
	basic   = 1
	premium = 2
	music   = 3
)

// The subscribers of a fixture.
const (
	ana  = "52998224725"
	joao = "11144477735"
)

// fixture is a server with a real database and a manual partner, and a client of it.
type fixture struct {
	t *testing.T
	m *servicetest.Service
	c *client.Client
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	db, err := store.Open(context.Background(), pgtest.File(t), store.Options{})
	f := &fixture{t: t, m: servicetest.New(db, servicetest.Options{})}
	must(f.t, err)
	t.Cleanup(func() { must(f.t, db.Close()) })
	partner, err := f.m.CreatePartner(t.Context(), domain.Partner{Name: "parceiro", Driver: domain.DriverManual})
	must(f.t, err)
	for _, p := range []domain.Product{
		{ID: basic, Name: "Play Básico", Code: "play-basic", Family: "play"},
		{ID: premium, Name: "Play Premium", Code: "play-premium", Family: "play"},
		{ID: music, Name: "Música", Code: "musica"},
	} {
		p.Active, p.Can, p.Partner = true, domain.CanAll, partner.ID
		must(f.t, f.m.CreateProduct(t.Context(), p))
	}
	_, access, err := f.m.CreateProvider(t.Context(), domain.Provider{Name: "Azul", Limit: 10, AllProducts: true})
	must(f.t, err)
	bearer, err := f.m.Authenticate(t.Context(), access)
	must(f.t, err)
	f.c = newClient(t, server.New(f.m.Parts(), server.Options{}), bearer.Token)
	f.register("Ana Souza", ana, "+5511987654321")
	f.register("João Silva", joao, "+5511987654321")
	return f
}

func newClient(t *testing.T, h http.Handler, bearer string) *client.Client {
	t.Helper()
	return apitest.Serve(t, h, client.Options{Tokens: apitest.Token(bearer), Retry: apitest.Once()})
}

func (f *fixture) register(name, document, phone string) {
	f.t.Helper()
	_, err := f.c.CreateSubscriber(f.t.Context(), api.SubscriberCreate{Name: name, Email: "a@example.com.br", Document: document, Phone: phone}, "")
	must(f.t, err)
}

// overview reads the current state of a document.
func (f *fixture) overview(document string) *support.Overview {
	f.t.Helper()
	k, err := support.ReadCatalog(f.t.Context(), f.c)
	must(f.t, err)
	o, err := support.ReadOverview(f.t.Context(), f.c, k, document, time.Now())
	must(f.t, err)
	return o
}

// after returns the overview of Ana after steps, see apply.
func after(t *testing.T, path string) *support.Overview {
	t.Helper()
	f := newFixture(t)
	f.apply(strings.Fields(path)...)
	return f.overview(ana)
}

// operations returns the operations that are offered for a service.
func operations(o *support.Overview, i int) (all []api.Operation) {
	for _, step := range o.Steps(i) {
		all = append(all, step.Operation)
	}
	return all
}

// resolve lets the partner confirm pending operations, or fail them with a reason.
func (f *fixture) resolve(failure string) {
	f.t.Helper()
	all, err := f.m.ListOperations(f.t.Context(), domain.OperationFilter{States: []domain.OperationState{domain.OperationWaiting}})
	must(f.t, err)
	for _, o := range all {
		must(f.t, f.m.Resolve(f.t.Context(), o.ID, failure == "", failure))
	}
}

// apply applies steps to Ana's service: an action, "ok" for the partner's confirmation, "broken" for
// a failure with that reason, "full" for a provider without a free place.
func (f *fixture) apply(steps ...string) {
	f.t.Helper()
	for _, step := range steps {
		switch step {
		case "ok":
			f.resolve("")
		case "full": // the provider has reached its limit
			_, err := f.m.SetLimit(f.t.Context(), "Azul", 0)
			must(f.t, err)
		case "broken":
			f.resolve(step)
		default:
			o, err := support.Perform(f.t.Context(), f.c, support.Step{Operation: api.Operation(step), Document: ana, Product: api.Product{ID: basic}, To: api.Product{ID: premium}})
			if must(f.t, err); o.Result.Result == api.ResultFailed {
				f.t.Fatalf("%s: %+v", step, o.Result)
			}
		}
	}
}

// wantWords checks a message in both languages.
func wantWords(t *testing.T, m lang.Message, english, portuguese string) {
	t.Helper()
	if got := m.String(); got != english {
		t.Errorf("got %q, want %q", got, english)
	}
	if got := m.Text(lang.Portuguese); got != portuguese {
		t.Errorf("got %q, want %q", got, portuguese)
	}
}

var must = systemtest.Must

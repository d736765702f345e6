package desk

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"slices"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/support"
)

const (
	basic       = api.Int(1)
	music       = api.Int(2)
	premium     = api.Int(3)
	anaDocument = "52998224725"
)

// fakeServer is a server in memory. It records the calls of the desk, delays and refuses them.
type fakeServer struct {
	*service
	*apitest.Server
	events     []api.Event
	deliveries []api.Delivery
	scheduled  []api.Schedule
	sent       []string // changes, in words
	performed  []support.Step
	asked      []string    // terms
	reads      []string    // documents of cards
	cursors    []string    // of the feed
	happened   chan string // documents with events
	gone       error       // of every call; nil for none
	find       func(ctx context.Context, term string) ([]api.Subscriber, error)
	changes    func(ctx context.Context, cursor string) (changes, error)
	// What a read, a change of a service, a form, and the catalog wait for, and why they fail.
	read, act, save, offer func(ctx context.Context) error
}

// begin records a call and returns why it fails, nil for not at all.
func (f *fakeServer) begin(ctx context.Context, all *[]string, one string, outcome func(context.Context) error) error {
	f.Lock()
	*all = append(*all, one)
	f.Unlock()
	if outcome != nil {
		if err := outcome(ctx); err != nil {
			return err
		}
	}
	f.Lock()
	defer f.Unlock()
	return f.gone
}

func (f *fakeServer) Find(ctx context.Context, term string) ([]api.Subscriber, error) {
	if err := f.begin(ctx, &f.asked, term, nil); err != nil {
		return nil, err
	}
	return f.find(ctx, term)
}

func (f *fakeServer) Read(ctx context.Context, document string) (*record, error) {
	if err := f.begin(ctx, &f.reads, document, f.read); err != nil {
		return nil, err
	}
	return f.service.Read(ctx, document)
}

func (f *fakeServer) Perform(ctx context.Context, s support.Step) (support.Outcome, error) {
	change := fmt.Sprintf("%s %s of %s", s.Operation, s.Product.Name, f.Subscribers[s.Document].Name)
	if s.To.ID != 0 {
		change += " to " + s.To.Name
	}
	if !s.Until.IsZero() {
		change += " until " + s.Until.In(brt).Format(time.DateOnly)
	}
	f.performed = append(f.performed, s)
	if err := f.begin(ctx, &f.sent, change, f.act); err != nil {
		return support.Outcome{Step: s}, err
	}
	return f.service.Perform(ctx, s)
}

func (f *fakeServer) Update(ctx context.Context, document string, u api.SubscriberUpdate) error {
	change := "correct " + f.Subscribers[document].Name + ":"
	for _, field := range []api.Optional[string]{u.Name, u.Email, u.Phone, u.CustomerPlan} {
		if field.Set {
			change += " " + field.Value
		}
	}
	if err := f.begin(ctx, &f.sent, change, f.save); err != nil {
		return err
	}
	return f.service.Update(ctx, document, u)
}

func (f *fakeServer) Register(ctx context.Context, n api.SubscriberCreate) error {
	change := fmt.Sprint("register ", n.Name, " ", n.Document, " ", n.Email, " ", n.Phone, " ", n.CustomerPlan, " ", n.InternetSpeedID.Value)
	if err := f.begin(ctx, &f.sent, change, f.save); err != nil {
		return err
	}
	return f.service.Register(ctx, n)
}

// setService changes Ana's Play Basic; the desk has not read it yet.
func (f *fakeServer) setService(change func(*api.Service)) {
	change(&f.Subscribers[anaDocument].Services[1])
}

func (f *fakeServer) Catalog(ctx context.Context) (*support.Catalog, error) {
	var calls []string
	if err := f.begin(ctx, &calls, "", f.offer); err != nil {
		return nil, err
	}
	return f.service.Catalog(ctx)
}

func (f *fakeServer) Changes(ctx context.Context, cursor string) (c changes, err error) {
	err = f.begin(ctx, &f.cursors, cursor, func(ctx context.Context) (err error) {
		c, err = f.changes(ctx, cursor)
		return err
	})
	return c, err
}

// feed names the documents of happened.
func (f *fakeServer) feed(ctx context.Context, cursor string) (changes, error) {
	if cursor == "" {
		return changes{cursor: "1"}, nil
	}
	select {
	case document := <-f.happened:
		return changes{documents: []string{document}, cursor: cursor + "1"}, nil
	case <-ctx.Done():
		return changes{}, ctx.Err()
	}
}

var brt = time.FixedZone("BRT", -3*3600)

func at(s string) api.Time {
	t, err := time.ParseInLocation("2006-01-02 15:04", s, brt)
	if err != nil {
		panic(err)
	}
	return api.At(t)
}

// newFakeServer returns a server with three subscribers; it is called inside a bubble.
func newFakeServer(t *testing.T) *fakeServer {
	t.Helper()
	f := &fakeServer{Server: apitest.New(api.Extensions), happened: make(chan string, 4)}
	f.changes = f.feed
	f.Products = []api.Product{
		apitest.Product(basic, "Play Basic", "play-basic"),
		apitest.Product(music, "Música", "musica"),
		apitest.Product(premium, "Play Premium", "play-premium"),
	}
	f.Become["activate"] = api.Status{ID: api.StatusReactivated, Name: "reactivated"}
	f.service = &service{
		client: apitest.ServeInBubble(t, f.Server, client.Options{}), clock: time.Now,
		catalog: &support.Catalog{
			History: true, Deliveries: true, Overdue: true, Validates: true, ResendProduct: true, Products: f.Products,
		},
	}
	f.find = f.service.Find
	f.Answer = func(w http.ResponseWriter, r apitest.Request) bool {
		if !slices.Contains([]string{"history", "deliveries", "schedule"}, path.Base(r.Path)) {
			return false
		}
		_, _ = w.Write(cli.ToJSON(map[string]any{"history": f.events, "deliveries": f.deliveries, "schedules": f.scheduled}))
		return true
	}
	f.addSubscribers()
	return f
}

func (f *fakeServer) addSubscribers() {
	service := func(id api.Int, status, since string) api.Service {
		s := f.Service(id, status)
		s.TokenCreatedAt, s.StatusUpdatedAt = at("2026-11-01 09:00"), at(since)
		return s
	}
	*f.Add(anaDocument) = api.Subscriber{Name: "Ana Souza", Email: "ana@example.com", Document: anaDocument, Phone: "+5511987654321", CustomerPlan: "Fibra 500",
		CreatedAt: at("2026-11-01 09:00"), Services: []api.Service{
			service(premium, "canceled", "2026-11-10 14:00"),
			service(basic, "active", "2026-11-20 10:02"),
			service(music, "inProgress", "2026-11-22 09:12"),
		}}
	*f.Add("11144477735") = api.Subscriber{Name: "Bruno Ávila Nascimento", Email: "bruno@example.com", Document: "111.444.777-35", Phone: "+551133334444",
		CreatedAt: at("2026-11-21 18:40"), Services: []api.Service{}}
	*f.Add("39053344705") = api.Subscriber{Name: "王小明 Lima", Email: "wang@example.com", Document: "39053344705", Phone: "+5511912345678", CustomerPlan: "Fibra 1 Giga",
		CreatedAt: at("2026-11-16 08:00"), Services: []api.Service{service(basic, "waitingSuspension", "2026-11-22 08:00")}}
	f.deliveries = []api.Delivery{
		{ID: "2", Kind: api.DeliveryEmail, ProductID: music, State: api.DeliverySent, RequestedAt: at("2026-11-22 09:12"), OpenedAt: at("2026-11-22 09:40")},
		{ID: "1", Kind: api.DeliveryEmail, ProductID: basic, State: api.DeliveryFailed, RequestedAt: at("2026-11-20 10:00"), Error: "mailbox full"},
	}
	before := "reactivated"
	f.events = []api.Event{
		{ID: "1", Type: api.EventSubscriberCreated, OccurredAt: at("2026-11-01 09:00"), Trigger: "import", Actor: api.ActorProvider},
		{ID: "3", Type: api.EventStatusChanged, OccurredAt: at("2026-11-20 10:02"), Trigger: "confirmed", Actor: api.ActorPartner,
			ProductID: basic, StatusChange: &api.StatusChange{PreviousStatus: &before, Status: "active", StatusID: api.StatusActive}},
		{ID: "2", Type: api.EventStatusChanged, OccurredAt: at("2026-11-22 09:12"), Trigger: "activate", Actor: api.ActorProvider,
			ProductID: music, StatusChange: &api.StatusChange{Status: "inProgress", StatusID: api.StatusInProgress}},
	}
}

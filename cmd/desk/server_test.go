package desk

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"ativa/internal/api"
	"ativa/internal/lifecycle"
	"ativa/internal/support"
)

const (
	basic       = api.Int(1)
	music       = api.Int(2)
	premium     = api.Int(3)
	anaDocument = "52998224725"
)

// fakeServer answers from memory and records requests.
type fakeServer struct {
	mu         sync.Mutex                // not held by the functions
	people     map[string]api.Subscriber // by document
	catalog    support.Catalog
	events     []api.Event
	deliveries []api.Delivery
	scheduled  []api.Schedule
	sent       []string // changes, in words
	asked      []string // terms
	reads      []string // documents of cards
	cursors    []string // of the feed
	happened   chan string
	gone       error // of every call; nil for none
	find       func(ctx context.Context, term string) ([]api.Subscriber, error)
	changes    func(ctx context.Context, cursor string) (changes, error)
	// What a read, a change of a service, a form, and the catalog wait for, and why they fail.
	read, act, save, offer func(ctx context.Context) error
}

// begin records a request and returns why it fails, nil for not at all.
func (f *fakeServer) begin(ctx context.Context, all *[]string, one string, outcome func(context.Context) error) error {
	f.mu.Lock()
	*all = append(*all, one)
	f.mu.Unlock()
	if outcome != nil {
		if err := outcome(ctx); err != nil {
			return err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.gone
}

func (f *fakeServer) Find(ctx context.Context, term string) ([]api.Subscriber, error) {
	err := f.begin(ctx, &f.asked, term, nil)
	if f.find != nil {
		return f.find(ctx, term)
	}
	var found []api.Subscriber
	for _, d := range []string{anaDocument, "11144477735", "39053344705"} {
		if s := f.person(d); strings.Contains(strings.ToLower(s.Name+s.Phone), strings.ToLower(term)) {
			found = append(found, s)
		}
	}
	return found, err
}

func (f *fakeServer) Read(ctx context.Context, document string) (*record, error) {
	if err := f.begin(ctx, &f.reads, document, f.read); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	o := &support.Overview{Catalog: &f.catalog, Subscriber: f.people[document], Document: document, Events: f.events, Sent: slices.Clone(f.deliveries), Scheduled: slices.Clone(f.scheduled), Now: time.Now()}
	return &record{Overview: o, explanations: o.Explain()}, nil
}

func (f *fakeServer) Perform(ctx context.Context, s support.Step) (support.Outcome, error) {
	change := fmt.Sprintf("%s %s of %s", s.Operation, s.Product.Name, f.person(s.Document).Name)
	if s.To.ID != 0 {
		change += " to " + s.To.Name
	}
	if !s.Until.IsZero() {
		change += " until " + s.Until.In(brt).Format(time.DateOnly)
	}
	if err := f.begin(ctx, &f.sent, change, f.act); err != nil {
		return support.Outcome{Step: s}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	after, known := map[api.Operation]api.Status{
		api.Activate: {ID: api.StatusReactivated, Name: "reactivated"}, api.Settle: {ID: api.StatusReactivated, Name: "reactivated"},
		api.Suspend:    {ID: api.StatusWaitingSuspension, Name: "waitingSuspension"},
		api.Overdue:    {ID: api.StatusWaitingSuspensionDueToOverdue, Name: "waitingSuspensionDueToOverdue"},
		api.Deactivate: {ID: api.StatusWaitingCancellation, Name: "waitingCancellation"},
	}[s.Operation]
	person := f.people[s.Document]
	person.Services = slices.Clone(person.Services)
	for i, service := range person.Services {
		if known && service.ProductID == s.Product.ID && !lifecycle.Ended(service.StatusID) {
			person.Services[i].Status, person.Services[i].StatusID = after.Name, after.ID
		}
	}
	f.people[s.Document] = person
	result := api.BatchResult{Document: s.Document, Result: api.ResultAccepted}
	if known {
		result.Status, result.StatusID = &after.Name, &after.ID
	}
	return support.Outcome{Step: s, Result: result}, nil
}

func (f *fakeServer) Update(ctx context.Context, document string, u api.SubscriberUpdate) error {
	s := f.person(document)
	change := "correct " + s.Name + ":"
	for _, field := range []struct {
		to   *string
		from api.Optional[string]
	}{{&s.Name, u.Name}, {&s.Email, u.Email}, {&s.Phone, u.Phone}, {&s.CustomerPlan, u.CustomerPlan}} {
		if field.from.Set {
			*field.to = field.from.Value
			change += " " + field.from.Value
		}
	}
	return f.keep(ctx, change, document, s)
}

func (f *fakeServer) Register(ctx context.Context, n api.SubscriberCreate) error {
	s := api.Subscriber{Name: n.Name, Document: n.Document, Email: n.Email, Phone: n.Phone, CustomerPlan: n.CustomerPlan}
	change := fmt.Sprint("register ", n.Name, " ", n.Document, " ", n.Email, " ", n.Phone, " ", n.CustomerPlan, " ", n.InternetSpeedID.Value)
	return f.keep(ctx, change, n.Document, s)
}

// keep stores a subscriber unless save refuses the change.
func (f *fakeServer) keep(ctx context.Context, change, document string, s api.Subscriber) error {
	if err := f.begin(ctx, &f.sent, change, f.save); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.people[document] = s
	return nil
}

func (f *fakeServer) person(document string) api.Subscriber {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.people[document]
}

// setService changes Ana's Play Basic; the desk has not read it yet.
func (f *fakeServer) setService(change func(*api.Service)) {
	ana := f.people[anaDocument]
	ana.Services = slices.Clone(ana.Services)
	change(&ana.Services[1])
	f.people[anaDocument] = ana
}

func (f *fakeServer) Catalog(ctx context.Context) (*support.Catalog, error) {
	var calls []string
	if err := f.begin(ctx, &calls, "", f.offer); err != nil {
		return nil, err
	}
	return &f.catalog, nil
}

func (f *fakeServer) Changes(ctx context.Context, cursor string) (changes, error) {
	var c changes
	err := f.begin(ctx, &f.cursors, cursor, func(ctx context.Context) (err error) {
		switch {
		case f.changes == nil && cursor == "":
			c.cursor = "1"
			return nil
		case f.changes == nil:
			<-ctx.Done()
			return ctx.Err()
		}
		c, err = f.changes(ctx, cursor)
		return err
	})
	return c, err
}

var brt = time.FixedZone("BRT", -3*3600)

func at(s string) api.Time {
	t, err := time.ParseInLocation("2006-01-02 15:04", s, brt)
	if err != nil {
		panic(err)
	}
	return api.At(t)
}

func newFakeServer() *fakeServer {
	all := []string{api.CanActivate, api.CanReactivate, api.CanChangeTo, api.CanChangeFrom, api.CanSuspend, api.CanDeactivate}
	service := func(id api.Int, name, code, status string, statusID api.Int, since string) api.Service {
		return api.Service{ProductID: id, ProductName: name, ProductCode: code, Status: status, StatusID: statusID,
			TokenCreatedAt: at("2026-11-01 09:00"), StatusUpdatedAt: at(since)}
	}
	before := "reactivated"
	return &fakeServer{
		catalog: support.Catalog{History: true, Deliveries: true, Overdue: true, Validates: true, ResendProduct: true, Products: []api.Product{
			{ID: basic, Name: "Play Basic", Code: "play-basic", Active: true, Can: all},
			{ID: music, Name: "Música", Code: "musica", Active: true, Can: all},
			{ID: premium, Name: "Play Premium", Code: "play-premium", Active: true, Can: all},
		}},
		people: map[string]api.Subscriber{
			anaDocument: {Name: "Ana Souza", Email: "ana@example.com", Document: anaDocument, Phone: "+5511987654321", CustomerPlan: "Fibra 500",
				CreatedAt: at("2026-11-01 09:00"), Services: []api.Service{
					service(premium, "Play Premium", "play-premium", "canceled", api.StatusCanceled, "2026-11-10 14:00"),
					service(basic, "Play Basic", "play-basic", "active", api.StatusActive, "2026-11-20 10:02"),
					service(music, "Música", "musica", "inProgress", api.StatusInProgress, "2026-11-22 09:12"),
				}},
			"11144477735": {Name: "Bruno Ávila Nascimento", Email: "bruno@example.com", Document: "111.444.777-35", Phone: "+551133334444",
				CreatedAt: at("2026-11-21 18:40"), Services: []api.Service{}},
			"39053344705": {Name: "王小明 Lima", Email: "wang@example.com", Document: "39053344705", Phone: "+5511912345678", CustomerPlan: "Fibra 1 Giga",
				CreatedAt: at("2026-11-16 08:00"), Services: []api.Service{
					service(basic, "Play Basic", "play-basic", "waitingSuspension", api.StatusWaitingSuspension, "2026-11-22 08:00"),
				}},
		},
		deliveries: []api.Delivery{
			{ID: "2", Kind: api.DeliveryEmail, ProductID: music, State: api.DeliverySent, RequestedAt: at("2026-11-22 09:12"), OpenedAt: at("2026-11-22 09:40")},
			{ID: "1", Kind: api.DeliveryEmail, ProductID: basic, State: api.DeliveryFailed, RequestedAt: at("2026-11-20 10:00"), Error: "mailbox full"},
		},
		events: []api.Event{
			{ID: "1", Type: api.EventSubscriberCreated, OccurredAt: at("2026-11-01 09:00"), Trigger: "import", Actor: api.ActorProvider},
			{ID: "3", Type: api.EventStatusChanged, OccurredAt: at("2026-11-20 10:02"), Trigger: "confirmed", Actor: api.ActorPartner,
				ProductID: basic, StatusChange: &api.StatusChange{PreviousStatus: &before, Status: "active", StatusID: api.StatusActive}},
			{ID: "2", Type: api.EventStatusChanged, OccurredAt: at("2026-11-22 09:12"), Trigger: "activate", Actor: api.ActorProvider,
				ProductID: music, StatusChange: &api.StatusChange{Status: "inProgress", StatusID: api.StatusInProgress}},
		},
	}
}

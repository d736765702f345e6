package desk

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ativa/internal/api"
	"ativa/internal/lang"
	"ativa/internal/lifecycle"
	"ativa/internal/support"
)

var update = flag.Bool("update", false, "rewrite the screens in testdata")

const (
	basic   = api.Int(1)
	music   = api.Int(2)
	premium = api.Int(3)
)

// fakeServer answers from memory and records requests.
type fakeServer struct {
	mu         sync.Mutex                // not held by the functions
	people     map[string]api.Subscriber // by document
	catalog    support.Catalog
	events     []api.Event
	deliveries []api.Delivery
	scheduled  []api.Schedule
	performed  []support.Step
	updated    []api.SubscriberUpdate
	registered []api.SubscriberCreate
	asked      []string // terms
	reads      int      // of a card
	find       func(ctx context.Context, term string) ([]api.Subscriber, error)
	changes    func(ctx context.Context, cursor string) (changes, error)
	read       func(ctx context.Context) error
	act        func(ctx context.Context, s support.Step) error
	save       func(ctx context.Context) error
}

func (f *fakeServer) Find(ctx context.Context, term string) ([]api.Subscriber, error) {
	f.mu.Lock()
	f.asked = append(f.asked, term)
	f.mu.Unlock()
	if f.find != nil {
		return f.find(ctx, term)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var found []api.Subscriber
	for _, d := range []string{"52998224725", "11144477735", "39053344705"} {
		if s, ok := f.people[d]; ok && strings.Contains(strings.ToLower(s.Name+s.Phone), strings.ToLower(term)) {
			found = append(found, s)
		}
	}
	return found, nil
}

func (f *fakeServer) Read(ctx context.Context, document string) (*record, error) {
	f.mu.Lock()
	f.reads++
	f.mu.Unlock()
	if f.read != nil {
		if err := f.read(ctx); err != nil {
			return nil, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	o := &support.Overview{Catalog: &f.catalog, Subscriber: f.people[document], Document: document, Events: f.events, Sent: slices.Clone(f.deliveries), Scheduled: slices.Clone(f.scheduled), Now: time.Now()}
	return &record{Overview: o, explanations: o.Explain()}, nil
}

func (f *fakeServer) Perform(ctx context.Context, s support.Step) (support.Outcome, error) {
	f.mu.Lock()
	f.performed = append(f.performed, s)
	f.mu.Unlock()
	if f.act != nil {
		if err := f.act(ctx, s); err != nil {
			return support.Outcome{Step: s}, err
		}
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
	f.mu.Lock()
	f.updated = append(f.updated, u)
	f.mu.Unlock()
	if f.save != nil {
		if err := f.save(ctx); err != nil {
			return err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.people[document]
	for _, field := range []struct {
		to   *string
		from api.Optional[string]
	}{{&s.Name, u.Name}, {&s.Email, u.Email}, {&s.Phone, u.Phone}, {&s.CustomerPlan, u.CustomerPlan}} {
		if field.from.Set {
			*field.to = field.from.Value
		}
	}
	f.people[document] = s
	return nil
}

func (f *fakeServer) Register(ctx context.Context, n api.SubscriberCreate) error {
	f.mu.Lock()
	f.registered = append(f.registered, n)
	f.mu.Unlock()
	if f.save != nil {
		if err := f.save(ctx); err != nil {
			return err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.people[n.Document] = api.Subscriber{Name: n.Name, Document: n.Document, Email: n.Email, Phone: n.Phone, CustomerPlan: n.CustomerPlan}
	return nil
}

func (f *fakeServer) Catalog(context.Context) (*support.Catalog, error) { return &f.catalog, nil }

func (f *fakeServer) Changes(ctx context.Context, cursor string) (changes, error) {
	if f.changes != nil {
		return f.changes(ctx, cursor)
	}
	<-ctx.Done()
	return changes{}, ctx.Err()
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
			"52998224725": {Name: "Ana Souza", Email: "ana@example.com", Document: "52998224725", Phone: "+5511987654321", CustomerPlan: "Fibra 500",
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

// testDesk runs a model like the library, in a synctest bubble.
type testDesk struct {
	t        *testing.T
	m        *model
	server   *fakeServer
	messages chan tea.Msg
	quit     bool
}

func newTestDesk(t *testing.T, s *fakeServer, o options) *testDesk {
	x := newTestDeskOn(t, s, o)
	x.server = s
	return x
}

// newTestDeskOn runs a model on any server.
func newTestDeskOn(t *testing.T, s server, o options) *testDesk {
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	begin, start := time.Now(), at("2026-11-22 10:30").In(brt)
	o.clock = func() time.Time { return start.Add(time.Since(begin)) }
	if o.context == "" {
		o.context = "ensaio"
	}
	x := &testDesk{t: t, m: newModel(ctx, o, s), messages: make(chan tea.Msg, 1000)}
	t.Cleanup(func() { stop(); time.Sleep(time.Hour) }) // ends pending waits
	x.run(x.m.Init())
	x.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	return x
}

// run starts a command and queues its message.
func (x *testDesk) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		switch message := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			for _, c := range message {
				x.run(c)
			}
		default:
			x.messages <- message
		}
	}()
}

// send passes a message and its immediate consequences to the model.
func (x *testDesk) send(message tea.Msg) {
	x.t.Helper()
	x.handle(message)
	x.settle()
}

func (x *testDesk) handle(message tea.Msg) {
	if _, quits := message.(tea.QuitMsg); quits {
		x.quit = true
		return
	}
	_, cmd := x.m.Update(message)
	x.run(cmd)
}

func (x *testDesk) settle() {
	for {
		synctest.Wait()
		select {
		case message := <-x.messages:
			x.handle(message)
		default:
			return
		}
	}
}

// pass advances the time.
func (x *testDesk) pass(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		time.Sleep(min(50*time.Millisecond, time.Until(end)))
		x.settle()
	}
}

// keys presses keys: letters, and names in angle brackets such as <enter>.
func (x *testDesk) keys(typed string) {
	x.t.Helper()
	for _, k := range keysOf(typed) {
		x.send(k)
	}
	x.pass(2 * quietTime)
}

// choose chooses an action from the menu of the row in focus.
func (x *testDesk) choose(a api.Operation) {
	x.t.Helper()
	x.keys("<enter>")
	if x.m.prompt == nil {
		x.t.Fatalf("no menu is open:\n%s", x.screen())
	}
	for i, e := range x.m.prompt.entries {
		if e.action == a {
			x.keys(strconv.Itoa(i + 1))
			return
		}
	}
	x.t.Fatalf("%s is not offered:\n%s", a, x.screen())
}

// act chooses an action from the menu and confirms it.
func (x *testDesk) act(a api.Operation) {
	x.t.Helper()
	x.choose(a)
	x.keys("<enter>")
}

func keysOf(typed string) (all []tea.KeyPressMsg) {
	named := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown, "pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace,
		"pgup": tea.KeyPgUp, "home": tea.KeyHome, "end": tea.KeyEnd, "f1": tea.KeyF1, "left": tea.KeyLeft, "delete": tea.KeyDelete, "tab": tea.KeyTab}
	for typed != "" {
		if name, rest, ok := strings.Cut(typed, ">"); ok && strings.HasPrefix(name, "<") {
			if letter, ctrl := strings.CutPrefix(name, "<ctrl+"); ctrl {
				all = append(all, tea.KeyPressMsg{Code: rune(letter[0]), Mod: tea.ModCtrl})
			} else {
				all = append(all, tea.KeyPressMsg{Code: named[name[1:]]})
			}
			typed = rest
			continue
		}
		r := []rune(typed)[0]
		all = append(all, tea.KeyPressMsg{Code: r, Text: string(r)})
		typed = strings.TrimPrefix(typed, string(r))
	}
	return all
}

// screen returns the screen without colours, and checks its size.
func (x *testDesk) screen() string {
	x.t.Helper()
	shown := ansi.Strip(x.m.View().Content)
	lines := strings.Split(shown, "\n")
	if len(lines) != x.m.height {
		x.t.Errorf("the screen has %d lines, want %d:\n%s", len(lines), x.m.height, shown)
	}
	for i, l := range lines {
		if w := ansi.StringWidthWc(l); w > x.m.width {
			x.t.Errorf("line %d takes %d cells, want at most %d: %q", i, w, x.m.width, l)
		}
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

func (x *testDesk) wants(texts ...string) {
	x.t.Helper()
	got := strings.Join(strings.Fields(x.screen()), " ")
	for _, want := range texts {
		if !strings.Contains(got, want) {
			x.t.Errorf("the screen lacks %q:\n%s", want, x.screen())
		}
	}
}

func (x *testDesk) lacks(texts ...string) {
	x.t.Helper()
	for _, unwanted := range texts {
		if strings.Contains(strings.Join(strings.Fields(x.screen()), " "), unwanted) {
			x.t.Errorf("the screen has %q:\n%s", unwanted, x.screen())
		}
	}
}

// on runs a test on a testDesk.
func on(t *testing.T, o options, test func(x *testDesk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(newTestDesk(t, newFakeServer(), o)) })
}

// Screens equal the files in testdata, at the smallest size in Portuguese, whose words are
// longer, and at a large one in English. [testDesk.screen] checks that they fit.
func TestScreens(t *testing.T) {
	for _, size := range []struct{ width, height int }{{60, 20}, {80, 24}, {120, 40}} {
		for l, kept := range map[lang.Language]int{lang.Portuguese: 60, lang.English: 120} {
			name := fmt.Sprintf("%dx%d.%s", size.width, size.height, map[lang.Language]string{lang.Portuguese: "pt", lang.English: "en"}[l])
			t.Run(name, func(t *testing.T) {
				on(t, options{lang: l, colours: true}, func(x *testDesk) {
					x.send(tea.WindowSizeMsg{Width: size.width, Height: size.height})
					got := scenes(x)
					if size.width == kept {
						compareScreens(t, filepath.Join("testdata", name+".txt"), got)
					}
				})
			})
		}
	}
}

// scenes shows the screens of a search, a card, its menu and its forms, one after the other.
func scenes(x *testDesk) string {
	var got strings.Builder
	for _, scene := range []struct{ title, keys string }{
		{"nothing typed", ""}, {"a search", "a"}, {"its results", "<backspace>" + "so"}, {"the card", "<enter>"},
		{"the end of the card", "<pgdown>"}, {"the next service", "<down>"}, {"another product", "<down><down><enter>"},
		{"the menu", "<esc><up><up><up><enter>"}, {"a confirmation", "1"}, {"a cancellation", "<esc><enter>8"}, {"a message", "<esc><enter>5"}, {"a form", "<esc><enter>7"}, {"a wrong field", "<tab><ctrl+u>ana@<tab>"}, {"help", "<esc><f1>"}, {"nobody", "<esc><esc><ctrl+u>zz"}, {"a new subscriber", "<enter>"}, {"no services", "<esc><ctrl+u>bruno<enter>"},
		{"wide characters", "<esc><ctrl+u>lima<enter>"},
	} {
		x.keys(scene.keys)
		got.WriteString("== " + scene.title + ": " + scene.keys + "\n" + x.screen() + "\n")
	}
	return got.String()
}

func compareScreens(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		must(t, os.WriteFile(path, []byte(got), 0o600))
		return
	}
	want, err := os.ReadFile(path)
	must(t, err)
	if got != string(want) {
		t.Errorf("the screens differ from %s (-update rewrites it); got:\n%s", path, got)
	}
}

// must ends the test if there is an error.
func must(t interface {
	Helper()
	Fatal(args ...any)
}, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

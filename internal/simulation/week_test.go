package simulation_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

const (
	confirmWithin = 2 * time.Hour // before a partner is asked again
	day           = 24 * time.Hour
	lastDays      = 14 // after the faults, until everything must have ended
)

// week is one simulated week: all processes, and the data to check them.
type week struct {
	t       *testing.T
	chance  *chance
	faults  *faults
	network *network
	peers   *peers
	path    string     // of the database
	opened  sync.Mutex // guards db while it is opened again
	db      *store.DB
	servers map[string]*instance
	began   time.Time
	kills   int
	jumps   int

	meetings meetings

	providers []*provider

	running sync.WaitGroup // background goroutines
	ended   chan struct{}

	mu       sync.Mutex
	offset   time.Duration // of the wall clocks from the bubble's clock, which timers follow
	entries  []entry
	violated map[string]string // failures by invariant
	bearers  map[string]*provider
	secrets  map[string]string // descriptions by secret
	used     map[string]bool   // links
	logged   logs              // by servers
	printed  logs              // by commands
	refused  map[string]bool   // operations that the operator could not end
	claims   map[domain.DeliveryID]int
	last     rules.Tx // the transaction of the last write
	shared   int      // writes in the transaction of the one before
	days     int
}

// logs are the output of servers and commands.
type logs struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logs) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// provider is one tenant, with the person who types its commands.
type provider struct {
	w                    *week
	id                   domain.ProviderID
	name                 string
	limit                int
	raised               []domain.EventID // the last event before each raise of the limit
	token                string
	callback, feedSecret []byte
	home                 string
	dead                 context.CancelFunc // kills the command under way
	rows                 map[string][]int   // products of the imported rows, by document
	touched              map[string]bool    // documents used by other commands
	deleted              map[string]bool
	order                []string // documents as they were imported

	acknowledged map[string]bool // documents that a server acknowledged
	operations   map[string]bool // operations that a server acknowledged
	typed        map[string]int  // commands by document and word
	reports      []report
	all          map[string]domain.SubscriberServices // at the end, by document
	events       []domain.Event
	batches      map[string]int // size of the feed's batches, by id
	fed          []domain.EventID
	forwarded    []domain.EventID   // by the last command
	forwards     [][]domain.EventID // by those that succeeded
}

func newWeek(t *testing.T, seed uint64, days int, fault string) *week {
	w := &week{t: t, chance: newChance(seed), servers: map[string]*instance{}, began: time.Now(), ended: make(chan struct{}),
		violated: map[string]string{}, bearers: map[string]*provider{}, secrets: map[string]string{}, used: map[string]bool{}, refused: map[string]bool{}, claims: map[domain.DeliveryID]int{}, days: days}
	w.faults = &faults{w: w, name: fault}
	w.network = newNetwork(w.chance, w.note)
	w.network.routes[serviceAddress] = []string{"server A:80", "server B:80"}
	w.peers = newPeers(w)
	w.path = strings.TrimPrefix(pgtest.File(t), "sqlite:")
	w.open()
	w.setUp()
	return w
}

// setUp runs the operator's initial commands.
func (w *week) setUp() {
	ctx := context.Background()
	m := servicetest.New(w.db, servicetest.Options{Clock: w.now})
	partner, err := m.CreatePartner(ctx, domain.Partner{Name: "parceiro", Driver: domain.DriverHTTP, URL: "http://partner.example/requests"})
	w.must(err)
	manual, err := m.CreatePartner(ctx, domain.Partner{Name: "manual", Driver: domain.DriverManual})
	w.must(err)
	w.peers.secret = partner.Secret
	w.secrets[string(partner.Secret)] = "the partner's secret"
	for i, family := range []string{"play", "play", "", ""} {
		by := partner.ID
		if i == 3 {
			by = manual.ID
		}
		w.must(m.CreateProduct(ctx, domain.Product{ID: i + 1, Name: fmt.Sprint("Produto ", i+1), Code: fmt.Sprint("p", i+1), Family: family,
			Active: true, Can: domain.CanAll, Partner: by}))
	}
	for i, name := range []string{"azul", "verde"} {
		p := &provider{w: w, name: name, limit: []int{5 + w.chance.below("limit", 15), 100_000}[i], home: w.t.TempDir(), dead: func() {},
			rows: map[string][]int{}, touched: map[string]bool{}, deleted: map[string]bool{}, acknowledged: map[string]bool{}, operations: map[string]bool{}, typed: map[string]int{}, batches: map[string]int{}}
		made, token, err := m.CreateProvider(ctx, domain.Provider{Name: name, Limit: p.limit, AllProducts: true})
		w.must(err)
		p.id, p.token = made.ID, token
		w.secrets[token] = "an access token"
		callback, err := m.SetCallback(ctx, name, "http://"+name+".example/callback", true)
		w.must(err)
		feed, err := m.SetFeedCallback(ctx, name, "http://"+name+".example/feed", true, true)
		w.must(err)
		p.callback, p.feedSecret = callback.Secret, feed.Secret
		w.providers = append(w.providers, p)
	}
}

func (w *week) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Errorf("%s: %v", w.stamp(), err)
		panic(err)
	}
}

// now returns the time of the wall clocks.
func (w *week) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Add(w.offset)
}

// jump moves all wall clocks, as after a suspended machine or a wrong setting.
func (w *week) jump(d time.Duration) {
	w.note("clocks", "jump by %s", d.Round(time.Second))
	w.mu.Lock()
	w.offset += d
	w.jumps++
	w.mu.Unlock()
}

func (w *week) stamp() string {
	d := time.Since(w.began)
	return fmt.Sprintf("day %d %s", 1+d/day, time.Time{}.Add(d%day).Format("15:04:05.000000000"))
}

// note adds an entry to the trace.
func (w *week) note(who, what string, a ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.entries = append(w.entries, entry{time.Since(w.began), w.stamp() + " " + who + ": " + fmt.Sprintf(what, a...)})
}

// entry is an entry of the trace.
type entry struct {
	at   time.Duration
	text string
}

// trace returns the trace. Entries of one instant have no order.
func (w *week) trace() (all []string) {
	slices.SortStableFunc(w.entries, func(a, b entry) int { return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.text, b.text)) })
	for _, e := range w.entries {
		all = append(all, e.text)
	}
	return all
}

// broken records a broken invariant. The first of each counts.
func (w *week) broken(invariant, what string, a ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.brokenLocked(invariant, what, a...)
}

func (w *week) brokenLocked(invariant, what string, a ...any) {
	if w.violated[invariant] == "" {
		w.violated[invariant] = w.stamp() + ": " + fmt.Sprintf(what, a...)
	}
}

func (w *week) keepSecret(secret, what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.secrets[secret] = what
}

func (w *week) countClaim(id domain.DeliveryID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.claims[id]++
}

// isShared reports whether a write is in the transaction of the write before.
func (w *week) isShared(tx rules.Tx) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	shared := w.last == tx
	if w.last = tx; shared {
		w.shared++
	}
	return shared
}

// wait waits. It reports false if the simulation has ended.
func (w *week) wait(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-w.ended:
		return false
	}
}

// repeat does something until it is done, up to some times, with a pause after each.
func (w *week) repeat(times int, pause time.Duration, do func() (done bool)) (done bool) {
	for range times {
		if do() {
			return true
		}
		if !w.wait(pause) {
			return false
		}
	}
	return false
}

// verify checks a signature by the wall clock.
func (w *week) verify(who string, secret, body []byte, h http.Header) {
	hook, err := webhooks.NewWebhookRaw(secret)
	w.must(err)
	if err := hook.VerifyIgnoringTimestamp(body, h); err != nil {
		w.broken(deliveriesMade, "%s got a message that is not signed: %v", who, err)
	}
}

// checkApart checks that a provider's data contains nothing of the other provider. The name of the
// other may stand by chance within a link's secret, but hardly as a word of it.
func (w *week) checkApart(what string, text []byte, p *provider) {
	for _, other := range w.providers {
		if p != nil && other != p && regexp.MustCompile(`\b`+other.name+`\b`).Match(text) {
			w.broken(apart, "%s names %s", what, other.name)
		}
	}
}

// run simulates a week, and then the days in which everything must end.
func (w *week) run() {
	stop := w.peers.open()
	w.startServers()
	for n := range w.days {
		w.network.faulty = w.chance.happens("a bad day", 0.8)
		var desks sync.WaitGroup
		for _, p := range w.providers {
			desks.Go(func() { p.work(n) })
		}
		quiet := make(chan struct{})
		desks.Go(func() { w.injectFaults(quiet) })
		desks.Go(func() {
			<-time.After(w.chance.between("operator's morning", 4*time.Minute, 8*time.Minute))
			w.operate()
		})
		finished := make(chan struct{})
		go func() { desks.Wait(); close(finished) }()
		<-time.After(12 * time.Minute)
		close(quiet)
		for isDay := true; isDay; {
			select {
			case <-finished:
				isDay = false
			case <-time.After(2 * time.Minute): // faults have ended
				w.startServers() // an injected kill may happen late
			}
		}
		w.endOfDay()
	}
	w.settle()
	close(w.ended)
	w.running.Wait()
	<-time.After(time.Minute) // running work ends and is reported
	for _, name := range []string{"server A", "server B"} {
		w.servers[name].stop()
	}
	w.running.Wait() // clicks and reports that followed from the last deliveries
	stop()
	w.check()
	w.must(w.db.Close())
}

// startServers starts the stopped servers.
func (w *week) startServers() {
	for _, name := range []string{"server A", "server B"} {
		if s := w.servers[name]; s == nil || s.store.isDead() {
			w.servers[name] = w.start(name)
			<-time.After(w.chance.between("start", time.Second, 3*time.Second))
		}
	}
}

// restartServers stops the servers, waits overnight and starts them again.
func (w *week) restartServers(crash bool) {
	for _, name := range []string{"server A", "server B"} {
		if s := w.servers[name]; crash {
			s.kill()
		} else if !s.store.isDead() {
			s.stop()
		}
	}
	if crash {
		w.reopen()
	}
	<-time.After(20 * time.Hour)
	w.startServers()
}

func (w *week) endOfDay() {
	<-time.After(w.chance.between("evening", time.Minute, 4*time.Minute))
	w.restartServers(w.chance.happens("a crash at night", 0.3))
}

// settle ends all faults and waits until no work is left.
func (w *week) settle() {
	w.note("world", "the faults end")
	w.network.heal()
	w.peers.settle()
	for range lastDays {
		w.operate()
		<-time.After(2 * time.Minute)
		if w.isQuiet() {
			return
		}
		w.restartServers(false)
	}
	w.broken(allEnds, "%d days after the last fault something is still under way", lastDays)
}

func (w *week) isQuiet() bool {
	ctx := context.Background()
	open, err := w.db.Deliveries(ctx, domain.DeliveryFilter{States: []domain.OutboxState{domain.OutboxDue, domain.OutboxLeased}})
	w.must(err)
	waiting, err := w.db.ListOperations(ctx, domain.OperationFilter{States: []domain.OperationState{domain.OperationWaiting}})
	w.must(err)
	for _, o := range waiting {
		if o.Kind != domain.Activation {
			return false
		}
	}
	feeds, err := w.db.FeedCallbacks(ctx)
	w.must(err)
	for _, f := range feeds {
		if f.EventsBehind() > 0 {
			return false
		}
	}
	return len(open) == 0
}

// injectFaults injects the faults of a day.
func (w *week) injectFaults(quiet <-chan struct{}) {
	c := w.chance
	for {
		select {
		case <-quiet:
			return
		case <-time.After(c.between("mischief", 10*time.Second, 4*time.Minute)):
		}
		name := []string{"server A", "server B"}[c.below("victim", 2)]
		some := w.providers[c.below("provider", len(w.providers))]
		switch c.below("which", 12) {
		case 0, 1, 2:
			w.servers[name].store.killAt(1+c.below("steps", 30), c.happens("after", 0.5))
		case 3:
			w.servers[name].kill()
		case 4:
			w.servers["server A"].kill()
			w.servers["server B"].kill()
			w.reopen()
		case 5, 6:
			some.kill()
		case 7:
			w.note("network", "partition of %s and %s", some.name, name)
			w.network.partition("command of "+some.name, name, c.between("partition", 5*time.Second, 3*time.Minute))
		case 8:
			w.network.partition("mail", name, c.between("partition", 5*time.Second, 3*time.Minute))
		case 9:
			d := c.between("jump", time.Second, 3*time.Hour)
			if c.happens("back", 0.5) {
				d = -d
			}
			w.jump(d)
		case 10:
			w.peers.leave([]string{"partner", "mail", some.name}[c.below("who", 3)], c.between("absence", 10*time.Second, 10*time.Minute))
		}
		if !w.wait(c.between("repair", 5*time.Second, time.Minute)) {
			return
		}
		w.startServers()
	}
}

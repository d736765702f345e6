package simulation_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"ativa/internal/service/domain"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

const (
	confirmWithin = 2 * time.Hour // before a partner is asked again
	day           = 24 * time.Hour
	lastDays      = 14 // after the faults, within which everything must end
)

// world is one simulated week: all processes, and what is known of them.
type world struct {
	t       *testing.T
	chance  *chance
	faults  *faults
	network *network
	outside *outside
	path    string // of the database
	db      *store.DB
	disk    *disk
	servers map[string]*instance
	began   time.Time
	kills   int
	jumps   int

	providers []*provider

	running sync.WaitGroup // what background started
	ended   chan struct{}

	mu       sync.Mutex
	offset   time.Duration // of the wall clocks from the bubble's, which timers follow
	story    []entry
	violated map[string]string // what is wrong, by invariant
	bearers  map[string]*provider
	secrets  map[string]string // what they are, by secret
	used     map[string]bool   // links
	logged   logs              // by servers
	printed  logs              // by commands
	refused  map[string]bool   // operations that the operator could not end
	states   states
	days     int
}

// logs are what servers and commands have written.
type logs struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logs) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// provider is one tenant, with the desk that types its commands.
type provider struct {
	w                    *world
	id                   domain.ProviderID
	name                 string
	limit                int
	raised               []time.Time // when, each time by raise
	token                string
	callback, feedSecret []byte
	home                 string
	dead                 context.CancelFunc // kills the command under way
	rows                 map[string][]int   // products of the imported rows, by document
	touched              map[string]bool    // documents that other commands were about
	deleted              map[string]bool
	order                []string // documents as they were imported

	acknowledged map[string]bool // documents that a server said it has
	operations   map[string]bool // and operations that it has begun
	typed        map[string]int  // commands by document and word
	reports      []report
	all          map[string]domain.SubscriberServices // at the end, by document
	events       []domain.Event
	batches      map[string]int // size of the feed's batches, by id
	fed          []domain.EventID
	forwarded    []domain.EventID   // by the last command
	forwards     [][]domain.EventID // by those that succeeded
}

func newWorld(t *testing.T, seed uint64, days int, fault string) *world {
	w := &world{t: t, chance: newChance(seed), disk: &disk{changed: make(chan struct{})}, servers: map[string]*instance{}, began: time.Now(), ended: make(chan struct{}),
		violated: map[string]string{}, bearers: map[string]*provider{}, secrets: map[string]string{}, used: map[string]bool{}, refused: map[string]bool{}, days: days}
	w.faults = &faults{w: w, name: fault}
	w.network = newNetwork(w.chance, w.note)
	w.network.routes[serviceAddress] = []string{"server A:80", "server B:80"}
	w.outside = newOutside(w)
	w.path = strings.TrimPrefix(pgtest.File(t), "sqlite:")
	w.states = readStates(w)
	w.open()
	w.setUp()
	return w
}

// setUp does what the operator does once.
func (w *world) setUp() {
	ctx := context.Background()
	m := servicetest.New(w.db, servicetest.Options{Clock: w.now})
	partner, err := m.CreatePartner(ctx, domain.Partner{Name: "parceiro", Driver: domain.DriverHTTP, URL: "http://partner.example/requests"})
	w.must(err)
	manual, err := m.CreatePartner(ctx, domain.Partner{Name: "manual", Driver: domain.DriverManual})
	w.must(err)
	w.outside.secret = partner.Secret
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
	w.must(w.disk.wrote())
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Errorf("%s: %v", w.stamp(), err)
		panic(err)
	}
}

// now is what the wall clocks show.
func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Add(w.offset)
}

// jump moves all wall clocks forward, as when machines were suspended.
func (w *world) jump(d time.Duration) {
	w.note("clocks", "jump by %s", d.Round(time.Second))
	w.mu.Lock()
	w.offset += d
	w.jumps++
	w.mu.Unlock()
	w.disk.wake()
}

func (w *world) stamp() string {
	d := time.Since(w.began)
	return fmt.Sprintf("day %d %s", 1+d/day, time.Time{}.Add(d%day).Format("15:04:05.000000000"))
}

// note adds a sentence to the story.
func (w *world) note(who, what string, a ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.story = append(w.story, entry{time.Since(w.began), w.stamp() + " " + who + ": " + fmt.Sprintf(what, a...)})
}

// entry is a sentence of the story.
type entry struct {
	at   time.Duration
	text string
}

// told returns the story. What happened at one instant has no order.
func (w *world) told() (all []string) {
	slices.SortStableFunc(w.story, func(a, b entry) int { return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.text, b.text)) })
	for _, e := range w.story {
		all = append(all, e.text)
	}
	return all
}

// broken says that an invariant does not hold. The first of each counts.
func (w *world) broken(invariant, what string, a ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.brokenLocked(invariant, what, a...)
}

func (w *world) brokenLocked(invariant, what string, a ...any) {
	if w.violated[invariant] == "" {
		w.violated[invariant] = w.stamp() + ": " + fmt.Sprintf(what, a...)
	}
}

func (w *world) keepSecret(secret, what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.secrets[secret] = what
}

// background runs what goes on by itself.
func (w *world) background(do func()) { w.running.Go(do) }

// rest waits; it reports false when the world has ended.
func (w *world) rest(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-w.ended:
		return false
	}
}

// verify checks a signature by the wall clock.
func (w *world) verify(who string, secret, body []byte, h http.Header) {
	hook, err := webhooks.NewWebhookRaw(secret)
	w.must(err)
	if err := hook.VerifyIgnoringTimestamp(body, h); err != nil {
		w.broken(deliveriesMade, "%s got a message that is not signed: %v", who, err)
	}
}

// checkApart wants nothing of the other provider in what one gets.
func (w *world) checkApart(what string, text []byte, p *provider) {
	for _, other := range w.providers {
		if p != nil && other != p && bytes.Contains(text, []byte(other.name)) {
			w.broken(apart, "%s names %s", what, other.name)
		}
	}
}

// live lets a week pass, and then the days in which everything must end.
func (w *world) live() {
	stop := w.outside.open()
	w.wake()
	for n := range w.days {
		w.network.faulty = w.chance.happens("a bad day", 0.8)
		var desks sync.WaitGroup
		for _, p := range w.providers {
			desks.Go(func() { p.work(n) })
		}
		quiet := make(chan struct{})
		desks.Go(func() { w.mischief(quiet) })
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
			case <-time.After(2 * time.Minute): // mischief has ended
				w.wake() // a kill that it set may strike late
			}
		}
		w.evening()
	}
	w.settle()
	close(w.ended)
	w.running.Wait()
	<-time.After(time.Minute) // what was under way ends, and is told
	for _, name := range []string{"server A", "server B"} {
		w.servers[name].stop()
	}
	stop()
	w.check()
	w.must(w.disk.close())
	w.must(w.db.Close())
}

// wake starts the servers that are down.
func (w *world) wake() {
	for _, name := range []string{"server A", "server B"} {
		if s := w.servers[name]; s == nil || s.store.isDead() {
			w.servers[name] = w.start(name)
			<-time.After(w.chance.between("start", time.Second, 3*time.Second))
		}
	}
}

// sleep ends the servers, lets the night pass and starts them again.
func (w *world) sleep(crash bool) {
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
	w.wake()
}

func (w *world) evening() {
	<-time.After(w.chance.between("evening", time.Minute, 4*time.Minute))
	w.sleep(w.chance.happens("a crash at night", 0.3))
}

// settle ends all faults and waits until nothing is left to do.
func (w *world) settle() {
	w.note("world", "the faults end")
	w.network.heal()
	w.outside.settle()
	for range lastDays {
		w.operate()
		<-time.After(2 * time.Minute)
		if w.isQuiet() {
			return
		}
		w.sleep(false)
	}
	w.broken(allEnds, "%d days after the last fault something is still under way", lastDays)
}

func (w *world) isQuiet() bool {
	ctx := context.Background()
	open, err := w.db.Jobs(ctx, domain.JobFilter{States: []domain.JobState{domain.JobDue, domain.JobLeased}})
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

// mischief does what goes wrong on a day.
func (w *world) mischief(quiet <-chan struct{}) {
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
			w.jump(c.between("jump", time.Second, 3*time.Hour))
		case 10:
			w.outside.leave([]string{"partner", "mail", some.name}[c.below("who", 3)], c.between("absence", 10*time.Second, 10*time.Minute))
		}
		if !w.rest(c.between("repair", 5*time.Second, time.Minute)) {
			return
		}
		w.wake()
	}
}

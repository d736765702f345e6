package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
	"ativa/internal/system/systemtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// fixture is an open database with one provider, with methods for its subscribers; subscriber n is
// always the same person.
type fixture struct {
	t  *testing.T
	db *store.DB
	p  domain.ProviderID
}

// newFixture adds a provider "Provedor" to a database.
func newFixture(t *testing.T, db *store.DB) *fixture {
	t.Helper()
	return newProvider(t, db, "Provedor")
}

// newDatabase opens a new database of the engine under test, and adds a provider.
func newDatabase(t *testing.T) (*fixture, *store.DB) {
	t.Helper()
	return newDatabaseOn(t, pgtest.DSN(t), store.Options{})
}

// newDatabaseOn opens a new database until the end of the test, and adds a provider.
func newDatabaseOn(t *testing.T, dsn string, o store.Options) (*fixture, *store.DB) {
	t.Helper()
	db := open(t, dsn, o)
	t.Cleanup(func() { must(t, db.Close()) })
	return newFixture(t, db), db
}

// newProvider adds a provider of the given name.
func newProvider(t *testing.T, db *store.DB, name string) *fixture {
	t.Helper()
	p, err := db.CreateProvider(t.Context(), domain.Provider{Name: name, Limit: 10, AllProducts: true, CreatedAt: time.Now()}, nil)
	must(t, err)
	return &fixture{t, db, p.ID}
}

// subscriber returns the nth subscriber of the provider, without storing it.
func (f *fixture) subscriber(n int) domain.Subscriber {
	first, _ := f.p.Subscribers()
	return domain.Subscriber{
		ID: first + domain.SubscriberID(n), Document: cpf.WithCheckDigits(fmt.Sprintf("%09d", n)), Name: fmt.Sprintf("Assinante %d", n),
		Email: fmt.Sprintf("a%d@example.com.br", n), Phone: "+5511987654321", SpeedID: 38, CreatedAt: time.Now(),
	}
}

// insert stores the subscribers from to to in one write.
func (f *fixture) insert(from, to int) {
	f.t.Helper()
	var all []domain.Subscriber
	for n := from; n <= to; n++ {
		all = append(all, f.subscriber(n))
	}
	must(f.t, f.store(to, all...))
}

// insertOne stores subscriber n and returns the error of the write.
func (f *fixture) insertOne(n int) error { return f.store(n, f.subscriber(n)) }

// store stores subscribers in one write; last is the greatest number.
func (f *fixture) store(last int, all ...domain.Subscriber) error {
	return f.db.Update(f.t.Context(), f.p, func(ctx context.Context, tx rules.Tx) error {
		p := tx.Provider()
		p.Subscribers = max(p.Subscribers, int64(last))
		if err := tx.SaveProvider(ctx, p); err != nil {
			return err
		}
		_, err := tx.InsertSubscribers(ctx, all)
		return err
	})
}

// insertUntil stores one subscriber after the other, from number n on, until stop is called. It returns
// the greatest number.
func (f *fixture) insertUntil(n int) (stop func() int) {
	ctx, end := context.WithCancel(f.t.Context())
	last := make(chan int)
	go func() {
		for ; ctx.Err() == nil; n++ {
			f.insert(n, n)
		}
		last <- n - 1
	}()
	return func() int { end(); return <-last }
}

// holdWrites begins a write of the provider that blocks its others until leave is called, which returns
// its error. After a bulk write they join its transaction.
func (f *fixture) holdWrites(ctx context.Context) (leave func() error) {
	begun, left, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	begin := sync.OnceFunc(func() { close(begun) }) // the write may run again
	go func() {
		ended <- f.db.Update(ctx, f.p, func(ctx context.Context, tx rules.Tx) error {
			begin()
			<-left
			return tx.SaveProvider(ctx, tx.Provider())
		})
	}()
	<-begun
	return func() error { close(left); return <-ended }
}

// insertWithDeliveries stores n subscribers, each with an active service and its activation e-mail.
func (f *fixture) insertWithDeliveries(n int) {
	f.t.Helper()
	f.insert(1, n)
	var c rules.Changes
	number, _ := f.p.Records()
	for i := 1; i <= n; i++ {
		first, _ := f.subscriber(i).ID.Services()
		id := number + int64(i)
		c.NewServices = append(c.NewServices, domain.Service{ID: first + 1, ProductID: 1, Status: domain.Active, Operation: domain.OperationID(id)})
		c.NewOperations = append(c.NewOperations, domain.Operation{ID: domain.OperationID(id), Service: first + 1, Kind: domain.Activation, State: domain.OperationConfirmed})
		c.NewDeliveries = append(c.NewDeliveries, domain.Delivery{ID: domain.DeliveryID(id), Kind: domain.EmailDelivery, Service: first + 1, Operation: domain.OperationID(id), State: domain.OutboxDone})
	}
	f.write(c)
}

// erase deletes subscribers.
func (f *fixture) erase(numbers []int) {
	f.t.Helper()
	f.update(func(ctx context.Context, tx rules.Tx) (err error) {
		for _, n := range numbers {
			err = errors.Join(err, tx.EraseSubscriber(ctx, f.subscriber(n).ID))
		}
		return err
	})
}

// update runs one write of the provider.
func (f *fixture) update(fn func(context.Context, rules.Tx) error) {
	f.t.Helper()
	must(f.t, f.db.Update(f.t.Context(), f.p, fn))
}

// write writes changes of the provider.
func (f *fixture) write(c rules.Changes) {
	f.t.Helper()
	f.update(func(ctx context.Context, tx rules.Tx) error { return tx.Write(ctx, c) })
}

// count returns the number of the provider's subscribers.
func (f *fixture) count() int {
	f.t.Helper()
	n, err := f.db.CountSubscribers(f.t.Context(), f.p)
	must(f.t, err)
	return n
}

// wantCount compares the number of the provider's subscribers.
func (f *fixture) wantCount(want int) {
	f.t.Helper()
	if got := f.count(); got != want {
		f.t.Errorf("got %d subscribers, want %d", got, want)
	}
}

// wantCountIn compares the number of the provider's subscribers in a file that no server uses.
func (f *fixture) wantCountIn(path string, want int) {
	f.t.Helper()
	db := open(f.t, path, store.Options{Exclusive: true})
	(&fixture{f.t, db, f.p}).wantCount(want)
	must(f.t, db.Close())
}

// listDocuments returns the documents of all subscribers in the order of the list.
func (f *fixture) listDocuments() (all []cpf.Document) {
	f.t.Helper()
	err := f.db.EachSubscriber(f.t.Context(), f.p, func(s *domain.SubscriberServices) error {
		all = append(all, s.Document)
		return nil
	})
	must(f.t, err)
	return all
}

// found searches for a text by pages and as a list, which must agree, and returns the matches.
func (f *fixture) found(text string) (all []domain.SubscriberID) {
	f.t.Helper()
	term := searchTerm(f.t, text)
	must(f.t, f.db.EachMatch(f.t.Context(), f.p, term, func(s *domain.SubscriberServices) error {
		all = append(all, s.ID)
		return nil
	}))
	var paged []domain.SubscriberID
	size := max(7, len(all)/2)
	for offset := 0; offset <= len(all); offset += size {
		page, total, err := f.db.Search(f.t.Context(), f.p, term, offset, size)
		if err != nil || total != len(all) {
			f.t.Errorf("search %q after %d: got a total of %d, %v, want %d", text, offset, total, err, len(all))
		}
		for _, s := range page {
			paged = append(paged, s.ID)
		}
	}
	if !slices.Equal(paged, all) || !slices.IsSorted(all) {
		f.t.Errorf("search %q: got %v by pages, want the list in order, %v", text, paged, all)
	}
	return all
}

// wantFound searches for a text and compares the number of matches.
func (f *fixture) wantFound(text string, want int) {
	f.t.Helper()
	if got := len(f.found(text)); got != want {
		f.t.Errorf("search %q: got %d, want %d", text, got, want)
	}
}

// searchTerm parses a search term.
func searchTerm(t *testing.T, text string) domain.SearchTerm {
	t.Helper()
	term, err := domain.ParseSearchTerm(text)
	must(t, err)
	return term
}

// open opens a database, which the test closes.
func open(t *testing.T, dsn string, o store.Options) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), dsnOf(dsn), o)
	must(t, err)
	return db
}

// dsnOf returns the DSN of a file's path; a DSN is unchanged.
func dsnOf(path string) string {
	if filepath.IsAbs(path) {
		return "sqlite:" + path
	}
	return path
}

// tempFile returns the path of a SQLite file that does not exist yet.
func tempFile(t *testing.T) string { return filepath.Join(t.TempDir(), "ativa.db") }

// onPostgres skips the rest of a test on SQLite.
func onPostgres(t *testing.T) {
	t.Helper()
	pgtest.Only(t, "postgres", "of PostgreSQL alone")
}

// withParam sets a parameter of a URL.
func withParam(t *testing.T, dsn, name, value string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	must(t, err)
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// execute runs a statement on its own connection.
func execute(t *testing.T, dsn, statement string) {
	t.Helper()
	if strings.HasPrefix(dsn, "postgres:") {
		pgtest.Exec(t, dsn, statement)
		return
	}
	db, err := sql.Open("sqlite", "file:"+strings.TrimPrefix(dsn, "sqlite:"))
	must(t, err)
	_, err = db.ExecContext(t.Context(), statement)
	must(t, errors.Join(err, db.Close()))
}

// corrupt overwrites n bytes of a file.
func corrupt(t *testing.T, path string, at int64, n int) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	_, err = f.WriteAt(bytes.Repeat([]byte{0xa5}, n), at)
	must(t, errors.Join(err, f.Close()))
}

// seed fills a database through package rules: a provider with a limit of three, and services that
// are active, queued and ended.
func seed(t *testing.T, dsn string) {
	t.Helper()
	db := open(t, dsn, store.Options{})
	m := servicetest.New(db, servicetest.Options{})
	p, _, err := m.CreateProvider(t.Context(), domain.Provider{Name: "Azul", Limit: 3, AllProducts: true})
	must(t, err)
	for id, family := range map[int]string{1: "play", 2: "play", 3: ""} {
		must(t, m.CreateProduct(t.Context(), domain.Product{ID: id, Name: "Produto", Code: fmt.Sprint("p", id), Family: family, Active: true, Can: domain.CanAll}))
	}
	registrations := registrations(1, 6, 1)
	_, err = m.Import(t.Context(), rules.Call{Provider: p.ID}, registrations)
	must(t, err)
	_, err = m.Provision(t.Context(), rules.Call{Provider: p.ID}, domain.RequestDeactivate, 1, []string{registrations[5].Document.Value})
	must(t, err)
	must(t, db.Close())
}

// seedEveryTable fills a database so that no table is empty.
func seedEveryTable(t *testing.T, dsn string) {
	t.Helper()
	seed(t, dsn)
	db := open(t, dsn, store.Options{})
	defer db.Close()
	ctx := t.Context()
	m := servicetest.New(db, servicetest.Options{})
	partner, err := m.CreatePartner(ctx, domain.Partner{Name: "Açaí", Driver: domain.DriverSimulator, FailureRate: 0.1, Delay: time.Second})
	must(t, err)
	p, access, err := m.CreateProvider(ctx, domain.Provider{Name: "Açaí", Limit: 2})
	must(t, err)
	must(t, m.Grant(ctx, p.Name, []int{1, 3}, true))
	_, err = db.UpdateBrand(ctx, p.ID, func(b *domain.Brand) error {
		b.DisplayName, b.Logo, b.Color, b.Phone = "Azul", []byte{0, 1, 255}, "#0b6b44", "10315"
		return nil
	})
	must(t, err)
	must(t, db.SetCallback(ctx, domain.Callback{Provider: p.ID, URL: "https://example.com/x", Secret: []byte{0, 1, 255}, Enabled: true}))
	updateFeedCallback(t, db, p.ID, func(c *domain.FeedCallback) error {
		c.URL, c.Secret, c.Enabled, c.Failures, c.Generation = "https://example.com/events", []byte{0, 2, 254}, true, 3, time.Now().UnixMicro()
		c.Cursor, c.BatchEnd, c.NextAttempt, c.LastError = 7, 9, time.Now().Add(time.Hour), "HTTP 503 Service Unavailable"
		return nil
	})
	_, err = m.Authenticate(ctx, access)
	must(t, err)
	_, err = m.AddInternetSpeed(ctx, 39, "2 Gbps")
	must(t, err)
	must(t, m.RecordCommand(ctx, domain.RecordEntry{User: "ana", Command: "admin speeds add", Arguments: "39"}))
	m.CountRefused("192.0.2.1", "POST /authenticate")
	must(t, m.RecordRefused(ctx))
	call := rules.Call{Provider: p.ID, IdempotencyKey: &rules.IdempotencyKey{Key: [32]byte{7}}}
	_, err = m.Import(ctx, call, registrations(10, 14, 3))
	must(t, err)
	_, err = m.Schedule(ctx, rules.Call{Provider: p.ID}, domain.RequestDeactivate, 3, []string{registrations(10, 10, 3)[0].Document.Value}, time.Now().Add(time.Hour))
	must(t, err)
	gone, err := m.CreateSubscriber(ctx, rules.Call{Provider: p.ID}, registrations(20, 20, 1)[0].Fields)
	must(t, err)
	must(t, m.DeleteSubscriber(ctx, rules.Call{Provider: p.ID}, gone.Document))
	claimed, err := m.Claim(ctx, domain.Destination{Kind: domain.EmailDelivery}, 3, time.Hour)
	must(t, err)
	must(t, m.Finish(ctx, nil, claimed))
	operations, err := m.ListOperations(ctx, domain.OperationFilter{})
	must(t, err)
	must(t, m.Resolve(ctx, operations[0].ID, true, ""))
	_, err = db.AddPartnerEvent(ctx, domain.PartnerEvent{Partner: partner.ID, ID: "é1", Kind: "change", Reason: "nenhum", Confirmed: true, ReceivedAt: time.Now(), State: domain.PartnerEventUnmatched})
	must(t, err)
}

// registrations returns rows to import: the subscribers from to to, each with the products.
func registrations(from, to int, products ...int) []rules.Registration {
	var all []rules.Registration
	for n := from; n <= to; n++ {
		all = append(all, rules.Registration{Products: products, Fields: rules.Fields{Name: domain.Some("Ana"), Email: domain.Some("ana@example.com.br"),
			Document: domain.Some(string(cpf.WithCheckDigits(fmt.Sprintf("%09d", n)))), Phone: domain.Some("11987654321")}})
	}
	return all
}

var must = systemtest.Must

// wantFault checks that an error names a fault of the database.
func wantFault(t *testing.T, err error, message string) {
	t.Helper()
	if e, ok := errors.AsType[*domain.Error](err); !ok || e.Code != domain.Unavailable || !strings.Contains(e.Message, message) {
		t.Errorf("got %v, want unavailable: %s", err, message)
	}
}

// wantNoFindings checks that a database has no fault.
func wantNoFindings(t *testing.T, dsn string) {
	t.Helper()
	found, err := store.Check(t.Context(), dsn)
	if err != nil || len(found) > 0 {
		t.Errorf("the check found %+v, %v", found, err)
	}
}

func updateFeedCallback(t *testing.T, db *store.DB, p domain.ProviderID, fn func(*domain.FeedCallback) error) {
	t.Helper()
	_, err := db.UpdateFeedCallback(t.Context(), p, fn)
	must(t, err)
}

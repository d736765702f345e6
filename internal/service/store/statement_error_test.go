package store_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

// arguments are the arguments of methods by type. A function does nothing and returns nil.
type arguments map[reflect.Type]any

// call calls a method and returns its error.
func (a arguments) call(ctx context.Context, t *testing.T, name string, method reflect.Value) error {
	var in []reflect.Value
	for of := range method.Type().Ins() {
		switch value, known := a[of]; {
		case of == reflect.TypeFor[context.Context]():
			in = append(in, reflect.ValueOf(ctx))
		case of.Kind() == reflect.Func:
			in = append(in, reflect.MakeFunc(of, func([]reflect.Value) (zeros []reflect.Value) {
				for out := range of.Outs() {
					zeros = append(zeros, reflect.Zero(out))
				}
				return zeros
			}))
		case known:
			in = append(in, reflect.ValueOf(value))
		default:
			t.Fatalf("%s: there is no argument of type %s", name, of)
		}
	}
	out := method.Call(in)
	err, _ := out[len(out)-1].Interface().(error)
	return err
}

// newArguments returns arguments about rows of seedEveryTable, so that each statement has rows to
// work on.
func newArguments(t *testing.T, db *store.DB, p domain.Provider) arguments {
	t.Helper()
	ctx, now := t.Context(), time.Now()
	later := now.Add(time.Hour) // when a claim begins and when it ends
	jobs, err := db.Jobs(ctx, domain.JobFilter{Provider: p.ID})
	must(t, err)
	page, _, err := db.SubscriberPage(ctx, p.ID, 0, 10)
	must(t, err)
	operations, err := db.ListOperations(ctx, domain.OperationFilter{})
	must(t, err)
	last, err := db.LastEvent(ctx, p.ID)
	must(t, err)
	tokens, err := db.AccessTokens(ctx, []domain.ProviderID{p.ID})
	must(t, err)
	parked := []domain.PartnerEventState{domain.PartnerEventUnmatched}
	events, err := db.PartnerEvents(ctx, parked)
	must(t, err)
	term, err := domain.ParseSearchTerm("ana")
	must(t, err)
	someone, service, job := page[0], page[0].Services[0], jobs[len(jobs)-1]
	changed := someone.Subscriber
	changed.Email = "outra@example.com.br"
	claimed := job.Job
	claimed.ReadNextAt = later
	operation := operations[len(operations)-1].Operation
	schedule := &domain.Schedule{ID: domain.ScheduleID(last + 100), Service: service.ID, State: domain.ScheduleDone}
	hash, old := [32]byte{7}, now.Add(-time.Hour)
	link := domain.Link{Hash: [32]byte{9}, Job: job.ID, Service: service.ID, ExpiresAt: later}
	all := arguments{}
	for _, value := range []any{
		p, p.ID, []domain.ProviderID{p.ID}, p.Name, 3, []int{1, 2}, true, time.Hour, later, hash, term, last, parked, events[0], parked[0],
		someone.ID, []domain.SubscriberID{someone.ID}, someone.Document, []cpf.Document{someone.Document}, changed, []domain.Subscriber{someone.Subscriber},
		[]domain.ServiceID{service.ID, page[1].Services[0].ID}, []domain.OperationID{operation.ID}, domain.OperationFilter{},
		domain.EmailJob, domain.Destination{Kind: domain.EmailJob}, domain.JobFilter{Provider: p.ID}, []domain.Job{claimed}, []domain.JobEntry{job}, link, []domain.Link{link},
		domain.ScheduleQuery{Provider: p.ID, Subscriber: someone.ID, Limit: 3}, domain.IntervalQuery{To: later, LastEvent: last, Tokens: true},
		domain.BearerToken{Hash: hash, AccessToken: tokens[0], ExpiresAt: now}, map[domain.TokenID]time.Time{tokens[0].ID: now},
		domain.Product{ID: 80, Name: "Novo", Code: "novo"}, domain.Partner{Name: "novo", Driver: domain.DriverManual}, domain.InternetSpeed{ID: 90, Speed: "9 Gbps", Slug: "9-gbps"},
		domain.Callback{Provider: p.ID, URL: "https://example.com/", Secret: []byte{1}, Enabled: true}, domain.StoredResponse{Key: [32]byte{8}},
		domain.RecordEntry{At: now}, []domain.RecordEntry{{At: now, Address: "192.0.2.1", Command: "POST /authenticate", Count: 1}},
		domain.RetentionCutoffs{Responses: old, Bearers: old, Links: old, Jobs: old, PartnerEvents: old, Events: old},
		rules.Changes{
			NewServices: []domain.Service{{ID: service.ID + 5, ProductID: 1, Status: domain.Active}}, Services: []domain.Service{service},
			NewOperations:  []domain.Operation{{ID: operation.ID + 100, Service: service.ID}},
			Operations:     []domain.OperationChange{{ID: operation.ID}},
			Events:         []domain.Event{{ID: last + 100, Service: service.ID}},
			EndedIntervals: []domain.EnabledInterval{{Service: service.ID, End: now, EndEvent: last + 101}},
			NewIntervals:   []domain.EnabledInterval{{Service: service.ID, ProductID: 1, Begin: now, BeginEvent: last + 100}},
			NewJobs:        []domain.Job{{ID: job.ID + 100, Kind: domain.EmailJob, Service: service.ID}},
			FinishedJobs:   []domain.Job{job.Job},
			Schedules:      []*domain.Schedule{schedule}, NewSchedules: []*domain.Schedule{schedule},
		},
	} {
		all[reflect.TypeOf(value)] = value
	}
	return all
}

// Every method returns the error of each of its statements.
func TestEveryErrorOfAStatementIsReturned(t *testing.T) {
	pgtest.Only(t, "sqlite", "there several statements go out together")
	dsn := pgtest.DSN(t)
	seedEveryTable(t, dsn)
	db := open(t, dsn, store.Options{})
	defer db.Close()
	db.PassContexts()
	providers, err := db.Providers(t.Context())
	must(t, err)
	p := providers[1] // seedEveryTable gives it rows in every table
	all := newArguments(t, db, p)
	page, _, err := db.SubscriberPage(t.Context(), p.ID, 0, 10)
	must(t, err)

	special := map[string]func(context.Context, rules.Tx) error{
		"Tx.EraseSubscriber": func(ctx context.Context, tx rules.Tx) error { return tx.EraseSubscriber(ctx, page[len(page)-1].ID) },
		"Tx.AddPartnerEvent": func(ctx context.Context, tx rules.Tx) error {
			_, err := tx.AddPartnerEvent(ctx, domain.PartnerEvent{Partner: 1, ID: "outro"})
			return err
		},
		"AddPartnerEvent": func(ctx context.Context, _ rules.Tx) error {
			_, err := db.AddPartnerEvent(ctx, domain.PartnerEvent{Partner: 1, ID: "novo"})
			return err
		},
		"CreateProvider": func(ctx context.Context, _ rules.Tx) error {
			_, err := db.CreateProvider(ctx, domain.Provider{Name: "Novo"}, []int{1}, domain.AccessToken{Name: "default", Hash: [32]byte{9}})
			return err
		},
		"UpdateProduct": func(ctx context.Context, _ rules.Tx) error {
			_, err := db.UpdateProduct(ctx, 1, func(p *domain.Product) error { p.Family += "new"; return nil })
			return err
		},
		"UpdatePartner": func(ctx context.Context, _ rules.Tx) error {
			_, err := db.UpdatePartner(ctx, "parceiro", func(*domain.Partner) error { return nil })
			return err
		},
		"ChangeToken": changeTokens(db, p.ID),
	}
	failed := 0
	for m := range reflect.TypeFor[rules.Tx]().Methods() {
		name := "Tx." + m.Name
		failed += pgtest.FailEach(t, name, func(ctx context.Context) error {
			return db.Update(ctx, p.ID, func(ctx context.Context, tx rules.Tx) error {
				if do := special[name]; do != nil {
					return do(ctx, tx)
				}
				return all.call(ctx, t, name, reflect.ValueOf(tx).MethodByName(m.Name))
			})
		})
	}
	for m := range reflect.TypeFor[servicetest.Store]().Methods() {
		failed += pgtest.FailEach(t, m.Name, func(ctx context.Context) error {
			if do := special[m.Name]; do != nil {
				return do(ctx, nil)
			}
			return all.call(ctx, t, m.Name, reflect.ValueOf(db).MethodByName(m.Name))
		})
	}
	failed += pgtest.FailEach(t, "Stats", func(ctx context.Context) error { _, err := db.Stats(ctx); return err })
	t.Logf("%d statements failed", failed)
}

// changeTokens makes a token, rotates the provider's first one and revokes it.
func changeTokens(db *store.DB, p domain.ProviderID) func(context.Context, rules.Tx) error {
	made := byte(0)
	change := func(ctx context.Context, kind domain.EventType, decide func(first domain.AccessToken) domain.AccessToken) error {
		_, err := db.ChangeToken(ctx, p, func(_ domain.Provider, all []domain.AccessToken) (domain.TokenChange, error) {
			return domain.TokenChange{Token: decide(all[0]), Event: domain.Event{At: time.Now(), Type: kind}, Record: &domain.RecordEntry{At: time.Now()}}, nil
		})
		return err
	}
	return func(ctx context.Context, _ rules.Tx) error {
		made++
		return errors.Join(
			change(ctx, domain.TokenCreated, func(domain.AccessToken) domain.AccessToken {
				return domain.AccessToken{Provider: p, Name: string(rune('a' + made)), Hash: [32]byte{3, made}}
			}),
			change(ctx, domain.TokenRotated, func(first domain.AccessToken) domain.AccessToken {
				return domain.AccessToken{ID: first.ID, Provider: p, Hash: [32]byte{4}}
			}),
			change(ctx, domain.TokenRevoked, func(first domain.AccessToken) domain.AccessToken {
				return domain.AccessToken{ID: first.ID, Provider: p, RevokedAt: time.Now()}
			}))
	}
}

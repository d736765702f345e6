package store_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

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
			in = append(in, oneOf(of))
		}
	}
	out := method.Call(in)
	err, _ := out[len(out)-1].Interface().(error)
	return err
}

// oneOf returns the zero value of a type, or a slice or map that holds one.
func oneOf(of reflect.Type) reflect.Value {
	switch of.Kind() {
	case reflect.Slice:
		return reflect.MakeSlice(of, 1, 1)
	case reflect.Map:
		m := reflect.MakeMap(of)
		m.SetMapIndex(reflect.Zero(of.Key()), reflect.Zero(of.Elem()))
		return m
	}
	return reflect.Zero(of)
}

// newArguments returns the arguments without which a method would run fewer statements than it has:
// they are about rows of seedEveryTable.
func newArguments(t *testing.T, db *store.DB, p domain.Provider) (arguments, []domain.SubscriberServices, []domain.AccessToken) {
	t.Helper()
	page, _, err := db.SubscriberPage(t.Context(), p.ID, 0, 10)
	must(t, err)
	tokens, err := db.AccessTokens(t.Context(), []domain.ProviderID{p.ID})
	must(t, err)
	service, now := page[0].Services[0], time.Now()
	all := arguments{}
	for _, value := range []any{
		p, p.ID, []domain.ProviderID{p.ID}, p.Name, page[0].ID, []domain.SubscriberID{page[0].ID}, page[0].Document, page[0].Subscriber, []domain.Subscriber{page[0].Subscriber},
		[]domain.ServiceID{service.ID, page[1].Services[0].ID}, domain.EmailDelivery, domain.Destination{Kind: domain.EmailDelivery}, now.Add(time.Hour), 3, domain.SearchTerm{Words: []string{"ana"}, Whole: "ana"},
		domain.Product{ID: 80, Name: "Novo", Code: "novo"}, domain.BearerToken{Hash: [32]byte{7}, AccessToken: tokens[0]},
		domain.Callback{Provider: p.ID, Secret: []byte{1}},
		domain.RetentionCutoffs{Responses: now, Bearers: now, Links: now, Deliveries: now, PartnerEvents: now, Events: now},
		rules.Changes{
			NewServices: make([]domain.Service, 1), Services: make([]domain.Service, 1), NewOperations: make([]domain.Operation, 1),
			Operations: make([]domain.OperationChange, 1), Events: make([]domain.Event, 1), EndedIntervals: make([]domain.EnabledInterval, 1),
			NewIntervals: make([]domain.EnabledInterval, 1), NewDeliveries: make([]domain.Delivery, 1), FinishedDeliveries: make([]domain.Delivery, 1),
			Schedules: []*domain.Schedule{{}}, NewSchedules: []*domain.Schedule{{}},
		},
	} {
		all[reflect.TypeOf(value)] = value
	}
	return all, page, tokens
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
	all, page, tokens := newArguments(t, db, p)
	made := byte(0)
	special := map[string]func(context.Context, rules.Tx) error{
		"Tx.EraseSubscriber": func(ctx context.Context, tx rules.Tx) error { return tx.EraseSubscriber(ctx, page[len(page)-1].ID) },
		"CreateProvider": func(ctx context.Context, _ rules.Tx) error {
			_, err := db.CreateProvider(ctx, domain.Provider{Name: "Novo"}, []int{1}, domain.AccessToken{Name: "default", Hash: [32]byte{9}})
			return err
		},
		"UpdateProduct": func(ctx context.Context, _ rules.Tx) error {
			_, err := db.UpdateProduct(ctx, 1, func(p *domain.Product) error { p.Family += "new"; return nil })
			return err
		},
		"ChangeToken": func(ctx context.Context, _ rules.Tx) error {
			made++
			change := func(kind domain.EventType, token domain.AccessToken) error {
				token.Provider = p.ID
				_, err := db.ChangeToken(ctx, p.ID, func(domain.Provider, []domain.AccessToken) (domain.TokenChange, error) {
					return domain.TokenChange{Token: token, Event: domain.Event{Type: kind}, Record: &domain.RecordEntry{}}, nil
				})
				return err
			}
			return errors.Join(
				change(domain.TokenCreated, domain.AccessToken{Name: string(rune('a' + made)), Hash: [32]byte{3, made}}),
				change(domain.TokenRotated, domain.AccessToken{ID: tokens[0].ID, Hash: [32]byte{4}}),
				change(domain.TokenRevoked, domain.AccessToken{ID: tokens[0].ID, RevokedAt: time.Now()}))
		},
	}
	for m := range reflect.TypeFor[rules.Tx]().Methods() {
		name := "Tx." + m.Name
		pgtest.FailEach(t, name, func(ctx context.Context) error {
			return db.Update(ctx, p.ID, func(ctx context.Context, tx rules.Tx) error {
				if do := special[name]; do != nil {
					return do(ctx, tx)
				}
				return all.call(ctx, t, name, reflect.ValueOf(tx).MethodByName(m.Name))
			})
		})
	}
	for m := range reflect.TypeFor[servicetest.Store]().Methods() {
		pgtest.FailEach(t, m.Name, func(ctx context.Context) error {
			if do := special[m.Name]; do != nil {
				return do(ctx, nil)
			}
			return all.call(ctx, t, m.Name, reflect.ValueOf(db).MethodByName(m.Name))
		})
	}
	pgtest.FailEach(t, "Check", func(ctx context.Context) error { _, err := store.Check(ctx, dsn); return err })
	pgtest.FailEach(t, "Stats", func(ctx context.Context) error { _, err := db.Stats(ctx); return err })
}

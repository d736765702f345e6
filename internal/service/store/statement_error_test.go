package store_test

import (
	"context"
	"errors"
	"fmt"
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

// Every method returns the error of each of its statements. The database has rows in
// every table, so that there is something to go on with after each.
func TestEveryErrorOfAStatementIsReturned(t *testing.T) {
	pgtest.Only(t, "sqlite", "there several statements go out together")
	dsn := pgtest.DSN(t)
	seedEveryTable(t, dsn)
	db := open(t, dsn, store.Options{})
	defer db.Close()
	db.PassContexts()

	providers, err := db.Providers(t.Context())
	must(t, err)
	p := providers[1] // whom seedEveryTable has given everything
	jobs, err := db.Jobs(t.Context(), domain.JobFilter{Provider: p.ID})
	must(t, err)
	job := jobs[len(jobs)-1]
	page, err := db.SubscriberPage(t.Context(), p.ID, 0, 10)
	must(t, err)
	someone, service := page[0], page[0].Services[0]
	services := []domain.ServiceID{service.ID, page[1].Services[0].ID}
	operations, err := db.ListOperations(t.Context(), domain.OperationFilter{})
	must(t, err)
	operation := operations[len(operations)-1].Operation
	last, err := db.LastEvent(t.Context(), p.ID)
	must(t, err)
	tokens, err := db.AccessTokens(t.Context(), []domain.ProviderID{p.ID})
	must(t, err)
	events, err := db.PartnerEvents(t.Context(), []domain.PartnerEventState{domain.PartnerEventUnmatched})
	must(t, err)
	products, err := db.Products(t.Context())
	must(t, err)
	partners, err := db.Partners(t.Context())
	must(t, err)
	term, err := domain.ParseSearchTerm("ana")
	must(t, err)
	now := time.Now()
	link := domain.Link{Hash: [32]byte{9}, Job: job.ID, Service: service.ID, ExpiresAt: now.Add(time.Hour)}

	inTx := map[string]func(context.Context, rules.Tx) error{
		"SaveProvider": func(ctx context.Context, tx rules.Tx) error { return tx.SaveProvider(ctx, p) },
		"Products":     func(ctx context.Context, tx rules.Tx) error { _, err := tx.Products(ctx); return err },
		"SpeedIDs":     func(ctx context.Context, tx rules.Tx) error { _, err := tx.SpeedIDs(ctx); return err },
		"Subscribers": func(ctx context.Context, tx rules.Tx) error {
			_, err := tx.Subscribers(ctx, []cpf.Document{someone.Document})
			return err
		},
		"SubscriberIDs": func(ctx context.Context, tx rules.Tx) error {
			_, err := tx.SubscriberIDs(ctx, []cpf.Document{someone.Document})
			return err
		},
		"Services": func(ctx context.Context, tx rules.Tx) error {
			_, err := tx.Services(ctx, []domain.SubscriberID{someone.ID})
			return err
		},
		"ServicesByID": func(ctx context.Context, tx rules.Tx) error { _, err := tx.ServicesByID(ctx, services); return err },
		"Operations": func(ctx context.Context, tx rules.Tx) error {
			_, err := tx.Operations(ctx, []domain.OperationID{operation.ID})
			return err
		},
		"Queue": func(ctx context.Context, tx rules.Tx) error { _, err := tx.Queue(ctx, 3); return err },
		"QueuePositions": func(ctx context.Context, tx rules.Tx) error {
			_, err := tx.QueuePositions(ctx, []domain.OperationID{operation.ID})
			return err
		},
		"InsertSubscribers": func(ctx context.Context, tx rules.Tx) error {
			_, err := tx.InsertSubscribers(ctx, []domain.Subscriber{someone.Subscriber})
			return err
		},
		"UpdateSubscriber": func(ctx context.Context, tx rules.Tx) error {
			changed := someone.Subscriber
			changed.Email = now.Format("150405.000000") + "@example.com.br"
			return tx.UpdateSubscriber(ctx, changed)
		},
		"EraseSubscriber": func(ctx context.Context, tx rules.Tx) error { return tx.EraseSubscriber(ctx, page[len(page)-1].ID) },
		"Write": func(ctx context.Context, tx rules.Tx) error {
			schedule := domain.Schedule{ID: domain.ScheduleID(last + 100), Service: service.ID, State: domain.ScheduleDone}
			return tx.Write(ctx, rules.Changes{
				NewServices: []domain.Service{{ID: service.ID + 5, ProductID: 1, Status: domain.Active}}, Services: []domain.Service{service},
				NewOperations:  []domain.Operation{{ID: operation.ID + 100, Service: service.ID}},
				Operations:     []domain.OperationChange{{ID: operation.ID}},
				Events:         []domain.Event{{ID: last + 100, Service: service.ID}},
				EndedIntervals: []domain.EnabledInterval{{Service: service.ID, End: now, EndEvent: last + 101}},
				NewIntervals:   []domain.EnabledInterval{{Service: service.ID, ProductID: 1, Begin: now, BeginEvent: last + 100}},
				NewJobs:        []domain.Job{{ID: job.ID + 100, Kind: domain.EmailJob, Service: service.ID}},
				FinishedJobs:   []domain.Job{job.Job},
				Schedules:      []*domain.Schedule{&schedule}, NewSchedules: []*domain.Schedule{&schedule},
			})
		},
		"HeldJobs": func(ctx context.Context, tx rules.Tx) error {
			_, err := tx.HeldJobs(ctx, []domain.Job{job.Job})
			return err
		},
		"WaitingSchedules": func(ctx context.Context, tx rules.Tx) error {
			_, err := tx.WaitingSchedules(ctx, services)
			return err
		},
		"Callback": func(ctx context.Context, tx rules.Tx) error { _, _, err := tx.Callback(ctx); return err },
		"AddPartnerEvent": func(ctx context.Context, tx rules.Tx) error {
			_, err := tx.AddPartnerEvent(ctx, domain.PartnerEvent{Partner: partners[0].ID, ID: "outro"})
			return err
		},
		"SetPartnerEventState": func(ctx context.Context, tx rules.Tx) error {
			_, err := tx.SetPartnerEventState(ctx, events[0], events[0].State)
			return err
		},
		"MarkLinkUsed": func(ctx context.Context, tx rules.Tx) error { return tx.MarkLinkUsed(ctx, link.Hash, now) },
		"StoredResponse": func(ctx context.Context, tx rules.Tx) error {
			_, _, err := tx.StoredResponse(ctx, [32]byte{7})
			return err
		},
		"SaveResponse": func(ctx context.Context, tx rules.Tx) error {
			return tx.SaveResponse(ctx, domain.StoredResponse{Key: [32]byte{8}})
		},
		"Provider":   nil, // no statements
		"OthersWait": nil,
	}
	made := 0 // tokens
	methods := map[string]func(context.Context) error{
		"Update": func(ctx context.Context) error {
			return db.Update(ctx, p.ID, func(context.Context, rules.Tx) error { return nil })
		},
		"View": func(ctx context.Context) error {
			return db.View(ctx, p.ID, func(context.Context, rules.Tx) error { return nil })
		},

		"EachSubscriber": func(ctx context.Context) error {
			return db.EachSubscriber(ctx, p.ID, func(*domain.SubscriberServices) error { return nil })
		},
		"Search": func(ctx context.Context) error { _, _, err := db.Search(ctx, p.ID, term, 0, 3); return err },
		"EachMatch": func(ctx context.Context) error {
			return db.EachMatch(ctx, p.ID, term, func(*domain.SubscriberServices) error { return nil })
		},
		"LastEvent":      func(ctx context.Context) error { _, err := db.LastEvent(ctx, p.ID); return err },
		"Offers":         func(ctx context.Context) error { _, err := db.Offers(ctx, p.ID); return err },
		"InternetSpeeds": func(ctx context.Context) error { _, err := db.InternetSpeeds(ctx); return err },
		"Providers":      func(ctx context.Context) error { _, err := db.Providers(ctx); return err },
		"Products":       func(ctx context.Context) error { _, err := db.Products(ctx); return err },
		"Partners":       func(ctx context.Context) error { _, err := db.Partners(ctx); return err },
		"Callbacks":      func(ctx context.Context) error { _, err := db.Callbacks(ctx); return err },
		"AccessTokens": func(ctx context.Context) error {
			_, err := db.AccessTokens(ctx, []domain.ProviderID{p.ID})
			return err
		},
		"Jobs": func(ctx context.Context) error {
			_, err := db.Jobs(ctx, domain.JobFilter{Provider: p.ID})
			return err
		},
		"ListOperations": func(ctx context.Context) error {
			_, err := db.ListOperations(ctx, domain.OperationFilter{})
			return err
		},
		"PartnerEvents": func(ctx context.Context) error {
			_, err := db.PartnerEvents(ctx, []domain.PartnerEventState{domain.PartnerEventUnmatched})
			return err
		},
		"FeedCallbacks": func(ctx context.Context) error { _, err := db.FeedCallbacks(ctx); return err },
		"Record":        func(ctx context.Context) error { _, err := db.Record(ctx, time.Time{}); return err },
		"AddRecord":     func(ctx context.Context) error { return db.AddRecord(ctx, domain.RecordEntry{At: now}) },
		"CountRefused": func(ctx context.Context) error {
			return db.CountRefused(ctx, []domain.RecordEntry{{At: now, Address: "192.0.2.1", Command: "POST /authenticate", Count: 1}})
		},

		"Subscriber": func(ctx context.Context) error {
			_, _, _, err := db.Subscriber(ctx, p.ID, someone.Document)
			return err
		},
		"CountSubscribers": func(ctx context.Context) error { _, err := db.CountSubscribers(ctx, p.ID); return err },
		"SubscriberPage":   func(ctx context.Context) error { _, err := db.SubscriberPage(ctx, p.ID, 1, 3); return err },
		"History":          func(ctx context.Context) error { _, err := db.History(ctx, someone.ID); return err },
		"Events":           func(ctx context.Context) error { _, err := db.Events(ctx, p.ID, 0, 10); return err },
		"Schedules": func(ctx context.Context) error {
			_, err := db.Schedules(ctx, domain.ScheduleQuery{Provider: p.ID, Subscriber: someone.ID, Limit: 3})
			return err
		},
		"CountSchedules": func(ctx context.Context) error { _, err := db.CountSchedules(ctx, p.ID, 0); return err },
		"Intervals":      func(ctx context.Context) error { _, err := db.Intervals(ctx, someone.ID); return err },
		"EachInterval": func(ctx context.Context) error {
			return db.EachInterval(ctx, p.ID, domain.IntervalQuery{To: time.Now().Add(time.Hour), LastEvent: last, Tokens: true}, func(*domain.ServiceInterval) error { return nil })
		},
		"EachIntervalEdge": func(ctx context.Context) error {
			return db.EachIntervalEdge(ctx, last, domain.IntervalQuery{LastEvent: last}, func(domain.IntervalEdge) {})
		},

		"CreateProvider": func(ctx context.Context) error {
			_, err := db.CreateProvider(ctx, domain.Provider{Name: "Novo"}, []int{1}, domain.AccessToken{Name: "default", Hash: [32]byte{9}})
			return err
		},
		"ProviderByName": func(ctx context.Context) error { _, err := db.ProviderByName(ctx, p.Name); return err },
		"UpdateBrand": func(ctx context.Context) error {
			_, err := db.UpdateBrand(ctx, p.ID, func(b *domain.Brand) error { b.Phone = "10315"; return nil })
			return err
		},
		"Brands": func(ctx context.Context) error { _, err := db.Brands(ctx, []domain.ProviderID{p.ID}); return err },
		"CreateProduct": func(ctx context.Context) error {
			return db.CreateProduct(ctx, domain.Product{ID: 80, Name: "Novo", Code: "novo"})
		},
		"UpdateProduct": func(ctx context.Context) error {
			_, err := db.UpdateProduct(ctx, products[0].ID, func(p *domain.Product) error { p.Family += "new"; return nil })
			return err
		},
		"Grant": func(ctx context.Context) error { return db.Grant(ctx, p.ID, []int{1, 2}, true) },
		"CreateInternetSpeed": func(ctx context.Context) error {
			return db.CreateInternetSpeed(ctx, domain.InternetSpeed{ID: 90, Speed: "9 Gbps", Slug: "9-gbps"})
		},
		"CreatePartner": func(ctx context.Context) error {
			_, err := db.CreatePartner(ctx, domain.Partner{Name: "novo", Driver: domain.DriverManual})
			return err
		},
		"UpdatePartner": func(ctx context.Context) error {
			_, err := db.UpdatePartner(ctx, partners[0].Name, func(*domain.Partner) error { return nil })
			return err
		},

		"AccessTokenByHash": func(ctx context.Context) error { _, _, err := db.AccessTokenByHash(ctx, [32]byte{3}); return err },
		"EnableProvider":    func(ctx context.Context) error { return db.EnableProvider(ctx, p.ID, true) },
		"ChangeToken": func(ctx context.Context) error {
			made++
			hash := [32]byte{3, byte(made >> 8), byte(made)}
			return errors.Join(
				changeToken(ctx, db, domain.TokenCreated, domain.AccessToken{Provider: p.ID, Name: fmt.Sprint("novo ", made), Hash: hash}),
				changeToken(ctx, db, domain.TokenRotated, domain.AccessToken{ID: tokens[0].ID, Provider: p.ID, Hash: [32]byte{4}}),
				changeToken(ctx, db, domain.TokenRevoked, domain.AccessToken{ID: tokens[0].ID, Provider: p.ID, RevokedAt: now}))
		},
		"SetTokensUsed": func(ctx context.Context) error {
			return db.SetTokensUsed(ctx, map[domain.TokenID]time.Time{tokens[0].ID: now})
		},
		"SaveBearer": func(ctx context.Context) error {
			return db.SaveBearer(ctx, domain.BearerToken{Hash: [32]byte{5}, AccessToken: tokens[0], ExpiresAt: now})
		},
		"BearerByHash": func(ctx context.Context) error { _, _, err := db.BearerByHash(ctx, [32]byte{5}); return err },

		"SetCallback": func(ctx context.Context) error {
			return db.SetCallback(ctx, domain.Callback{Provider: p.ID, URL: "https://example.com/", Secret: []byte{1}, Enabled: true})
		},
		"EnableCallback":       func(ctx context.Context) error { return db.EnableCallback(ctx, p.ID, true) },
		"RecordCallbackResult": func(ctx context.Context) error { return db.RecordCallbackResult(ctx, p.ID, false) },
		"UpdateFeedCallback": func(ctx context.Context) error {
			_, err := db.UpdateFeedCallback(ctx, p.ID, func(*domain.FeedCallback) error { return nil })
			return err
		},

		"DueDestinations": func(ctx context.Context) error {
			_, err := db.DueDestinations(ctx, domain.EmailJob, now.Add(time.Hour))
			return err
		},
		"ClaimJobs": func(ctx context.Context) error {
			_, err := db.ClaimJobs(ctx, domain.Destination{Kind: domain.EmailJob}, 3, now.Add(time.Hour), now.Add(2*time.Hour))
			return err
		},
		"FinishJobs": func(ctx context.Context) error {
			claimed := job.Job
			claimed.ReadNextAt = now.Add(2 * time.Hour)
			return db.FinishJobs(ctx, []domain.Job{claimed}, []domain.Link{link})
		},
		"RescheduleJobs": func(ctx context.Context) error { return db.RescheduleJobs(ctx, []domain.Delivery{job}, now) },
		"MakeFutureJobsDue": func(ctx context.Context) error {
			return db.MakeFutureJobsDue(ctx, now, now.Add(time.Minute), now.Add(time.Hour))
		},
		"LastEventTime":        func(ctx context.Context) error { _, err := db.LastEventTime(ctx); return err },
		"SubscriberDeliveries": func(ctx context.Context) error { _, err := db.SubscriberDeliveries(ctx, someone.ID); return err },
		"MarkOpened":           func(ctx context.Context) error { return db.MarkOpened(ctx, link, now) },
		"LinkByHash":           func(ctx context.Context) error { _, _, err := db.LinkByHash(ctx, link.Hash); return err },
		"ServiceDetails":       func(ctx context.Context) error { _, err := db.ServiceDetails(ctx, services); return err },

		"AddPartnerEvent": func(ctx context.Context) error {
			_, err := db.AddPartnerEvent(ctx, domain.PartnerEvent{Partner: partners[0].ID, ID: "novo"})
			return err
		},
		"LateOperations":         func(ctx context.Context) error { _, err := db.LateOperations(ctx, now, 3); return err },
		"SetActivationDeadlines": func(ctx context.Context) error { return db.SetActivationDeadlines(ctx, time.Hour) },
		"DueSchedules":           func(ctx context.Context) error { _, err := db.DueSchedules(ctx, now, 3); return err },
		"PromotableProviders":    func(ctx context.Context) error { _, err := db.PromotableProviders(ctx); return err },
		"Purge": func(ctx context.Context) error {
			old := now.Add(-time.Hour)
			return db.Purge(ctx, domain.RetentionCutoffs{Responses: old, Bearers: old, Links: old, Jobs: old, PartnerEvents: old, Events: old})
		},
		"Stats": func(ctx context.Context) error { _, err := db.Stats(ctx); return err },
	}
	failed := 0
	for _, method := range names[rules.Tx]() {
		do, known := inTx[method]
		switch {
		case !known:
			t.Errorf("Tx.%s is not tried", method)
		case do != nil:
			failed += pgtest.FailEach(t, "Tx."+method, func(ctx context.Context) error {
				return db.Update(ctx, p.ID, do)
			})
		}
	}
	for _, method := range append(names[servicetest.Store](), "Stats") {
		if do := methods[method]; do == nil {
			t.Errorf("%s is not tried", method)
		} else {
			failed += pgtest.FailEach(t, method, do)
		}
	}
	t.Logf("%d statements failed", failed)
}

// names returns the names of the methods of an interface.
func names[T any]() (all []string) {
	for m := range reflect.TypeFor[T]().Methods() {
		all = append(all, m.Name)
	}
	return all
}

// changeToken changes a token as by one of the provider's own tokens.
func changeToken(ctx context.Context, db *store.DB, kind domain.EventType, a domain.AccessToken) error {
	_, err := db.ChangeToken(ctx, a.Provider, func(domain.Provider, []domain.AccessToken) (domain.TokenChange, error) {
		return domain.TokenChange{Token: a, Event: domain.Event{At: time.Now(), Type: kind}, Record: &domain.RecordEntry{At: time.Now()}}, nil
	})
	return err
}

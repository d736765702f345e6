package rules_test

import (
	"context"
	"testing"
	"time"

	"ativa/internal/service/accounts"
	"ativa/internal/service/domain"
	"ativa/internal/service/reports"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store/pgtest"
)

// failingStore passes the caller's context on into transactions, where the store
// otherwise runs statements to their end for the sake of the others in the commit.
type failingStore struct{ servicetest.Store }

func (s failingStore) Update(ctx context.Context, p domain.ProviderID, fn func(context.Context, rules.Tx) error) error {
	return s.Store.Update(ctx, p, func(_ context.Context, tx rules.Tx) error { return fn(ctx, tx) })
}

// Whichever statement fails, the caller gets the error, and afterwards the same call
// succeeds. The calls are a story: each finds what those before it left.
func TestEveryErrorOfTheDatabaseIsReturned(t *testing.T) {
	pgtest.Only(t, "sqlite", "there a context ends a statement where it may be sent together with others")
	fx := newFixture(t, 2)
	m := servicetest.New(failingStore{fx.store}, fx.options)
	statements := 0
	try := func(name string, do func(context.Context) error) {
		t.Helper()
		statements += pgtest.FailEach(t, name, do)
	}
	call := fx.call()
	provide := func(req domain.Request, product int, documents ...string) {
		t.Helper()
		try(req.String(), func(ctx context.Context) error {
			results, err := m.Provision(ctx, call, req, product, documents)
			for _, r := range results {
				if err == nil && r.Kind == rules.ResultFailed {
					t.Errorf("%s: got %+v", req, r)
				}
			}
			return err
		})
	}

	var secret string
	try("create a token", func(ctx context.Context) (err error) {
		_, secret, err = m.CreateToken(ctx, domain.Caller{Provider: fx.p.ID}, domain.AccessToken{Name: "cron", Scopes: domain.AllScopes})
		return err
	})
	var bearer accounts.Bearer
	try("authenticate", func(ctx context.Context) (err error) { bearer, err = m.Authenticate(ctx, secret); return err })
	try("identify", func(ctx context.Context) error { _, err := m.Identify(ctx, bearer.Token); return err })
	try("record the use", m.RecordTokenUse)
	try("rotate", func(ctx context.Context) error {
		_, _, err := m.RotateToken(ctx, domain.Caller{Provider: fx.p.ID}, "cron", time.Hour)
		return err
	})
	try("revoke", func(ctx context.Context) error {
		_, err := m.RevokeToken(ctx, domain.Caller{Provider: fx.p.ID}, "cron")
		return err
	})
	try("brand", func(ctx context.Context) error {
		_, err := m.UpdateBrand(ctx, fx.p.Name, func(b *domain.Brand) error { b.Phone = "+5511987654321"; return nil })
		return err
	})
	try("callback", func(ctx context.Context) error {
		_, err := m.SetCallback(ctx, fx.p.Name, "https://azul.example.com/", false)
		return err
	})
	try("feed callback", func(ctx context.Context) error {
		_, err := m.SetFeedCallback(ctx, fx.p.Name, "https://azul.example.com/feed", false, false)
		return err
	})
	try("internet speed", func(ctx context.Context) error {
		_, err := m.AddInternetSpeed(ctx, 900, "9 Gbps")
		return err
	})
	try("create a partner", func(ctx context.Context) error {
		_, err := m.CreatePartner(ctx, domain.Partner{Name: "outro", Driver: domain.DriverManual})
		return err
	})
	try("create a product", func(ctx context.Context) error {
		return m.CreateProduct(ctx, domain.Product{ID: 70, Name: "Jogos", Code: "jogos", Can: domain.CanAll, Partner: fx.partner.ID})
	})
	try("create a provider", func(ctx context.Context) error {
		_, _, err := m.CreateProvider(ctx, domain.Provider{Name: "Outro"}, music)
		return err
	})
	try("read a brand", func(ctx context.Context) error { _, err := m.Brand(ctx, fx.p.Name); return err })
	try("read a callback", func(ctx context.Context) error { _, err := m.Callback(ctx, fx.p.Name); return err })
	try("enable a callback", func(ctx context.Context) error { _, err := m.EnableCallback(ctx, fx.p.Name, true); return err })
	try("count a failure", func(ctx context.Context) error { return m.RecordCallbackResult(ctx, fx.p.ID, false) })
	try("replay callbacks", func(ctx context.Context) error { _, err := m.ReplayCallbacks(ctx, fx.p.Name); return err })
	try("read a feed callback", func(ctx context.Context) error { _, err := m.FeedCallback(ctx, fx.p.Name); return err })
	try("change a partner", func(ctx context.Context) error {
		_, err := m.UpdatePartner(ctx, fx.partner.Name, func(p *domain.Partner) error { p.Delay = time.Second; return nil })
		return err
	})
	try("change a product", func(ctx context.Context) error {
		_, err := m.UpdateProduct(ctx, alone, func(p *domain.Product) error { p.Name = "Livros"; return nil })
		return err
	})
	try("forbid a product", func(ctx context.Context) error { return m.Grant(ctx, fx.p.Name, []int{alone}, false) })
	try("allow a product", func(ctx context.Context) error { return m.Grant(ctx, fx.p.Name, []int{alone}, true) })

	try("import", func(ctx context.Context) error {
		var rows []rules.Registration
		for n := 1; n <= 4; n++ { // more than the limit
			rows = append(rows, rules.Registration{Fields: fields(n), Products: []int{playBasic}})
		}
		_, err := m.Import(ctx, call, rows)
		return err
	})
	try("import again", func(ctx context.Context) error {
		_, err := m.Import(ctx, call, []rules.Registration{{Fields: fields(1), Products: []int{music}}})
		return err
	})
	try("create a subscriber", func(ctx context.Context) error { _, err := m.CreateSubscriber(ctx, call, fields(5)); return err })
	try("update a subscriber", func(ctx context.Context) error {
		_, err := m.UpdateSubscriber(ctx, call, document(5), rules.Fields{Name: domain.Some("Outro Nome"), Email: domain.Some("outro@example.com.br")})
		return err
	})
	try("one", func(ctx context.Context) error { _, err := m.Subscriber(ctx, fx.p.ID, document(1)); return err })
	try("one with products", func(ctx context.Context) error {
		_, _, err := m.SubscriberWithProducts(ctx, fx.p.ID, document(1))
		return err
	})
	try("page", func(ctx context.Context) error { _, _, err := m.SubscriberPage(ctx, fx.p.ID, 0, 10); return err })
	try("history", func(ctx context.Context) error { _, err := m.History(ctx, fx.p.ID, document(1)); return err })
	try("deliveries", func(ctx context.Context) error {
		_, err := m.SubscriberDeliveries(ctx, fx.p.ID, document(1))
		return err
	})
	try("events", func(ctx context.Context) error { _, _, err := m.Events(ctx, fx.p.ID, 0, 10); return err })
	try("personal data", func(ctx context.Context) error { _, err := m.PersonalData(ctx, fx.p.Name, document(1)); return err })

	var due []domain.FeedCallback
	try("due feeds", func(ctx context.Context) (err error) { due, _, err = m.DueFeedCallbacks(ctx); return err })
	if len(due) != 1 {
		t.Fatalf("got %d due feeds, want one", len(due))
	}
	var batch domain.FeedBatch
	try("claim a batch", func(ctx context.Context) (err error) {
		batch, _, err = m.ClaimFeedBatch(ctx, due[0], time.Minute)
		return err
	})
	try("finish a batch", func(ctx context.Context) error {
		_, _, err := m.FinishFeedBatch(ctx, batch, domain.FeedOutcome{Error: "503", RetryIn: time.Minute})
		return err
	})
	try("replay the feed", func(ctx context.Context) error {
		_, err := m.ReplayFeed(ctx, fx.p.Name, batch.Callback.Cursor)
		return err
	})
	try("disable the feed", func(ctx context.Context) error { _, err := m.EnableFeedCallback(ctx, fx.p.Name, false); return err })

	var mails []domain.ClaimedDelivery
	try("claim", func(ctx context.Context) error {
		claimed, err := claim(ctx, m, domain.EmailJob, 10, time.Minute)
		mails = append(mails, claimed...)
		if err != nil { // the leases end
			fx.now = fx.now.Add(2 * time.Minute)
		}
		return err
	})
	link := mails[len(mails)-1].LinkSecret
	if link == "" {
		t.Fatal("got an e-mail without a link")
	}
	jobs := []domain.Job{mails[len(mails)-1].Job}
	try("give up", func(ctx context.Context) error { return m.GiveUp(ctx, jobs, "broken") })
	try("retry", func(ctx context.Context) error { _, err := m.Retry(ctx, []domain.JobID{jobs[0].ID}); return err })
	try("correct the schedule", m.CorrectSchedule)
	try("set deadlines of activations", m.SetActivationDeadlines)
	try("since the last event", func(ctx context.Context) error { _, err := m.SinceLastEvent(ctx); return err })
	var view rules.LinkView
	try("view a link", func(ctx context.Context) (err error) { view, err = m.ViewLink(ctx, link); return err })
	try("record the opening", func(ctx context.Context) error { return m.RecordOpening(ctx, view) })
	try("follow a link", func(ctx context.Context) (err error) { view, err = m.FollowLink(ctx, link); return err })
	if view.State != rules.LinkDone {
		t.Fatalf("got link state %d, want done", view.State)
	}
	opened, waiting := 1, 2
	if mails[len(mails)-1].Subscriber.Document != document(opened) {
		opened, waiting = waiting, opened
	}

	confirm := func() {
		t.Helper()
		try("confirm", func(ctx context.Context) error {
			_, err := m.Confirm(ctx, []domain.Confirmation{{Operation: fx.service(opened, playBasic).Operation, Confirmed: true, Actor: domain.ActorPartner}})
			return err
		})
	}
	provide(domain.RequestSuspend, playBasic, doc(opened))
	confirm()
	provide(domain.RequestActivate, playBasic, doc(opened))
	confirm()
	provide(domain.RequestSuspend, playBasic, doc(opened))
	event := domain.PartnerEvent{Partner: fx.partner.ID, ID: "msg_1", Operation: fx.service(opened, playBasic).Operation, Kind: "suspension", Confirmed: true}
	try("partner event", func(ctx context.Context) error { _, err := m.ReceivePartnerEvent(ctx, event); return err })
	fx.wantStatus(opened, playBasic, domain.Suspended)
	try("replay partner events", func(ctx context.Context) error { _, err := m.ReplayPartnerEvents(ctx); return err })
	provide(domain.RequestActivate, playBasic, doc(opened))
	confirm()
	try("change", func(ctx context.Context) error {
		_, err := m.ChangeProduct(ctx, call, document(opened), playBasic, playPremium)
		return err
	})
	operation := fx.service(opened, playPremium).Operation
	try("resolve", func(ctx context.Context) error {
		return m.Resolve(ctx, operation, false, "unknown there")
	})
	try("resend", func(ctx context.Context) error { _, err := m.Resend(ctx, call, document(waiting)); return err })
	try("resend one", func(ctx context.Context) error {
		_, err := m.ResendProduct(ctx, call, document(waiting), playBasic)
		return err
	})
	try("usage", func(ctx context.Context) error {
		period, err := m.UsagePeriod("2026-01-31", "2026-01-31", time.UTC)
		fx.must(err)
		_, err = m.Usage(ctx, fx.p.ID, period, true, func(*reports.TokenUsage) error { return nil })
		return err
	})
	try("limit", func(ctx context.Context) error { _, err := m.SetLimit(ctx, fx.p.Name, 3); return err })
	try("promote", func(ctx context.Context) error { _, err := m.Promote(ctx); return err })
	schedule := func(req domain.Request, at time.Duration) {
		t.Helper()
		try("schedule", func(ctx context.Context) error {
			_, err := m.Schedule(ctx, call, req, playBasic, []string{doc(waiting)}, fx.now.Add(at))
			return err
		})
	}
	schedule(domain.RequestOverdue, time.Hour) // refused, for it is not active
	schedule(domain.RequestOverdue, 2*time.Hour)
	schedule(domain.RequestSuspend, 3*time.Hour)
	var listed []domain.Schedule
	try("list schedules", func(ctx context.Context) (err error) {
		listed, _, err = m.SchedulePage(ctx, domain.ScheduleQuery{Provider: fx.p.ID})
		return err
	})
	try("one schedule", func(ctx context.Context) error { _, err := m.ScheduleByID(ctx, fx.p.ID, listed[0].ID); return err })
	try("cancel a schedule", func(ctx context.Context) error { return m.CancelSchedule(ctx, call, listed[len(listed)-1]) })
	fx.now = fx.now.Add(2 * time.Hour)
	try("perform schedules", func(ctx context.Context) error { _, err := m.PerformSchedules(ctx); return err })
	schedule(domain.RequestSuspend, time.Hour)
	provide(domain.RequestDeactivate, playBasic, doc(waiting))
	fx.now = fx.now.Add(90 * 24 * time.Hour)
	try("expire", func(ctx context.Context) error { _, err := m.Expire(ctx); return err })
	try("purge", m.Purge)
	try("delete", func(ctx context.Context) error { return m.DeleteSubscriber(ctx, call, document(5)) })
	try("disable", func(ctx context.Context) error { _, err := m.Enable(ctx, fx.p.Name, false); return err })
	if statements < 200 {
		t.Errorf("only %d statements failed", statements)
	}
	t.Logf("%d statements failed", statements)
}

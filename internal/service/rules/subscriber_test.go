package rules_test

import (
	"errors"
	"strings"
	"testing"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

func TestASubscriberIsCreatedChangedAndErased(t *testing.T) {
	fx := newFixture(t, 10)
	created, err := fx.m.CreateSubscriber(fx.ctx, fx.call(), fields(1))
	fx.must(err)
	if created.SpeedID != domain.SpeedNotInformed || !created.CreatedAt.Equal(fx.now) {
		t.Errorf("got %+v, want speed 38 and the time of now", created)
	}
	_, err = fx.m.CreateSubscriber(fx.ctx, fx.call(), fields(1))
	wantCode(t, err, domain.SubscriberExists)

	updated, err := fx.m.UpdateSubscriber(fx.ctx, fx.call(), document(1), rules.Fields{Email: domain.Some("novo@example.com.br")})
	fx.must(err)
	if updated.Email != "novo@example.com.br" || updated.Name != created.Name {
		t.Errorf("got %+v, want a new e-mail and nothing else", updated)
	}
	fx.register(2, 2)
	_, err = fx.m.UpdateSubscriber(fx.ctx, fx.call(), document(1), rules.Fields{Document: domain.Some(doc(2))})
	wantCode(t, err, domain.SubscriberExists)
	_, err = fx.m.UpdateSubscriber(fx.ctx, fx.call(), document(1), rules.Fields{Document: domain.Some(doc(3))})
	fx.must(err)
	_, err = fx.m.Subscriber(fx.ctx, fx.p.ID, document(1))
	wantCode(t, err, domain.SubscriberNotFound)

	fx.must(fx.m.DeleteSubscriber(fx.ctx, fx.call(), document(3)))
	wantCode(t, fx.m.DeleteSubscriber(fx.ctx, fx.call(), document(3)), domain.SubscriberNotFound)
}

func TestASubscriberWithServicesIsNotDeleted(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	wantCode(t, fx.m.DeleteSubscriber(fx.ctx, fx.call(), document(1)), domain.SubscriberHasServices)
	fx.do(domain.RequestDeactivate, playBasic, 1)
	wantCode(t, fx.m.DeleteSubscriber(fx.ctx, fx.call(), document(1)), domain.SubscriberHasServices)
	fx.confirm(1, playBasic, true)
	fx.must(fx.m.DeleteSubscriber(fx.ctx, fx.call(), document(1)))

	events, _, err := fx.m.Events(fx.ctx, fx.p.ID, 0, 100)
	fx.must(err)
	if got := events[len(events)-1]; got.Type != domain.SubscriberDeleted {
		t.Errorf("last event is %s, want subscriber.deleted", got.Type)
	}
	for _, e := range events {
		if e.Document != "" {
			t.Errorf("event %s still names the document", e.ID)
		}
	}
	fx.register(1, 1, playBasic) // the same person may come back
}

func TestWhatAFieldIsRefusedFor(t *testing.T) {
	fx := newFixture(t, 10)
	null := domain.Optional[string]{Set: true, Null: true}
	for name, c := range map[string]struct {
		change func(*rules.Fields)
		field  string
		code   domain.Code
	}{
		"no name":           {func(f *rules.Fields) { f.Name = domain.Optional[string]{} }, "name", "required"},
		"blank name":        {func(f *rules.Fields) { f.Name = domain.Some("  ") }, "name", "required"},
		"null e-mail":       {func(f *rules.Fields) { f.Email = null }, "email", "required"},
		"long name":         {func(f *rules.Fields) { f.Name = domain.Some(strings.Repeat("á", 256)) }, "name", "too_long"},
		"control character": {func(f *rules.Fields) { f.Plan = domain.Some("a\x1b[0m") }, "customer_plan", "control_character"},
		"display name":      {func(f *rules.Fields) { f.Email = domain.Some("Ana <ana@example.com>") }, "email", "invalid_email"},
		"two addresses":     {func(f *rules.Fields) { f.Email = domain.Some("a@b.com,c@d.com") }, "email", "invalid_email"},
		"no domain":         {func(f *rules.Fields) { f.Email = domain.Some("ana@localhost") }, "email", "invalid_email"},
		"check digit":       {func(f *rules.Fields) { f.Document = domain.Some("52998224724") }, "document", "invalid_check_digit"},
		"company":           {func(f *rules.Fields) { f.Document = domain.Some("12ABC34501DE35") }, "document", "cnpj_not_supported"},
		"phone":             {func(f *rules.Fields) { f.Phone = domain.Some("1187654321") }, "phone", "invalid_phone"},
	} {
		f := fields(1)
		c.change(&f)
		_, err := fx.m.CreateSubscriber(fx.ctx, fx.call(), f)
		if refused, ok := errors.AsType[*domain.Error](err); !ok || refused.Code != domain.ValidationFailed || len(refused.Fields) != 1 ||
			refused.Fields[0].Field != c.field || refused.Fields[0].Code != c.code {
			t.Errorf("%s: got %+v, want %s %s", name, err, c.field, c.code)
		}
	}
	f := fields(1)
	f.SpeedID = domain.Some(39)
	_, err := fx.m.CreateSubscriber(fx.ctx, fx.call(), f)
	wantCode(t, err, domain.UnknownInternetSpeed)
}

// The longest that a field may be is taken, one more is not; blanks around it do not count.
func TestMaximumLengthsOfFields(t *testing.T) {
	fx := newFixture(t, 10)
	email := func(n int) string { // of labels that may be that long
		domain := ".example.com.br"
		for len(domain) < n-60 {
			domain = "." + strings.Repeat("d", 50) + domain
		}
		return strings.Repeat("a", n-len(domain)) + "@" + domain[1:]
	}
	set := map[string]func(*rules.Fields, string){
		"name":          func(f *rules.Fields, s string) { f.Name = domain.Some(s) },
		"email":         func(f *rules.Fields, s string) { f.Email = domain.Some(s) },
		"customer_plan": func(f *rules.Fields, s string) { f.Plan = domain.Some(s) },
	}
	for i, c := range []struct {
		field, value string
		code         domain.Code
	}{
		{"name", "A", ""}, {"name", strings.Repeat("á", 255), ""}, {"name", " " + strings.Repeat("á", 255) + "\t", ""}, {"name", strings.Repeat("á", 256), "too_long"},
		{"email", email(254), ""}, {"email", email(255), "too_long"}, {"email", " ana@example.com ", ""},
		{"customer_plan", "", ""}, {"customer_plan", strings.Repeat("á", 255), ""}, {"customer_plan", strings.Repeat("á", 256), "too_long"},
		{"name", "Ana\u0085B", "control_character"}, {"name", "Jo\ufffdo", "unreadable_text"}, {"email", "jo\ufffdo@example.com", "invalid_email"}, {"email", "a\x00@example.com", "invalid_email"},
	} {
		f := fields(i + 1)
		set[c.field](&f, c.value)
		_, err := fx.m.CreateSubscriber(fx.ctx, fx.call(), f)
		refused, ok := errors.AsType[*domain.Error](err)
		switch {
		case c.code == "" && err != nil:
			t.Errorf("%s of %d characters: got %v", c.field, len([]rune(c.value)), err)
		case c.code != "" && (!ok || len(refused.Fields) != 1 || refused.Fields[0].Code != c.code):
			t.Errorf("%s %.20q of %d characters: got %+v, want %s", c.field, c.value, len([]rune(c.value)), err, c.code)
		}
	}
}

func TestHistorySaysWhoDidWhat(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.do(domain.RequestSuspend, playBasic, 1)
	fx.confirm(1, playBasic, true)
	events, err := fx.m.History(fx.ctx, fx.p.ID, document(1))
	fx.must(err)
	want := []struct {
		trigger string
		actor   domain.Actor
		status  domain.Status
	}{
		{"import", domain.ActorProvider, domain.NoService},
		{"import", domain.ActorProvider, domain.InProgress},
		{"link_completed", domain.ActorSubscriber, domain.Active},
		{"suspend", domain.ActorProvider, domain.WaitingSuspension},
		{"confirmed", domain.ActorPartner, domain.Suspended},
	}
	if len(events) != len(want) {
		t.Fatalf("got %d events, want %d", len(events), len(want))
	}
	for i, e := range events {
		if e.Trigger != want[i].trigger || e.Actor != want[i].actor || e.Status != want[i].status || e.Document != doc(1) {
			t.Errorf("event %d: got %+v, want %+v", i, e, want[i])
		}
	}
	after, _, err := fx.m.Events(fx.ctx, fx.p.ID, events[2].ID, 1)
	fx.must(err)
	if len(after) != 1 || after[0].ID != events[3].ID {
		t.Errorf("feed after the third event: got %+v, want the fourth", after)
	}
}

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
	wantCode(t, errorOf(fx.m.CreateSubscriber(fx.ctx, fx.call(), fields(1))), domain.SubscriberExists)
	fx.register(2, 2)
	wantCode(t, errorOf(fx.m.UpdateSubscriber(fx.ctx, fx.call(), document(1), rules.Fields{Document: domain.Some(doc(2))})), domain.SubscriberExists)
	fx.must(errorOf(fx.m.UpdateSubscriber(fx.ctx, fx.call(), document(1), rules.Fields{Document: domain.Some(doc(3))})))
	wantCode(t, errorOf(fx.m.Subscriber(fx.ctx, fx.p.ID, document(1))), domain.SubscriberNotFound)

	fx.do(domain.RequestActivate, playBasic, 3)
	wantCode(t, fx.m.DeleteSubscriber(fx.ctx, fx.call(), document(3)), domain.SubscriberHasServices)
	fx.do(domain.RequestDeactivate, playBasic, 3)
	wantCode(t, fx.m.DeleteSubscriber(fx.ctx, fx.call(), document(3)), domain.SubscriberHasServices)
	fx.confirm(3, playBasic, true)
	fx.must(fx.m.DeleteSubscriber(fx.ctx, fx.call(), document(3)))
	wantCode(t, fx.m.DeleteSubscriber(fx.ctx, fx.call(), document(3)), domain.SubscriberNotFound)
	fx.register(3, 3, playBasic) // the same person may come back
}

// The longest that a field may be is taken, one more is not; blanks around it do not count.
func TestInvalidFieldsAreRefused(t *testing.T) {
	fx := newFixture(t, 10)
	text := domain.Some[string]
	email := strings.Repeat("a", 60) + "@" + strings.Repeat(strings.Repeat("d", 61)+".", 3) + "abcd.br" // 254 characters
	set := map[string]func(*rules.Fields, domain.Optional[string]){
		"name":          func(f *rules.Fields, s domain.Optional[string]) { f.Name = s },
		"email":         func(f *rules.Fields, s domain.Optional[string]) { f.Email = s },
		"document":      func(f *rules.Fields, s domain.Optional[string]) { f.Document = s },
		"phone":         func(f *rules.Fields, s domain.Optional[string]) { f.Phone = s },
		"customer_plan": func(f *rules.Fields, s domain.Optional[string]) { f.Plan = s },
	}
	long := strings.Repeat("á", 255)
	for i, c := range []struct {
		field string
		value domain.Optional[string]
		code  domain.Code // "": it is taken
	}{
		{"name", domain.Optional[string]{}, "required"}, {"name", text("  "), "required"}, {"name", text("\u200b \ufe0f\u3164"), "required"}, {"name", text("A"), ""},
		{"name", text(long), ""}, {"name", text(" " + long + "\t"), ""}, {"name", text(long + "á"), "too_long"},
		{"name", text("Ana\u0085B"), "control_character"}, {"name", text("Jo\ufffdo"), "unreadable_text"},
		{"email", domain.Optional[string]{Set: true, Null: true}, "required"}, {"email", text(" "), "required"}, {"email", text(" ana@example.com "), ""},
		{"email", text(email), ""}, {"email", text("a" + email), "too_long"},
		{"email", text("Ana <ana@example.com>"), "invalid_email"}, {"email", text("a@b.com,c@d.com"), "invalid_email"},
		{"email", text("ana@localhost"), "invalid_email"}, {"email", text("jo\ufffdo@example.com"), "invalid_email"}, {"email", text("a\x00@example.com"), "invalid_email"},
		{"document", text("52998224724"), "invalid_check_digit"}, {"document", text("12ABC34501DE35"), "cnpj_not_supported"},
		{"phone", text("1187654321"), "invalid_phone"},
		{"customer_plan", text(""), ""}, {"customer_plan", text(long), ""}, {"customer_plan", text(long + "á"), "too_long"},
		{"customer_plan", text("a\x1b[0m"), "control_character"},
	} {
		f := fields(i + 1)
		set[c.field](&f, c.value)
		_, err := fx.m.CreateSubscriber(fx.ctx, fx.call(), f)
		refused, ok := errors.AsType[*domain.Error](err)
		switch {
		case c.code == "" && err != nil:
			t.Errorf("%s %.20q: got %v", c.field, c.value.Value, err)
		case c.code != "" && (!ok || refused.Code != domain.ValidationFailed || len(refused.Fields) != 1 ||
			refused.Fields[0].Field != c.field || refused.Fields[0].Code != c.code):
			t.Errorf("%s %.20q: got %+v, want %s", c.field, c.value.Value, err, c.code)
		}
	}
	f := fields(1)
	f.SpeedID = domain.Some(39)
	wantCode(t, errorOf(fx.m.CreateSubscriber(fx.ctx, fx.call(), f)), domain.UnknownInternetSpeed)
}

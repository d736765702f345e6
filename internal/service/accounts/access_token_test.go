package accounts_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ativa/internal/service/accounts"
	"ativa/internal/service/domain"
	"ativa/internal/service/servicetest"
)

// create adds a token with all scopes to the fixture's provider.
func (fx *fixture) create(name string, expires time.Time) string {
	fx.t.Helper()
	_, secret, err := fx.m.CreateToken(fx.ctx, domain.Caller{Provider: fx.p.ID}, domain.AccessToken{Name: name, Scopes: domain.AllScopes, ExpiresAt: expires})
	fx.must(err)
	return secret
}

// wantNoToken checks that a token cannot be created, and returns why.
func (fx *fixture) wantNoToken(want domain.Code, token domain.AccessToken) error {
	fx.t.Helper()
	_, _, err := fx.m.CreateToken(fx.ctx, domain.Caller{Provider: fx.p.ID}, token)
	wantCode(fx.t, err, want)
	return err
}

// rotate gives a token another secret.
func (fx *fixture) rotate(idOrName string, grace time.Duration) (secret string) {
	fx.t.Helper()
	_, secret, err := fx.m.RotateToken(fx.ctx, domain.Caller{Provider: fx.p.ID}, idOrName, grace)
	fx.must(err)
	return secret
}

func (fx *fixture) revoke(idOrName string) domain.AccessToken {
	fx.t.Helper()
	token, err := fx.m.RevokeToken(fx.ctx, domain.Caller{Provider: fx.p.ID}, idOrName)
	fx.must(err)
	return token
}

// bearer exchanges an access token.
func (fx *fixture) bearer(secret string) accounts.Bearer {
	fx.t.Helper()
	b, err := fx.m.Authenticate(fx.ctx, secret)
	fx.must(err)
	return b
}

// token reads a token by its name.
func (fx *fixture) accessToken(name string) domain.AccessToken {
	fx.t.Helper()
	all, err := fx.m.AccessTokens(fx.ctx, []domain.ProviderID{fx.p.ID})
	fx.must(err)
	for _, token := range all {
		if token.Name == name {
			return token
		}
	}
	fx.t.Fatalf("there is no token %s", name)
	return domain.AccessToken{}
}

// refused checks that an access token is refused in the words in which an unknown one is.
func (fx *fixture) refused(secret string) {
	fx.t.Helper()
	unknown, err := errorOf(fx.m.Authenticate(fx.ctx, accounts.NewAccessToken())), errorOf(fx.m.Authenticate(fx.ctx, secret))
	if wantCode(fx.t, err, domain.InvalidAccessToken); err.Error() != unknown.Error() {
		fx.t.Errorf("got %v, want %v", err, unknown)
	}
}

// wantBearer checks that a bearer token is refused, or accepted if the code is "".
func (fx *fixture) wantBearer(bearer accounts.Bearer, want domain.Code) {
	fx.t.Helper()
	if _, err := fx.m.Identify(fx.ctx, bearer.Token); err != nil || want != "" {
		wantCode(fx.t, err, want)
	}
}

func TestATokenActsUnderItsNameAndScopes(t *testing.T) {
	fx := newFixture(t)
	made, secret, err := fx.m.CreateToken(fx.ctx, domain.Caller{Provider: fx.p.ID}, domain.AccessToken{Name: " cron ", Scopes: domain.ScopeProvision})
	fx.must(err)
	bearer := fx.bearer(secret)
	if got := bearer.AccessToken; got.Name != "cron" || got.Scopes != domain.ScopeRead|domain.ScopeProvision || got.ID != made.ID {
		t.Errorf("got %+v, want cron with read and provision", got)
	}
	caller, err := fx.m.Identify(fx.ctx, bearer.Token)
	fx.must(err)
	if caller != (domain.Caller{Provider: fx.p.ID, Token: made.ID, Scopes: domain.ScopeRead | domain.ScopeProvision}) {
		t.Errorf("got %+v", caller)
	}
	first, err := fx.m.Identify(fx.ctx, fx.bearer(fx.token).Token)
	fx.must(err)
	if first.Scopes != domain.AllScopes || fx.accessToken("default").ID != first.Token {
		t.Errorf("got %+v, want the first token, default, with all scopes", first)
	}
	heir, _, err := fx.m.CreateToken(fx.ctx, first, domain.AccessToken{Name: "maria"})
	fx.must(err)
	if heir.Scopes != domain.AllScopes&^domain.ScopeTokens {
		t.Errorf("got the scopes %q of a token made without any, want those of its maker but tokens", heir.Scopes.Names())
	}
	_, _, err = fx.m.CreateToken(fx.ctx, caller, domain.AccessToken{Name: "ana"})
	fx.must(err)
	_, _, err = fx.m.CreateToken(fx.ctx, caller, domain.AccessToken{Name: "bia", Scopes: domain.ScopeManage})
	wantCode(t, err, domain.InsufficientScope)
	fx.revoke("cron") // its events keep the name
	for actor, id := range map[string]domain.TokenID{"": made.ID, "default": heir.ID, "cron": fx.accessToken("ana").ID} {
		if got := fx.creation(id).ActorName; got != actor {
			t.Errorf("got the actor %q, want %q", got, actor)
		}
	}
}

func TestANameOfATokenIsNeverUsedAgain(t *testing.T) {
	fx := newFixture(t)
	other, _, err := fx.m.CreateProvider(fx.ctx, domain.Provider{Name: "Outro"})
	fx.must(err)
	fx.create("cron", time.Time{})
	fx.create("short", fx.now.Add(time.Second))
	fx.revoke("cron")
	fx.now = fx.now.Add(time.Minute)
	for _, name := range []string{"cron", "short", "default", " cron "} {
		fx.wantNoToken(domain.NameTaken, domain.AccessToken{Name: name})
	}
	_, _, err = fx.m.CreateToken(fx.ctx, domain.Caller{Provider: other.ID}, domain.AccessToken{Name: "cron"}) // another provider's names are its own
	fx.must(err)
	for _, bad := range []string{"", " ", "\u200b", "a\tb", "a\x1b[31m", "a\u0085b", "a\u202eb", "\xff", strings.Repeat("ã", 61), "tok_1", "tok_zz9", "tok_007", "tok_"} {
		fx.wantNoToken(domain.ValidationFailed, domain.AccessToken{Name: bad})
	}
	for _, good := range []string{strings.Repeat("ã", 60), "tok_A", "tok_1 desk", "7", "Suporte às 8"} {
		fx.create(good, time.Time{})
	}
}

func TestAProviderHasUpToFiftyLiveTokens(t *testing.T) {
	fx := newFixture(t)
	fx.create("short", fx.now.Add(time.Second))
	for n := range 48 {
		fx.create(fmt.Sprint("t", n), time.Time{})
	}
	if err := fx.wantNoToken(domain.AccessTokenLimit, domain.AccessToken{Name: "one more"}); !strings.Contains(err.Error(), "revoke") {
		t.Errorf("got %q, which names no remedy", err)
	}
	fx.revoke("t0")
	fx.create("one more", time.Time{})
	fx.now = fx.now.Add(time.Second) // one has expired
	fx.create("another", time.Time{})
	fx.wantNoToken(domain.AccessTokenLimit, domain.AccessToken{Name: "too many"})
}

func TestAnExpiredTokenIsRefusedLikeAnUnknownOne(t *testing.T) {
	fx := newFixture(t)
	fx.wantNoToken(domain.ValidationFailed, domain.AccessToken{Name: "late", ExpiresAt: fx.now})
	secret := fx.create("short", fx.now.Add(time.Hour))
	bearer := fx.bearer(secret)
	if bearer.ExpiresIn != time.Hour {
		t.Errorf("got a bearer token for %s, want for the hour that is left", bearer.ExpiresIn)
	}
	fx.now = fx.now.Add(time.Hour - time.Microsecond)
	fx.wantBearer(bearer, "")
	fx.bearer(secret)
	fx.now = fx.now.Add(time.Microsecond)
	fx.wantBearer(bearer, domain.TokenExpired)
	fx.refused(secret)
	_, _, err := fx.m.RotateToken(fx.ctx, domain.Caller{Provider: fx.p.ID}, "short", 0)
	wantCode(t, err, domain.AccessTokenEnded)
	if !strings.Contains(err.Error(), "create another") {
		t.Errorf("got %q, which names no remedy", err)
	}
}

// A secret that was replaced at once stays refused if the clock is set back, like one that was revoked.
func TestAReplacedSecretStaysRefusedWhenTheClockIsSetBack(t *testing.T) {
	fx := newFixture(t)
	bearer := fx.bearer(fx.token)
	fx.rotate("default", 0)
	fx.now = fx.now.Add(-time.Hour)
	fx.wantBearer(bearer, domain.TokenInvalid)
	fx.refused(fx.token)
}

// After a rotation the previous secret and its bearer tokens are accepted until the grace ends; older
// ones end at once.
func TestAReplacedSecretIsAcceptedDuringItsGrace(t *testing.T) {
	fx := newFixture(t)
	before := fx.bearer(fx.token)
	second := fx.rotate("default", time.Hour)
	during := fx.bearer(fx.token)
	if during.ExpiresIn != time.Hour {
		t.Errorf("got a bearer token for %s, want for the grace", during.ExpiresIn)
	}
	fx.now = fx.now.Add(time.Hour - time.Microsecond)
	fx.wantBearer(before, "")
	fx.wantBearer(during, "")
	fx.now = fx.now.Add(time.Microsecond)
	fx.wantBearer(before, domain.TokenExpired)
	fx.wantBearer(during, domain.TokenExpired)
	fx.refused(fx.token)
	inUse := fx.bearer(second)
	third := fx.rotate("default", time.Hour)
	replaced := fx.bearer(second)
	fourth := fx.rotate("default", time.Hour)
	fx.refused(second)
	fx.wantBearer(inUse, domain.TokenInvalid)
	fx.wantBearer(replaced, domain.TokenInvalid)
	fx.bearer(third)
	fx.bearer(fourth)
}

// A token that has ended changes no token, and does not count as one that may make others.
func TestATokenThatHasEndedAdministersNothing(t *testing.T) {
	fx := newFixture(t)
	fx.create("short", fx.now.Add(time.Hour))
	short, first := fx.accessToken("short").ID, fx.accessToken("default").ID
	fx.now = fx.now.Add(time.Hour)
	_, _, err := fx.m.CreateToken(fx.ctx, domain.Caller{Provider: fx.p.ID, Token: short}, domain.AccessToken{Name: "maria"})
	wantCode(t, err, domain.TokenInvalid)
	wantCode(t, errorOf(fx.m.RevokeToken(fx.ctx, domain.Caller{Provider: fx.p.ID, Token: first}, first.String())), domain.LastAdminToken)
	fx.must(errorOf(fx.m.RevokeToken(fx.ctx, domain.Caller{Provider: fx.p.ID, Token: first}, short.String())))
}

func TestATokenIsNamedByIDOrName(t *testing.T) {
	fx := newFixture(t)
	_, _, err := fx.m.CreateProvider(fx.ctx, domain.Provider{Name: "Outro"})
	fx.must(err)
	fx.create("cron", time.Time{})
	id := fx.accessToken("cron").ID.String()
	for _, call := range []struct{ provider, token string }{{"Outro", "cron"}, {"Outro", id}, {"Provedor", "nobody"}, {"Provedor", ""}} {
		operator, err := fx.m.Operator(fx.ctx, call.provider)
		fx.must(err)
		wantCode(t, errorOf(fx.m.RevokeToken(fx.ctx, operator, call.token)), domain.NotFound)
	}
	for _, err := range []error{errorOf(fx.m.Operator(fx.ctx, "Nobody")), errorOf(fx.m.Enable(fx.ctx, "Nobody", true)), errorOf(fx.m.Brand(fx.ctx, "Nobody")),
		errorOf(fx.m.UpdateBrand(fx.ctx, "Nobody", nil)), fx.m.Grant(fx.ctx, "Nobody", nil, true)} {
		wantCode(t, err, domain.NotFound)
	}
	byToken := domain.Caller{Provider: fx.p.ID, Token: fx.accessToken("default").ID}
	wantCode(t, errorOf(fx.m.RevokeToken(fx.ctx, byToken, "cron")), domain.NotFound) // a provider gives the id
	ended := fx.revoke(id).RevokedAt
	fx.now = fx.now.Add(time.Hour)
	if again := fx.revoke("cron"); !again.RevokedAt.Equal(ended) {
		t.Errorf("revoked again at %s, want %s still", again.RevokedAt, ended)
	}
}

// The last use of a token is written apart from the requests, once an hour. If the database refuses
// it, the requests succeed, and the hour of the use is written later.
func TestTheUseOfATokenIsWrittenOnceAnHour(t *testing.T) {
	fx := newFixture(t)
	spy := &tokenStore{Store: fx.store, fault: errors.New("read-only")}
	fx.m = servicetest.New(spy, fx.options)
	fx.now = fx.now.Add(10 * time.Minute)
	bearer := fx.bearer(fx.token)
	use := func(times, written int, want time.Time) {
		t.Helper()
		for range times {
			fx.wantBearer(bearer, "")
		}
		if err := fx.m.RecordTokenUse(fx.ctx); !errors.Is(err, spy.fault) {
			t.Errorf("got %v, want %v", err, spy.fault)
		}
		if got := fx.accessToken("default").LastUsedAt; !got.Equal(want) || spy.written != written {
			t.Errorf("got %s after %d writes, want %s after %d", got, spy.written, want, written)
		}
	}
	noon := fx.now.Truncate(time.Hour)
	use(5, 1, time.Time{}) // refused
	fx.now = fx.now.Add(time.Hour)
	use(0, 2, time.Time{})
	spy.fault = nil
	use(0, 3, noon) // retried, with the hour of the use
	use(5, 4, noon.Add(time.Hour))
	fx.now = fx.now.Add(49 * time.Minute)
	use(5, 4, noon.Add(time.Hour))
	fx.now = fx.now.Add(time.Minute)
	use(0, 4, noon.Add(time.Hour))
	use(5, 5, noon.Add(2*time.Hour))
	fx.must(fx.store.SetTokensUsed(fx.ctx, map[domain.TokenID]time.Time{bearer.AccessToken.ID: noon})) // a late server
	use(0, 5, noon.Add(2*time.Hour))
}

// A token is refused while its provider is disabled, and afterwards accepted as before.
func TestTheTokensOfADisabledProviderAreRefused(t *testing.T) {
	fx := newFixture(t)
	bearer := fx.bearer(fx.token)
	fx.must(errorOf(fx.m.Enable(fx.ctx, fx.p.Name, false)))
	fx.wantBearer(bearer, domain.TokenInvalid)
	fx.refused(fx.token)
	fx.must(errorOf(fx.m.Enable(fx.ctx, fx.p.Name, true)))
	fx.wantBearer(bearer, "")
	fx.bearer(fx.token)
}

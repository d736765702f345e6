package accounts_test

import (
	"fmt"
	"testing"
	"time"

	"ativa/internal/service/domain"
)

// record reads the operator's record since a time, one line an entry.
func (fx *fixture) record(since time.Time) (lines []string) {
	fx.t.Helper()
	all, err := fx.m.Record(fx.ctx, since)
	fx.must(err)
	for _, e := range all {
		outcome := "ok"
		if e.Failed {
			outcome = "failed"
		}
		lines = append(lines, fmt.Sprintf("%s|%s|%s|%s|%s|%d|%s", e.User, e.Host, e.Command, e.Arguments, outcome, e.Count, e.Address))
	}
	return lines
}

func (fx *fixture) wantRecord(since time.Time, want ...string) {
	fx.t.Helper()
	if got := fx.record(since); fmt.Sprint(got) != fmt.Sprint(want) {
		fx.t.Errorf("got the record %q, want %q", got, want)
	}
}

// The record has commands, and refused requests by address and hour (decisions.md 17). Each is
// deleted in its time.
func TestTheRecordHasCommandsAndRefusedRequests(t *testing.T) {
	fx := newFixture(t)
	fx.now = fx.now.Truncate(time.Hour)
	begin := fx.now
	fx.must(fx.m.RecordCommand(fx.ctx, domain.RecordEntry{User: "ana", Host: "srv", Command: "admin providers disable", Arguments: "Azul"}))
	for range 3 {
		fx.m.CountRefused("192.0.2.1", "POST /authenticate")
	}
	fx.m.CountRefused("192.0.2.2", "POST /authenticate")
	fx.must(fx.m.RecordRefused(fx.ctx))
	fx.now = fx.now.Add(59 * time.Minute)
	fx.m.CountRefused("192.0.2.1", "POST /authenticate")
	fx.m.CountRefused("192.0.2.1", "POST /partner/events")
	fx.must(fx.m.RecordRefused(fx.ctx))
	fx.must(fx.m.RecordRefused(fx.ctx)) // nothing left to write
	fx.now = fx.now.Add(time.Minute)
	fx.m.CountRefused("192.0.2.1", "POST /authenticate")
	fx.must(fx.m.RecordCommand(fx.ctx, domain.RecordEntry{User: "ana", Command: "admin backup", Failed: true}))
	fx.must(fx.m.RecordRefused(fx.ctx))
	command := "ana|srv|admin providers disable|Azul|ok|1|"
	later := []string{"ana||admin backup||failed|1|", "||POST /authenticate||failed|1|192.0.2.1"}
	fx.wantRecord(begin, append([]string{command, "||POST /authenticate||failed|4|192.0.2.1", "||POST /partner/events||failed|1|192.0.2.1",
		"||POST /authenticate||failed|1|192.0.2.2"}, later...)...)
	fx.wantRecord(begin.Add(time.Hour), later...)

	fx.must(fx.store.Purge(fx.ctx, domain.RetentionCutoffs{Refused: begin.Add(time.Hour)}))
	fx.wantRecord(begin, append([]string{command}, later...)...)
	fx.must(fx.store.Purge(fx.ctx, domain.RetentionCutoffs{Record: begin.Add(time.Minute)}))
	fx.wantRecord(begin, later...)
}

// A flood of addresses takes bounded memory.
func TestRefusedRequestsOfManyAddressesAreCountedTogether(t *testing.T) {
	fx := newFixture(t)
	for n := range 10_100 {
		fx.m.CountRefused(fmt.Sprint(n), "POST /authenticate")
	}
	fx.must(fx.m.RecordRefused(fx.ctx))
	if got := fx.record(fx.now.Add(-time.Hour)); len(got) != 10_001 || got[0] != "||POST /authenticate||failed|100|" {
		t.Errorf("got %d entries, the first %q", len(got), got[0])
	}
}

// The record has a provider's token changes with the token that made them.
func TestTheRecordHasTokenChangesOfProviders(t *testing.T) {
	fx := newFixture(t)
	by := domain.Caller{Provider: fx.p.ID, Token: fx.accessToken("default").ID}
	made, _, err := fx.m.CreateToken(fx.ctx, by, domain.AccessToken{Name: "maria"})
	fx.must(err)
	rotated, _, err := fx.m.RotateToken(fx.ctx, by, made.ID.String(), time.Hour)
	fx.must(err)
	if rotated.Generation != 1 || !rotated.SecretEndsAt.Equal(fx.now.Add(time.Hour)) {
		t.Errorf("got generation %d and the old secret until %s", rotated.Generation, rotated.SecretEndsAt)
	}
	revoked, err := fx.m.RevokeToken(fx.ctx, by, made.ID.String())
	fx.must(err)
	if !revoked.SecretEndsAt.Equal(rotated.SecretEndsAt) {
		t.Errorf("got the old secret until %s, want %s", revoked.SecretEndsAt, rotated.SecretEndsAt)
	}
	fx.create("night", time.Time{}) // the operator's command writes its own entry
	fx.wantRecord(fx.now, "Provedor/default||token.created|maria|ok|1|", "Provedor/default||token.rotated|maria|ok|1|", "Provedor/default||token.revoked|maria|ok|1|")
}

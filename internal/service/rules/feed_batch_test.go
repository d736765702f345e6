package rules_test

import (
	"testing"
	"time"

	"ativa/internal/service/domain"
)

// Who has read the callback before another server pushed its batch, or before an operator
// made the feed begin elsewhere, pushes nothing.
func TestABatchOfAFeedIsNotClaimedByWhatWasReadBefore(t *testing.T) {
	for name, meanwhile := range map[string]func(*fixture, domain.FeedCallback){
		"another server pushed it": func(fx *fixture, read domain.FeedCallback) {
			b, found, err := fx.m.ClaimFeedBatch(fx.ctx, read, time.Minute)
			if fx.must(err); !found {
				t.Fatal("there is no batch")
			}
			_, _, err = fx.m.FinishFeedBatch(fx.ctx, b, domain.FeedOutcome{})
			fx.must(err)
			fx.register(2, 2, playBasic)
		},
		"another server failed": func(fx *fixture, read domain.FeedCallback) {
			b, _, err := fx.m.ClaimFeedBatch(fx.ctx, read, time.Minute)
			fx.must(err)
			_, _, err = fx.m.FinishFeedBatch(fx.ctx, b, domain.FeedOutcome{Error: "503"})
			fx.must(err)
			fx.register(2, 2, playBasic)
		},
		"it begins elsewhere": func(fx *fixture, read domain.FeedCallback) {
			fx.now = fx.now.Add(time.Second)
			_, err := fx.m.ReplayFeed(fx.ctx, fx.p.Name, read.Cursor)
			fx.must(err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			fx := newFixture(t, 10)
			_, err := fx.m.SetFeedCallback(fx.ctx, fx.p.Name, "https://azul.example.com/feed", false, false)
			fx.must(err)
			fx.register(1, 1, playBasic)
			due, _, err := fx.m.DueFeedCallbacks(fx.ctx)
			fx.must(err)
			meanwhile(fx, due[0])
			if b, found, err := fx.m.ClaimFeedBatch(fx.ctx, due[0], time.Minute); found || err != nil {
				t.Errorf("got the batch %+v, %v", b, err)
			}
		})
	}
}

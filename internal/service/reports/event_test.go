package reports_test

import (
	"context"
	"slices"
	"testing"

	"ativa/internal/service/domain"
	"ativa/internal/service/reports"
)

// A feedStore holds the ids of a feed whose oldest events are deleted.
type feedStore struct {
	reports.Store
	kept   []domain.EventID
	newest domain.EventID
}

func (s feedStore) LastEvent(context.Context, domain.ProviderID) (domain.EventID, error) {
	return s.newest, nil
}

func (s feedStore) Events(_ context.Context, _ domain.ProviderID, after domain.EventID, limit int) (events []domain.Event, err error) {
	for _, id := range s.kept {
		if id > after && len(events) < limit {
			events = append(events, domain.Event{ID: id})
		}
	}
	return events, nil
}

// A reader misses no event: it gets the next one, or an error if that one is deleted or was lost with
// a restore. Only the ids that a restore skips may be missing.
func TestACursorIsRefusedOnlyIfAnEventAfterItIsGone(t *testing.T) {
	const p = domain.ProviderID(1)
	first, last := p.Records()
	e := func(n int) domain.EventID { return domain.EventID(first) + domain.EventID(n) }
	const restored = domain.SkippedEvents + 2
	for name, c := range map[string]struct {
		after  domain.EventID
		kept   []domain.EventID
		newest domain.EventID
		want   []domain.EventID
		next   domain.EventID // 0: refused
	}{
		"the beginning":             {0, []domain.EventID{e(5), e(6)}, e(6), []domain.EventID{e(5), e(6)}, e(6)},
		"no event yet":              {0, nil, e(0), nil, e(0)},
		"all are read":              {e(6), []domain.EventID{e(5), e(6)}, e(6), nil, e(6)},
		"the next is the only one":  {e(5), []domain.EventID{e(6)}, e(6), []domain.EventID{e(6)}, e(6)},
		"the next is deleted":       {e(4), []domain.EventID{e(6)}, e(6), nil, 0},
		"all after it are deleted":  {e(4), nil, e(6), nil, 0},
		"read, and then deleted":    {e(6), nil, e(6), nil, e(6)},
		"the end of one page":       {e(1), []domain.EventID{e(2), e(3), e(4), e(5)}, e(5), []domain.EventID{e(2), e(3), e(4)}, e(4)},
		"beyond the newest":         {e(7), []domain.EventID{e(6)}, e(6), nil, 0},
		"lost with a restore":       {e(3), []domain.EventID{e(2), e(restored + 1)}, e(restored + 1), nil, 0},
		"before a restore":          {e(1), []domain.EventID{e(1), e(2), e(restored + 1)}, e(restored + 1), []domain.EventID{e(2)}, e(2)},
		"the last before a restore": {e(2), []domain.EventID{e(2), e(restored + 1)}, e(restored + 1), []domain.EventID{e(restored + 1)}, e(restored + 1)},
		"after a restore, no event": {e(2), []domain.EventID{e(2)}, e(restored), nil, e(restored)},
		"another provider's":        {domain.EventID(last) + 1, nil, domain.EventID(last), nil, 0},
	} {
		events, next, err := reports.New(feedStore{kept: c.kept, newest: c.newest}, nil).Events(t.Context(), p, c.after, 3)
		var got []domain.EventID
		for _, event := range events {
			got = append(got, event.ID)
		}
		if !slices.Equal(got, c.want) || next != c.next || domain.IsCode(err, domain.InvalidCursor) != (c.next == 0) {
			t.Errorf("%s: got the events %v, the cursor %d, %v; want %v, %d", name, got, next, err, c.want, c.next)
		}
	}
}

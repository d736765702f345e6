package reports

import (
	"context"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// History returns the events of a subscriber and its services, oldest first.
func (r *Reports) History(ctx context.Context, p domain.ProviderID, d cpf.Document) ([]domain.Event, error) {
	s, err := r.Subscriber(ctx, p, d)
	if err != nil {
		return nil, err
	}
	return r.history(ctx, s.Subscriber)
}

// history reads the events of an existing subscriber.
func (r *Reports) history(ctx context.Context, s domain.Subscriber) ([]domain.Event, error) {
	all, err := r.store.History(ctx, s.ID)
	for i := range all {
		all[i].Document = string(s.Document)
	}
	return all, err
}

// Events returns up to limit events of the provider after a cursor, and the next cursor. Cursor 0
// starts at the oldest stored event. Events returns InvalidCursor if it would have to skip events:
// because retention has deleted the next one, or because the cursor is newer than a restored
// database.
func (r *Reports) Events(ctx context.Context, p domain.ProviderID, after domain.EventID, limit int) ([]domain.Event, domain.EventID, error) {
	if first, last := p.Records(); after != 0 && (int64(after) < first || int64(after) > last) {
		return nil, 0, domain.ForeignCursor()
	}
	newest, err := r.store.LastEvent(ctx, p) // read first, so that an event written meanwhile does not look like a gap
	if err != nil {
		return nil, 0, err
	}
	if after > newest {
		return nil, 0, domain.BadCursor("the cursor is beyond the end of the feed: the service was restored from a backup; begin without a cursor")
	}
	events, err := r.store.Events(ctx, p, after, limit)
	switch {
	case err != nil:
		return nil, 0, err
	case len(events) > 0 && (events[0].ID-after-1)%domain.SkippedEvents == 0: // the next one, perhaps after restores
	case len(events) == 0 && (newest-after)%domain.SkippedEvents == 0: // there is none but the ids that restores skip
	case after != 0:
		if err := r.mustBeKept(ctx, p, after); err != nil {
			return nil, 0, err
		}
	}
	if len(events) == 0 {
		return nil, newest, nil
	}
	after = events[0].ID
	n := 1
	for n < len(events) && events[n].ID == after+1 { // ids are consecutive, except the ids that a restore skips
		after++
		n++
	}
	return events[:n], after, nil
}

// mustBeKept returns InvalidCursor if the event at a cursor is no longer stored. Retention deletes
// the oldest events first, so none is missing after one that is stored.
func (r *Reports) mustBeKept(ctx context.Context, p domain.ProviderID, cursor domain.EventID) error {
	kept, err := r.store.Events(ctx, p, cursor-1, 1)
	if err == nil && (len(kept) == 0 || kept[0].ID != cursor) {
		err = domain.BadCursor("events after the cursor are no longer kept; begin without a cursor")
	}
	return err
}

package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"ativa/internal/service/domain"
)

// purgeSize is the maximum number of rows that one write of a purge deletes, so that other writes
// do not wait long.
const purgeSize = 500

// retentionRule selects the rows of a table to delete: those that satisfy the condition old with
// the time when. key is the primary key.
type retentionRule struct {
	table string
	key   []string
	old   string
	when  time.Time
}

// Purge deletes the rows that are older than the cutoffs. Readers find them; the writer deletes them
// in small parts. Erased data is then also overwritten in the file and removed from the write-ahead
// log.
func (db *DB) Purge(ctx context.Context, r domain.RetentionCutoffs) error {
	for _, s := range []retentionRule{
		{"idempotency_response", []string{"provider_id", "key"}, "created_at < ?", r.Responses},
		{"bearer_token", []string{"hash"}, "expires_at < ?", r.Bearers},
		{"activation_link", []string{"hash"}, "expires_at < ?", r.Links},
		{"delivery", []string{"service_id", "id"}, isDone + " AND next_at < ?", r.Deliveries},
		{"schedule", []string{"id"}, "ended_at > 0 AND ended_at < ?", r.Events},
		{"partner_event", []string{"partner_id", "id"}, "received_at < ?", r.PartnerEvents},
		{"operator_record", []string{"id"}, "at < ?", r.Record},
		{"refused_request", []string{"hour", "address", "request"}, "hour < ?", r.Refused},
	} {
		if s.when.IsZero() {
			continue
		}
		for n := purgeSize; n == purgeSize; {
			var err error
			if n, err = db.purge(ctx, s); err != nil {
				return err
			}
		}
	}
	if !r.Events.IsZero() {
		if err := db.purgeEvents(ctx, r.Events); err != nil {
			return err
		}
	}
	return db.maintain(ctx)
}

// purge deletes a part of the rows that a rule selects, and returns how many it found. Another server
// may delete the same ones.
func (db *DB) purge(ctx context.Context, s retentionRule) (int, error) {
	keys, err := list(ctx, db.read, func(key *[]any) []any {
		*key = make([]any, len(s.key))
		into := make([]any, len(s.key))
		for i := range into {
			into[i] = &(*key)[i]
		}
		return into
	}, `SELECT `+strings.Join(s.key, `, `)+` FROM `+s.table+` WHERE `+s.old+` LIMIT ?`, micros(s.when), purgeSize)
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	return len(keys), db.write(ctx, func(ctx context.Context, t *tx) error {
		for _, key := range keys {
			err := t.queue(ctx, `DELETE FROM `+s.table+` WHERE `+strings.Join(s.key, ` = ? AND `)+` = ? AND `+s.old, append(key, micros(s.when))...)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// purgeEvents deletes the oldest events of each provider up to the first that is kept. If a clock
// was wrong for a while, the times do not ascend, and a gap in the feed would stop every reader.
func (db *DB) purgeEvents(ctx context.Context, before time.Time) error {
	providers, err := db.Providers(ctx)
	if err != nil {
		return err
	}
	for _, p := range providers {
		for more := true; more; {
			if more, err = db.purgeOldestEvents(ctx, p.ID, before); err != nil {
				return err
			}
		}
	}
	return nil
}

// purgeOldestEvents deletes a part of a provider's events and reports whether there may
// be more to delete.
func (db *DB) purgeOldestEvents(ctx context.Context, p domain.ProviderID, before time.Time) (more bool, err error) {
	first, end := p.Records()
	oldest, err := list(ctx, db.read, func(e *domain.Event) []any { return []any{&e.ID, asTime(&e.At)} },
		`SELECT id, at FROM event WHERE id > ? AND id <= ? ORDER BY id LIMIT ?`, first, end, purgeSize)
	if kept := slices.IndexFunc(oldest, func(e domain.Event) bool { return !e.At.Before(before) }); kept >= 0 {
		oldest = oldest[:kept]
	}
	if err != nil || len(oldest) == 0 {
		return false, err
	}
	return len(oldest) == purgeSize, db.exec(ctx, `DELETE FROM event WHERE id > ? AND id <= ?`, first, oldest[len(oldest)-1].ID)
}

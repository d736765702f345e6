package store

import (
	"context"
	"strings"
	"time"

	"ativa/internal/provision"
)

// purgeSize bounds the rows that one write of a purge deletes, so that other
// writes need not wait long.
const purgeSize = 500

// retentionRule selects the rows of a table to delete: those for which the
// condition old holds with the time when. key is the primary key.
type retentionRule struct {
	table string
	key   []string
	old   string
	when  time.Time
}

// Purge implements provision.Maintenance. The readers find what is old; the writer
// deletes it in small parts. What was erased is then also overwritten in the
// file and gone from the write-ahead log.
func (db *DB) Purge(ctx context.Context, r provision.RetentionCutoffs) error {
	for _, s := range []retentionRule{
		{"answer", []string{"provider_id", "key"}, "created_at < ?", r.Responses},
		{"bearer_token", []string{"hash"}, "expires_at < ?", r.Bearers},
		{"link", []string{"hash"}, "expires_at < ?", r.Links},
		{"job", []string{"id"}, isDone + " AND next_at < ?", r.Jobs},
		{"report", []string{"partner_id", "id"}, isSettled + " AND received_at < ?", r.PartnerEvents},
		{"event", []string{"id"}, "at < ?", r.Events},
	} {
		if s.when.IsZero() {
			continue
		}
		for more := true; more; {
			n, err := db.purge(ctx, s)
			if err != nil {
				return err
			}
			more = n == purgeSize
		}
	}
	if err := db.findGaps(ctx); err != nil {
		return err
	}
	return db.maintain(ctx)
}

func (db *DB) purge(ctx context.Context, s retentionRule) (int, error) {
	if db.read.dialect().arrayParams {
		return db.purgeAtOnce(ctx, s)
	}
	keys, err := list(ctx, db.read, func(r row, key *[]any) error {
		*key = make([]any, len(s.key))
		into := make([]any, len(s.key))
		for i := range into {
			into[i] = &(*key)[i]
		}
		return r.Scan(into...)
	}, `SELECT `+strings.Join(s.key, `, `)+` FROM `+s.table+` WHERE `+s.old+` LIMIT ?`, micros(s.when), purgeSize)
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	return len(keys), db.write(ctx, func(ctx context.Context, t *tx) error {
		for _, key := range keys {
			err := t.exec(ctx, `DELETE FROM `+s.table+` WHERE `+strings.Join(s.key, ` = ? AND `)+` = ? AND `+s.old, append(key, micros(s.when))...)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// purgeAtOnce finds and deletes rows in one statement, for an engine whose writers
// lock only rows.
func (db *DB) purgeAtOnce(ctx context.Context, s retentionRule) (n int, err error) {
	key := strings.Join(s.key, `, `)
	query := `DELETE FROM ` + s.table + ` WHERE (` + key + `) IN (SELECT ` + key + ` FROM ` + s.table + ` WHERE ` + s.old + ` LIMIT ?` +
		db.read.dialect().skipLocked + `)`
	err = db.write(ctx, func(ctx context.Context, t *tx) error {
		deleted, err := t.execRows(ctx, query, micros(s.when), purgeSize)
		n = int(deleted)
		return err
	})
	return n, err
}

package store

import "context"

// releaseLeases makes the jobs that a killed server had under way due at once.
// Only who has the file for itself may: nobody else can be at them.
func (db *DB) releaseLeases(ctx context.Context) error {
	_, err := db.writer.ExecContext(ctx, `UPDATE job SET state = 0, next_at = 0 WHERE state = 1`)
	return err
}

package store

import "context"

// skipIDs runs the statements after which a database reuses no id that it may have used after a
// backup: partners and receivers would take it for a repetition. Feed callbacks get a new generation,
// and so new webhook ids. They skip as many numbers as the events, so that later cursors stay invalid
// and a complete feed callback stays complete.
func skipIDs(ctx context.Context, run func(ctx context.Context, statement string, args ...any) (int64, error)) error {
	for _, statement := range []string{
		`UPDATE feed_callback
			SET cursor = cursor + ` + skippedEvents + `
			WHERE cursor = (SELECT (p.id << ` + recordBits + `) + p.last_event FROM provider p WHERE p.id = feed_callback.provider_id)`,
		`UPDATE provider
			SET last_operation = last_operation + 4294967296, last_job = last_job + 4294967296, last_schedule = last_schedule + 4294967296,
				last_event = last_event + ` + skippedEvents + `, last_subscriber = last_subscriber + 16777216`,
		`UPDATE feed_callback SET generation = generation + 4294967296`,
	} {
		if _, err := run(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// SkipIDs makes a restored database use only new ids. [Backup] has done it in its copies.
func (db *DB) SkipIDs(ctx context.Context) error {
	return db.write(ctx, func(ctx context.Context, t *tx) error { return skipIDs(ctx, t.execRows) })
}

// skipIDsOf does the same in a file that no other process has open.
func skipIDsOf(ctx context.Context, path string) error {
	conn, done, err := openExisting(ctx, path)
	if err != nil {
		return err
	}
	defer done()
	return skipIDs(ctx, conn.execRows)
}

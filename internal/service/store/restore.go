package store

import "context"

// skipIDs are the statements after which a database reuses no id that it may have used after a
// backup: partners and receivers would take it for a repetition. Feed callbacks get a new generation,
// and so new webhook ids. They skip as many numbers as the events, so that later cursors stay invalid
// and a complete feed callback stays complete.
var skipIDs = [...]string{
	`UPDATE feed_callback
		SET cursor = cursor + ` + skippedEvents + `
		WHERE cursor = (SELECT (p.id << ` + recordBits + `) + p.last_event FROM provider p WHERE p.id = feed_callback.provider_id)`,
	`UPDATE provider
		SET last_operation = last_operation + 4294967296, last_job = last_job + 4294967296, last_schedule = last_schedule + 4294967296,
			last_event = last_event + ` + skippedEvents + `, last_subscriber = last_subscriber + 16777216`,
	`UPDATE feed_callback SET generation = generation + 4294967296`,
}

// SkipIDs makes a restored database use only new ids. [Backup] has done it in its copies.
func (db *DB) SkipIDs(ctx context.Context) error {
	return db.write(ctx, func(ctx context.Context, t *tx) error {
		for _, statement := range skipIDs {
			if err := t.exec(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
}

// skipIDsOf does the same in a file that no other process has open.
func skipIDsOf(ctx context.Context, path string) error {
	conn, done, err := openExisting(ctx, path)
	if err != nil {
		return err
	}
	defer done()
	for _, statement := range skipIDs {
		if _, err := conn.execRows(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

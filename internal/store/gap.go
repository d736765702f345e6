package store

import (
	"context"
	"errors"
	"maps"
	"slices"

	"ativa/internal/provision"
)

// A page begins at an offset in the list, and ids have gaps: where a subscriber
// was deleted, and where an import reserved a number for one that existed. The
// table subscriber_gap holds how many ids are missing in each block that lacks
// any. So the offset of an id is a sum over blocks, and rows are counted within
// one block only, whatever the offset and the number of subscribers.

// blockBits says how many ids a block has, as a power of two. A provider's ids
// begin with a block. There are n >> blockBits blocks to add up, and at most
// 1 << blockBits rows to count.
const (
	blockBits = 10
	blockSize = 1 << blockBits

	blockOf  = ` >> 10` // the block of an id, in SQL
	blocksOf = ` << 21` // the first block of a provider, in SQL
)

// gap is a block of a provider's ids, from 0, and how many of them are missing.
type gap struct{ block, missing int64 }

// numbering describes which of a provider's subscriber numbers are in use.
type numbering struct {
	subscribers int64
	last        int64 // the highest number that was given out
	gaps        []gap // in ascending order
	known       bool  // gaps is complete
}

// numbering reads a provider and its gaps in one statement. The gaps are not
// complete when a server of an older version deleted or imported subscribers.
func (db *DB) numbering(ctx context.Context, p provision.ProviderID) (n numbering, err error) {
	first, last := p.Subscribers()
	missing := int64(0)
	err = db.read.query(ctx, `SELECT p.subscribers, p.last_subscriber, COALESCE(g.block, 0), COALESCE(g.missing, 0)
		FROM provider p
		LEFT JOIN subscriber_gap g ON g.block BETWEEN ? AND ?
		WHERE p.id = ?
		ORDER BY g.block`, []any{first >> blockBits, last >> blockBits, p}, func(r row) error {
		var g gap
		err := r.Scan(fastInt(&n.subscribers), fastInt(&n.last), fastInt(&g.block), fastInt(&g.missing))
		if g.missing > 0 {
			g.block -= int64(first >> blockBits)
			n.gaps = append(n.gaps, g)
			missing += g.missing
		}
		return err
	})
	n.known = n.subscribers+missing == n.last
	return n, err
}

// locate returns where the subscriber at an offset, from 0, is found: skip
// subscribers after the first one with a number in (after, through].
func (n numbering) locate(place int64) (after, through, skip int64) {
	if !n.known {
		return 0, n.last, place
	}
	missing := int64(0) // before the block
	for _, g := range n.gaps {
		start := max(g.block*blockSize, 1) // the numbers begin with 1
		if place+missing < start-1 {
			break
		}
		end := min((g.block+1)*blockSize-1, n.last)
		if skip = place + missing - (start - 1); skip < end-start+1-g.missing {
			return start - 1, end, skip
		}
		missing += g.missing
	}
	return place + missing, place + missing + 1, 0
}

// SubscriberPage implements provision.Reader.
func (db *DB) SubscriberPage(ctx context.Context, p provision.ProviderID, offset, limit int) ([]provision.SubscriberServices, error) {
	n, err := db.numbering(ctx, p)
	if err != nil || int64(offset) >= n.subscribers || limit < 1 {
		return nil, err
	}
	after, through, skip := n.locate(int64(offset))
	before, last, _ := n.locate(min(int64(offset)+int64(limit), n.subscribers) - 1)
	first, _ := p.Subscribers()
	from, to := first+provision.SubscriberID(after), first+provision.SubscriberID(last)
	if through == after+1 && last == before+1 { // both ends are known, so the interval holds the page
		return subscribersBetween(ctx, db.read, from, to)
	}
	all, err := list(ctx, db.read, scanWithoutServices, `SELECT `+subscriberColumns+` FROM subscriber s WHERE s.id > ? AND s.id <= ? ORDER BY s.id LIMIT ? OFFSET ?`,
		from, to, limit, skip)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	services, err := servicesBetween(ctx, db.read, all[0].ID, all[len(all)-1].ID)
	assignServices(all, services)
	return all, err
}

func (t *tx) SkipSubscribers(ctx context.Context, ids []provision.SubscriberID) error {
	missing := map[provision.SubscriberID]int64{} // by block
	for _, id := range ids {
		missing[id>>blockBits]++
	}
	for _, block := range slices.Sorted(maps.Keys(missing)) {
		err := t.queue(ctx, `INSERT INTO subscriber_gap (block, missing) VALUES (?, ?)
			ON CONFLICT (block) DO UPDATE SET missing = subscriber_gap.missing + excluded.missing`, block, missing[block])
		if err != nil {
			return err
		}
	}
	return nil
}

// findGaps counts the gaps of providers whose gaps are not complete: after an
// upgrade, and where a server of an older version still writes.
func (db *DB) findGaps(ctx context.Context) error {
	providers, err := list(ctx, db.read, func(r row, p *provision.ProviderID) error { return r.Scan(fastInt(p)) }, `SELECT p.id
		FROM provider p
		WHERE p.last_subscriber - p.subscribers <> (
			SELECT COALESCE(SUM(missing), 0)
			FROM subscriber_gap
			WHERE block >= p.id`+blocksOf+` AND block < (p.id + 1)`+blocksOf+`)`)
	for _, p := range providers {
		err = errors.Join(err, db.submit(ctx, p, func(ctx context.Context, t *tx) error { return t.countGaps(ctx) }))
	}
	return err
}

// countGaps counts the subscribers of each block of the provider anew.
func (t *tx) countGaps(ctx context.Context) error {
	first, last := t.provider.ID.Subscribers()
	start := int64(first >> blockBits)
	here := make([]int64, t.provider.Subscribers>>blockBits+1)
	err := t.query(ctx, `SELECT id`+blockOf+`, COUNT(*) FROM subscriber WHERE id BETWEEN ? AND ? GROUP BY 1`, []any{first, last}, func(r row) error {
		var block, n int64
		err := r.Scan(&block, &n)
		if block -= start; block < int64(len(here)) {
			here[block] = n
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := t.exec(ctx, `DELETE FROM subscriber_gap WHERE block BETWEEN ? AND ?`, start, last>>blockBits); err != nil {
		return err
	}
	var gaps []gap
	for block, n := range here {
		from, to := max(int64(block)*blockSize, 1), min(int64(block+1)*blockSize-1, t.provider.Subscribers)
		if missing := to - from + 1 - n; missing > 0 {
			gaps = append(gaps, gap{start + int64(block), missing})
		}
	}
	return insert(ctx, t, `subscriber_gap`, `block, missing`, gaps, func(row []any, g gap) []any { return append(row, g.block, g.missing) })
}

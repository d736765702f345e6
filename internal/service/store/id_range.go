package store

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// listBatch is the number of subscribers that a list reads at a time.
const listBatch = 1000

// idRange selects the rows of a table with after < id <= end, to be read batch ids at a time.
type idRange struct {
	table, id         string
	after, end, batch int64
}

// edge returns the least or the greatest id in a range, or 0 if it has no rows; of is MIN or MAX.
func (r idRange) edge(ctx context.Context, q querier, of string) (id int64, err error) {
	_, err = queryRow(ctx, q, `SELECT COALESCE(`+of+`(`+r.id+`), 0) FROM `+r.table+` WHERE `+r.id+` > ? AND `+r.id+` <= ?`, []any{r.after, r.end}, &id)
	return id, err
}

// eachBatch calls fn for each element that belongs to a range, in ascending order of id, and reads the
// next batch meanwhile. Rows that are inserted later at the end are left out. An empty batch may begin
// a gap of millions of ids, which a restored database has ([DB.SkipIDs]), so the next row is looked up.
func eachBatch[T any](ctx context.Context, q querier, r idRange, read func(ctx context.Context, after, last int64) ([]T, error), fn func(*T) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	batches := make(chan []T)
	var reader errgroup.Group
	reader.Go(func() (err error) {
		defer close(batches)
		if r.end, err = r.edge(ctx, q, `MAX`); err != nil {
			return err
		}
		for r.after < r.end {
			last := min(r.after+r.batch, r.end)
			all, err := read(ctx, r.after, last)
			if err != nil {
				return err
			}
			if r.after = last; len(all) == 0 && r.after < r.end {
				id, err := r.edge(ctx, q, `MIN`)
				if err != nil || id == 0 {
					return err
				}
				r.after = id - 1
			}
			select {
			case batches <- all:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for all := range batches {
		for i := range all {
			if err := fn(&all[i]); err != nil {
				stop()
				_ = reader.Wait() // it was stopped
				return err
			}
		}
	}
	return reader.Wait()
}

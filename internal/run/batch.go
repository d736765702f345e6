package run

import (
	"ativa/internal/api"
	"ativa/internal/sheet"
)

// maxBytes bounds the body of a request, well below what the server accepts.
const maxBytes = api.MaxImportBytes / 2

// maxUnsent bounds the rows of a batch that are not sent.
const maxUnsent = 256

// pendingBatch is a batch of the run. Its results are set before finished is
// closed.
type pendingBatch struct {
	Batch
	all      []*sheet.Row  // the rows of the batch and the unsent rows between them
	number   int           // in the journal
	earlier  *earlierBatch // the same batch in an earlier run, or nil
	results  []RowResult   // of all rows
	finished chan struct{}
}

// isDone reports whether the batch needs no request: it has no rows, or the journal has the results.
func (b *pendingBatch) isDone() bool {
	return len(b.Rows) == 0 || b.earlier != nil && b.earlier.isDone()
}

// replay takes the results from the journal.
func (b *pendingBatch) replay(j *Journal) {
	b.setResults(j.results(b.Rows))
	for i := range b.results {
		b.results[i].Replayed = b.results[i].Row.OK()
	}
}

// wasSent reports whether an earlier run sent the batch and its outcome is unknown.
func (b *pendingBatch) wasSent() bool {
	return b.earlier != nil && !b.earlier.isDone() && b.earlier.unsent.count() < len(b.Rows)
}

// setResults sets the results of the rows that were sent, in their order.
func (b *pendingBatch) setResults(results []Result) {
	b.results = make([]RowResult, len(b.all))
	sent := 0
	for i, row := range b.all {
		b.results[i].Row = row
		if row.OK() {
			b.results[i].Result = results[sent]
			sent++
		}
	}
}

// cutter splits rows, in order of lines, into batches: the batches of an earlier run again, and
// new ones by number of rows and size.
type cutter struct {
	options Options
	journal *Journal
	all     []*sheet.Row
	rows    []*sheet.Row  // the rows of all that will be sent
	current *earlierBatch // batch of the rows, or nil
	bytes   int           // size of rows
}

// add takes a row. If the row does not belong to the batch of the rows before, it returns that
// batch.
func (c *cutter) add(row *sheet.Row) *pendingBatch {
	if !row.OK() {
		return c.addUnsent(row)
	}
	earlier, size := c.journal.earlierBatch(row.Line), sizeOf(row)
	var ready *pendingBatch
	full := earlier == nil && (len(c.rows) >= c.options.Rows || c.bytes+size > maxBytes)
	if earlier != c.current || full {
		ready = c.cut()
	}
	c.current = earlier
	c.all, c.rows, c.bytes = append(c.all, row), append(c.rows, row), c.bytes+size
	return ready
}

// addUnsent takes a row that is not sent. It does not split a batch of an earlier run.
func (c *cutter) addUnsent(row *sheet.Row) *pendingBatch {
	var ready *pendingBatch
	inside := c.current != nil && row.Line < c.current.last()
	if !inside && len(c.all)-len(c.rows) >= maxUnsent {
		ready = c.cut()
	}
	c.all = append(c.all, row)
	return ready
}

// cut returns a batch of the rows added since the last one, or nil.
func (c *cutter) cut() *pendingBatch {
	if len(c.all) == 0 {
		return nil
	}
	b := &pendingBatch{Batch: Batch{Rows: c.rows}, all: c.all, earlier: c.current, finished: make(chan struct{})}
	c.all, c.rows, c.current, c.bytes = nil, nil, nil, 0
	return b
}

// sizeOf returns an upper bound for the bytes of the row in a request,
// including JSON escapes.
func sizeOf(r *sheet.Row) int {
	return 200 + 6*(len(r.Name)+len(r.Email)+len(r.CustomerPlan)) + len(r.Phone) + 12*len(r.ProductsIDs)
}

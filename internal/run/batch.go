package run

import (
	"ativa/internal/api"
	"ativa/internal/sheet"
)

// maxBytes bounds the body of a request, well below what the server accepts.
const maxBytes = api.MaxImportBytes / 2

// pendingBatch is a batch of the run. Its results are set before finished is
// closed.
type pendingBatch struct {
	Batch
	number   int           // in the journal
	earlier  *earlierBatch // the same batch in an earlier run, or nil
	results  []RowResult
	finished chan struct{}
}

// isDone reports whether the journal has the results.
func (b *pendingBatch) isDone() bool { return b.earlier != nil && b.earlier.results != nil }

// replay takes the results from the journal.
func (b *pendingBatch) replay() {
	b.results = make([]RowResult, len(b.Rows))
	for i, row := range b.Rows {
		b.results[i] = RowResult{Row: row, Result: b.earlier.result(row.Line), Replayed: true}
	}
}

// wasSent reports whether an earlier run sent the batch and its outcome is unknown.
func (b *pendingBatch) wasSent() bool {
	return b.earlier != nil && b.earlier.results == nil && !b.earlier.notSent
}

func (b *pendingBatch) setResults(results []Result) {
	b.results = make([]RowResult, len(b.Rows))
	for i, row := range b.Rows {
		b.results[i] = RowResult{Row: row, Result: results[i]}
	}
}

// cutter splits rows, which come in order of lines, into batches: the same ones as an earlier run,
// and new ones by number of rows and size.
type cutter struct {
	options Options
	earlier []*earlierBatch // in order of lines
	rows    []*sheet.Row
	current *earlierBatch // batch of the rows, or nil
	bytes   int           // size of rows
}

// add takes a row. If the row does not belong to the batch of the rows before, it returns that
// batch.
func (c *cutter) add(row *sheet.Row) *pendingBatch {
	earlier, size := c.batchOf(row.Line), sizeOf(row)
	var ready *pendingBatch
	full := earlier == nil && (len(c.rows) >= c.options.Rows || c.bytes+size > maxBytes)
	if earlier != c.current || full {
		ready = c.cut()
	}
	c.current = earlier
	c.rows, c.bytes = append(c.rows, row), c.bytes+size
	return ready
}

// batchOf returns the batch of the earlier run that had the line, or nil.
func (c *cutter) batchOf(line int) *earlierBatch {
	for len(c.earlier) > 0 && c.earlier[0].last() < line {
		c.earlier = c.earlier[1:]
	}
	if len(c.earlier) > 0 && c.earlier[0].Lines.has(line) {
		return c.earlier[0]
	}
	return nil
}

// cut returns a batch of the rows added since the last one, or nil.
func (c *cutter) cut() *pendingBatch {
	if len(c.rows) == 0 {
		return nil
	}
	b := &pendingBatch{Batch: Batch{Rows: c.rows}, earlier: c.current, finished: make(chan struct{})}
	c.rows, c.current, c.bytes = nil, nil, 0
	return b
}

// sizeOf returns an upper bound for the bytes of the row in a request,
// including JSON escapes.
func sizeOf(r *sheet.Row) int {
	return 200 + 6*(len(r.Name)+len(r.Email)+len(r.CustomerPlan)) + len(r.Phone) + 12*len(r.ProductsIDs)
}

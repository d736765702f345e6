package bulk

import "ativa/internal/csvfile"

// part is rows that belong together: a batch of an earlier run, or new ones.
type part struct {
	rows    []*csvfile.Row
	planned *earlierBatch
}

func (p *part) isDone() bool { return p.planned != nil && p.planned.results != nil }

// outcomes are those that the journal has.
func (p *part) outcomes() []RowResult {
	all := make([]RowResult, len(p.rows))
	for i, row := range p.rows {
		result, _ := p.planned.result(row.Line)
		all[i] = RowResult{Row: row, Result: result, Replayed: true}
	}
	return all
}

// cutter cuts rows, which come in order of lines, into parts: as an earlier run
// did as far as that came, and then by number and size.
type cutter struct {
	options Options
	plan    []*earlierBatch
	rows    []*csvfile.Row
	planned *earlierBatch
	bytes   int
}

// add takes a row, and returns a part when the row does not belong to it.
func (c *cutter) add(row *csvfile.Row) *part {
	planned, size := c.at(row.Line), sizeOf(row)
	var ready *part
	full := planned == nil && (len(c.rows) >= c.options.Rows || c.bytes+size > maxBytes)
	if planned != c.planned || full {
		ready = c.take()
	}
	c.planned = planned
	c.rows, c.bytes = append(c.rows, row), c.bytes+size
	return ready
}

// at is the batch of the earlier run that had the line, or nil.
func (c *cutter) at(line int) *earlierBatch {
	for len(c.plan) > 0 && c.plan[0].last() < line {
		c.plan = c.plan[1:]
	}
	if len(c.plan) > 0 && c.plan[0].Lines.has(line) {
		return c.plan[0]
	}
	return nil
}

// take returns what there is, or nil.
func (c *cutter) take() *part {
	if len(c.rows) == 0 {
		return nil
	}
	p := &part{rows: c.rows, planned: c.planned}
	c.rows, c.planned, c.bytes = nil, nil, 0
	return p
}

// sizeOf is at least the bytes of the row in a request, escapes included.
func sizeOf(r *csvfile.Row) int {
	return 200 + 6*(len(r.Name)+len(r.Email)+len(r.CustomerPlan)) + len(r.Phone) + 12*len(r.ProductsIDs)
}

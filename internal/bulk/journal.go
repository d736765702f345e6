package bulk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// Journal remembers which batches were sent and what became of them, so that
// a run that was interrupted at any moment can go on. It is locked for the
// time of the run. A nil Journal remembers nothing.
type Journal struct {
	header  Header
	path    string
	lock    *flock.Flock
	earlier []*earlierBatch // of earlier runs, in order of lines
	cursor  string          // see Cursor

	mu      sync.Mutex
	file    *os.File // not opened for appending: Windows cannot truncate such a file
	next    int      // number of the next batch
	size    int64    // bytes of whole records
	torn    bool     // part of a record stands behind them
	synced  int64    // bytes that are on disk
	syncing sync.Mutex
}

// ID names the run to the user.
func (j *Journal) ID() string { return j.header.ID }

// Resumed tells that an earlier run is gone on with, and when that began.
func (j *Journal) Resumed() (time.Time, bool) {
	return j.header.Started, len(j.earlier) > 0
}

// Cursor is a place in the server's event feed before anything of the work was
// sent: that of the run that began it, or else what now gives. It is empty when
// nobody knows one.
func (j *Journal) Cursor(now func() string) (string, error) {
	if j == nil {
		return now(), nil
	}
	if j.cursor != "" || len(j.earlier) > 0 {
		return j.cursor, nil
	}
	if j.cursor = now(); j.cursor == "" {
		return "", nil
	}
	return j.cursor, j.append(record{Cursor: j.cursor})
}

// earlierBatch is a batch of an earlier run.
type earlierBatch struct {
	batchBegun
	results []resultLines // nil when it has no result yet
}

// result is what the journal knows of a line.
func (p *earlierBatch) result(line int) (Result, bool) {
	for _, g := range p.results {
		if g.Lines.has(line) {
			return g.Result, true
		}
	}
	return Result{}, false
}

func (p *earlierBatch) first() int { return p.Lines[0].first }
func (p *earlierBatch) last() int  { return p.Lines[len(p.Lines)-1].last }

// writeBegun writes down a batch before it is sent; it is on disk when begin returns.
func (j *Journal) writeBegun(b *batch) error {
	if j == nil {
		return nil
	}
	r := batchBegun{Batch: b.number, Key: b.key}
	for i, row := range b.rows {
		r.Lines.add(row.Line)
		if b.known[i] {
			r.Known.add(row.Line)
		}
	}
	return j.append(record{Begin: &r})
}

// writeDone writes down the results of a batch.
func (j *Journal) writeDone(b *batch, results []Result) error {
	if j == nil {
		return nil
	}
	all, err := groupByResult(b, results)
	if err != nil {
		return err
	}
	return j.append(record{Done: &batchDone{Batch: b.number, Results: all}})
}

// End tells that nothing is left to do.
func (j *Journal) End(s Summary) error {
	if j == nil {
		return nil
	}
	return j.append(record{End: &s})
}

// nextNumber is the next free number of a batch.
func (j *Journal) nextNumber() int {
	if j == nil {
		return 0
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.next++
	return j.next
}

// append writes one record and returns when it is on disk. Calls at the same
// time share a sync.
func (j *Journal) append(r record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	mine, err := j.write(append(line, '\n'))
	if err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	j.syncing.Lock()
	defer j.syncing.Unlock()
	if j.synced >= mine {
		return nil
	}
	j.mu.Lock()
	upTo := j.size
	j.mu.Unlock()
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	j.synced = upTo
	return nil
}

// write puts a line behind the last whole record, and returns where it ends.
// What an earlier write left there, on a full disk perhaps, is cut off first: a
// record behind a part of another could not be read again.
func (j *Journal) write(line []byte) (end int64, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.torn {
		if err := j.file.Truncate(j.size); err != nil {
			return 0, err
		}
	}
	_, err = j.file.WriteAt(line, j.size)
	if j.torn = err != nil; j.torn {
		return 0, err
	}
	j.size += int64(len(line))
	return j.size, nil
}

// Close ends the run and lets another one have the journal.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	return errors.Join(j.file.Close(), j.lock.Unlock())
}

// parseRecords reads the records of a journal. A last line that was cut by a crash is
// left out; size is how much of the data is whole.
func parseRecords(data []byte) (records []record, size int64, err error) {
	for len(data) > 0 {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		if !whole {
			break
		}
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			if len(rest) == 0 {
				break
			}
			return nil, 0, fmt.Errorf("record %d: %w", len(records)+1, err)
		}
		records = append(records, r)
		size += int64(len(line)) + 1
		data = rest
	}
	return records, size, nil
}

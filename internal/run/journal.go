package run

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// Journal is the file in which a run records the batches that it sends and their results, so that
// a run that was interrupted at any moment can be resumed. It is locked until Leave or Close. All
// other methods are safe for concurrent use. A nil Journal stores nothing.
type Journal struct {
	Header   // of the run; for a resumed run, as it began
	dir      JournalDir
	lock     *flock.Flock
	keptPath string // path of the file with what the run sends, see keep
	contents

	mu      sync.Mutex
	file    journalFile
	size    int64 // bytes of whole records
	broken  error // error of a failed sync
	synced  int64 // bytes that are on disk
	syncing sync.Mutex
}

// contents is the data of a journal's records.
type contents struct {
	earlier []*earlierBatch // batches of earlier runs, in order of lines
	halved  map[string]bool // keys of the batches that earlier runs sent in halves
	next    int             // number of the last batch
	kept    string          // hash of the kept file
	cursor  string          // see Cursor
	due     time.Time       // see Due
	report  Report          // see Report
	ended   bool            // see End
}

// journalFile is what a journal needs of an *os.File. The file is not opened
// for appending: Windows cannot truncate such a file.
type journalFile interface {
	WriteAt(b []byte, offset int64) (int, error)
	Truncate(size int64) error
	Sync() error
	Close() error
}

// Resumes reports whether the run continues an interrupted one that has sent something.
func (j *Journal) Resumes() bool { return len(j.earlier) > 0 }

// Cursor returns the position in the server's event feed before the first request of the run. A
// resumed run takes it from the journal, a new run calls now. It is empty if the position is
// unknown.
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

// Due returns the time for which the interrupted run scheduled. The first run records at: a batch
// that is sent again must be the same.
func (j *Journal) Due(at time.Time) (time.Time, error) {
	if j == nil || at.IsZero() {
		return at, nil
	}
	if !j.due.IsZero() {
		return j.due.In(at.Location()), nil
	}
	j.due = at
	return at, j.append(record{Due: &at})
}

// Report returns the last recorded report; its path is empty if there is none.
func (j *Journal) Report() Report { return j.report }

// NoteReport records where the report is and, once it is complete, its hash.
func (j *Journal) NoteReport(r Report) error {
	if j == nil || r == j.report {
		return nil
	}
	j.report = r
	return j.append(record{Report: &r})
}

// earlierBatch is a batch of an earlier run.
type earlierBatch struct {
	batchBegun
	results []resultLines // nil if the journal has none
	partial bool          // some rows have none
	unsent  lineSet       // of these, the rows with which the server has done nothing
}

// isDone reports whether every row of the batch has a result.
func (b *earlierBatch) isDone() bool { return b.results != nil && !b.partial }

// result returns the result of a line of the batch, without a kind if it has none.
func (b *earlierBatch) result(line int) Result {
	for _, r := range b.results {
		if !r.Lines.has(line) {
			continue
		}
		result := r.Result
		if at := r.Lines.before(line); at < len(r.Operations) && len(result.Services) > 0 {
			result.Services = slices.Clone(result.Services)
			result.Services[0].OperationID = r.Operations[at]
		}
		return result
	}
	return Result{}
}

func (b *earlierBatch) first() int { return b.Lines[0][0] }
func (b *earlierBatch) last() int  { return b.Lines[len(b.Lines)-1][1] }

func readContents(records []record) (c contents) {
	byNumber := map[int]*earlierBatch{}
	c.halved = map[string]bool{}
	for _, r := range records {
		switch {
		case r.Cursor != "":
			c.cursor = r.Cursor
		case r.Due != nil:
			c.due = *r.Due
		case r.Kept != "":
			c.kept = r.Kept
		case r.Report != nil:
			c.report = *r.Report
		case r.Halved != "":
			c.halved[r.Halved] = true
		case r.End:
			c.ended = true
		case r.Begin != nil && len(r.Begin.Lines) > 0:
			b := &earlierBatch{batchBegun: *r.Begin}
			if before := byNumber[b.Batch]; before != nil { // any unsent row may be sent now
				b.results, b.partial = before.results, before.partial
			}
			byNumber[b.Batch] = b
			c.next = max(c.next, b.Batch)
		case r.Done != nil && byNumber[r.Done.Batch] != nil:
			b := byNumber[r.Done.Batch]
			b.results, b.partial, b.unsent = r.Done.Results, r.Done.Partial, r.Done.Unsent
		}
	}
	c.earlier = slices.SortedFunc(maps.Values(byNumber), func(a, b *earlierBatch) int { return cmp.Compare(a.first(), b.first()) })
	return c
}

// writeBegun writes that the batch is about to be sent. The record is on disk
// when writeBegun returns.
func (j *Journal) writeBegun(b *pendingBatch) error {
	r := batchBegun{Batch: b.number, Key: b.Key, At: b.begun}
	for i, row := range b.Rows {
		r.Lines.add(row.Line)
		if b.Known[i] {
			r.Known.add(row.Line)
		}
	}
	return j.append(record{Begin: &r})
}

// End writes that the run is finished, and removes the kept file.
func (j *Journal) End() error {
	if j == nil {
		return nil
	}
	if err := j.append(record{End: true}); err != nil {
		return err
	}
	j.ended = true
	return os.RemoveAll(j.keptPath)
}

// nextNumber returns the number of a new batch.
func (j *Journal) nextNumber() int {
	if j == nil {
		return 0
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.next++
	return j.next
}

// now returns the time, to the second.
func (j *Journal) now() time.Time {
	if j == nil {
		return time.Time{}
	}
	return j.dir.now().UTC().Truncate(time.Second)
}

// append writes a record and returns when it is on disk. Concurrent calls share a sync.
//
// A failed sync makes the journal unusable. Which bytes reached the disk is
// unknown then, and a second sync may succeed although they did not.
func (j *Journal) append(r record) error {
	if j == nil {
		return nil
	}
	line, err := json.Marshal(r.withNames(encodeName))
	if err != nil {
		return err
	}
	end, err := j.write(sealed(line))
	if err == nil {
		err = j.sync(end)
	}
	if err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	return nil
}

// write writes a line after the last whole record and returns where it ends. It overwrites a partial
// record that an earlier write left, for example on a full disk. No reader takes what remains of that
// one for a record, because it has no end.
func (j *Journal) write(line []byte) (end int64, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken != nil {
		return 0, j.broken
	}
	if _, err = j.file.WriteAt(line, j.size); err != nil {
		return 0, err
	}
	j.size += int64(len(line))
	return j.size, nil
}

// sync returns when the bytes before end are on disk.
func (j *Journal) sync(end int64) error {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	if j.synced >= end {
		return nil
	}
	j.mu.Lock()
	size, broken := j.size, j.broken
	j.mu.Unlock()
	if broken != nil {
		return broken
	}
	if err := j.file.Sync(); err != nil {
		j.mu.Lock()
		j.broken = err
		j.mu.Unlock()
		return err
	}
	j.synced = size
	return nil
}

// rewrite writes the whole records again and returns when they are on disk. After a failed sync of an
// earlier run, the bytes read may be in memory only, and a later sync would leave them there.
func (j *Journal) rewrite(records []byte) error {
	if err := j.file.Truncate(j.size); err != nil {
		return err
	}
	if _, err := j.file.WriteAt(records, 0); err != nil {
		return err
	}
	return j.sync(j.size)
}

// Stays reports whether the journal stays after Leave: the run has sent something, or has ended.
func (j *Journal) Stays() bool { return j != nil && (j.next > 0 || j.ended) }

// Leave closes the journal, and deletes it unless it stays.
func (j *Journal) Leave() error {
	if j == nil || j.Stays() {
		return j.Close()
	}
	return errors.Join(j.file.Close(), j.dir.removeRun(j.ID, j.lock))
}

// Close releases the journal for other runs.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	return errors.Join(j.file.Close(), j.lock.Unlock())
}

// A line begins with the checksum of its rest: a changed byte could make it describe other rows.
const (
	sealBegin = `{"crc":"`
	sealEnd   = `",`
)

// sealed returns the line for a record.
func sealed(r []byte) []byte {
	rest := r[1:]
	return fmt.Appendf(nil, "%s%08x%s%s\n", sealBegin, crc32.ChecksumIEEE(rest), sealEnd, rest)
}

func checkSeal(line []byte) error {
	sum, rest, sealed := bytes.Cut(bytes.TrimPrefix(line, []byte(sealBegin)), []byte(sealEnd))
	if !sealed || string(sum) != fmt.Sprintf("%08x", crc32.ChecksumIEEE(rest)) {
		return errors.New("it was changed")
	}
	return nil
}

// parseRecords parses the records of a journal without a last record that a crash cut short; size
// is the number of bytes before that one.
func parseRecords(data []byte) (records []record, size int64, err error) {
	for len(data) > 0 {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		if !whole {
			break
		}
		var r record
		err := checkSeal(line)
		if err == nil {
			err = json.Unmarshal(line, &r)
		}
		if err != nil {
			if len(rest) == 0 {
				break
			}
			return nil, 0, fmt.Errorf("record %d: %w", len(records)+1, err)
		}
		records = append(records, r.withNames(decodeName))
		size += int64(len(line)) + 1
		data = rest
	}
	return records, size, nil
}

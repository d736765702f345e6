package run

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"ativa/internal/failure"
	"ativa/internal/lang"
	"ativa/internal/sheet"
	"ativa/internal/system"
)

// keptPath returns the path of the file with the data of a run, which is kept until the run ends: the
// documents of a selection, or a plan. It holds personal data; the journal has only its hash.
func (d JournalDir) keptPath(id string) string {
	return filepath.Join(d.Path, id+".kept")
}

// otherRun is the error of resuming a run with other work: part has changed since the run began.
// Nothing was sent.
func otherRun(id string, part lang.Message) error {
	return &failure.Failure{Exit: failure.ExitInvalidInput, Code: "other_run", Message: lang.Msg("%s changed since the run %s began; nothing was sent", part, id),
		Hint: lang.Msg("put back what the run began with, or give the run up: ativa imports purge %s", id)}
}

// OtherFile is the error of resuming a run whose file has changed since it began.
func OtherFile(id string) error { return otherRun(id, lang.Msg("the file")) }

// keep writes what the run sends to a file that only its owner may read, and its hash to the
// journal.
func (j *Journal) keep(write func(*bufio.Writer) error) (err error) {
	f, err := system.OpenPrivate(j.keptPath, os.O_CREATE|os.O_TRUNC|os.O_WRONLY)
	if err != nil {
		return fmt.Errorf("saving the data of the run: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	hash := sha256.New()
	w := bufio.NewWriter(io.MultiWriter(f, hash))
	if err := write(w); err != nil {
		return err
	}
	if err := errors.Join(w.Flush(), f.Sync()); err != nil {
		return fmt.Errorf("saving the data of the run: %w", err)
	}
	j.kept = hex.EncodeToString(hash.Sum(nil))
	return j.append(record{Kept: j.kept})
}

// openKept opens the kept file of an interrupted run. It returns an error if the file was
// replaced.
func (j *Journal) openKept() (*os.File, error) {
	f, hash, err := system.OpenHashed(j.keptPath)
	if err != nil {
		return nil, fmt.Errorf("the saved data of %s (`ativa imports purge %s` discards the run): %w", j.ID, j.ID, err)
	}
	if hash != j.kept {
		return nil, errors.Join(otherRun(j.ID, lang.Msg("its saved data")), f.Close())
	}
	return f, nil
}

// SaveDocuments keeps the documents of a selection, as lines from 1 on, for this run and those
// that resume it.
func (j *Journal) SaveDocuments(all iter.Seq2[string, error]) error {
	return j.keep(func(w *bufio.Writer) error {
		for d, err := range all {
			if err != nil {
				return err
			}
			_, _ = w.WriteString(d + "\n") // Flush returns its error
		}
		return nil
	})
}

// Documents yields the documents that were saved, in the order of their lines.
func (j *Journal) Documents() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		f, err := j.openKept()
		if err != nil {
			yield("", err)
			return
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			if !yield(lines.Text(), nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield("", fmt.Errorf("the documents of %s: %w", j.ID, err))
		}
	}
}

// SavePlan keeps a plan for this run and those that resume it.
func (j *Journal) SavePlan(p *Plan) error {
	return j.keep(func(w *bufio.Writer) error { return json.NewEncoder(w).Encode(p) })
}

// Plan returns the plan that was saved, without results.
func (j *Journal) Plan() (*Plan, error) {
	f, err := j.openKept()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p := &Plan{}
	if err := json.NewDecoder(f).Decode(p); err != nil {
		return nil, fmt.Errorf("the plan of %s: %w", j.ID, err)
	}
	return p, nil
}

// result returns the result of a line that the interrupted run recorded, without a kind if there is
// none.
func (j *Journal) result(line int) Result {
	if b := j.earlierBatch(line); b != nil {
		return b.result(line)
	}
	return Result{}
}

// HasResult reports whether the interrupted run recorded the result of a line.
func (j *Journal) HasResult(line int) bool { return j.result(line).Kind != "" }

// results returns the result of each row.
func (j *Journal) results(rows []*sheet.Row) []Result {
	all := make([]Result, len(rows))
	for i, row := range rows {
		all[i] = j.result(row.Line)
	}
	return all
}

// wasSent reports whether the interrupted run sent a line, even if no answer came.
func (j *Journal) wasSent(line int) bool {
	b := j.earlierBatch(line)
	return b != nil && !b.unsent.has(line)
}

// wereSent reports whether the interrupted run sent one of the rows.
func (j *Journal) wereSent(rows []*sheet.Row) bool {
	return slices.ContainsFunc(rows, func(row *sheet.Row) bool { return j.wasSent(row.Line) })
}

// wasHalved reports whether an earlier run sent a batch in halves. Sent whole, the rows of an answered half
// would exist already.
func (j *Journal) wasHalved(b Batch) bool { return j != nil && len(b.Rows) > 1 && j.halved[b.Key] }

// earlierBatch returns the batch of the interrupted run that has the line, or nil.
func (j *Journal) earlierBatch(line int) *earlierBatch {
	if j == nil {
		return nil
	}
	i, _ := slices.BinarySearchFunc(j.earlier, line, func(b *earlierBatch, line int) int { return cmp.Compare(b.last(), line) })
	if i == len(j.earlier) || !j.earlier[i].Lines.has(line) {
		return nil
	}
	return j.earlier[i]
}

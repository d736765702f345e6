package bulk

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ativa/internal/system"
)

// documentsPath is where the documents of a selection stand until its run ends. They
// are personal data, which a journal has none of.
func (d JournalDir) documentsPath(id string) string {
	return filepath.Join(d.Path, id+".documents")
}

// SaveDocuments keeps the documents of a selection, as lines from 1 on, for this run and
// one that goes on with it, in a file that only its owner may read.
func (j *Journal) SaveDocuments(all iter.Seq2[string, error]) (err error) {
	f, err := system.OpenPrivate(j.documents, os.O_CREATE|os.O_TRUNC|os.O_WRONLY)
	if err != nil {
		return fmt.Errorf("keeping the documents of the run: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriter(f)
	for d, err := range all {
		if err != nil {
			return err
		}
		_, _ = w.WriteString(d + "\n") // Flush returns its error
	}
	if err := errors.Join(w.Flush(), f.Sync()); err != nil {
		return fmt.Errorf("keeping the documents of the run: %w", err)
	}
	return nil
}

// HasDocuments reports whether the run goes on with the documents of an interrupted one.
// Where no batch of that was sent, the selection is made anew.
func (j *Journal) HasDocuments() bool { return len(j.earlier) > 0 }

// Documents yields the documents that were saved, in the order of their lines.
func (j *Journal) Documents() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		f, err := os.Open(j.documents)
		if err != nil {
			yield("", fmt.Errorf("the documents of %s (`ativa imports purge %s` gives it up): %w", j.ID(), j.ID(), err))
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
			yield("", fmt.Errorf("the documents of %s: %w", j.ID(), err))
		}
	}
}

// HasResult reports whether the interrupted run has the result of a line.
func (j *Journal) HasResult(line int) bool {
	i, _ := slices.BinarySearchFunc(j.earlier, line, func(b *earlierBatch, line int) int { return cmp.Compare(b.last(), line) })
	return i < len(j.earlier) && j.earlier[i].results != nil && j.earlier[i].Lines.has(line)
}

// Discard closes the journal of a run that has sent nothing and forgets it.
func (j *Journal) Discard() error {
	path := strings.TrimSuffix(j.documents, ".documents") + suffix
	return errors.Join(os.RemoveAll(j.documents), os.RemoveAll(path), j.Close())
}

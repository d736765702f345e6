package bulk

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// documentsPath is where the documents of a selection stand until its run ends. They
// are personal data, which a journal has none of.
func (d JournalDir) documentsPath(id string) string {
	return filepath.Join(d.Path, id+".documents")
}

// SaveDocuments keeps the documents of a selection for a run that goes on with this
// one, as lines from 1 on, in a file with mode 0600.
func (j *Journal) SaveDocuments(all []string) error {
	f, err := os.OpenFile(j.documents, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("keeping the documents of the run: %w", err)
	}
	w := bufio.NewWriter(f)
	for _, d := range all {
		_, _ = w.WriteString(d + "\n") // Flush returns its error
	}
	return errors.Join(w.Flush(), f.Sync(), f.Close())
}

// Documents returns the documents of the interrupted run; none when no batch of it was
// sent, so that the selection is made anew.
func (j *Journal) Documents() ([]string, error) {
	if len(j.earlier) == 0 {
		return nil, nil
	}
	text, err := os.ReadFile(j.documents)
	if err != nil {
		return nil, fmt.Errorf("the documents of %s (`ativa imports purge %s` gives it up): %w", j.ID(), j.ID(), err)
	}
	return strings.Fields(string(text)), nil
}

// HasResult reports whether the interrupted run has the result of a line.
func (j *Journal) HasResult(line int) bool {
	i, _ := slices.BinarySearchFunc(j.earlier, line, func(b *earlierBatch, line int) int { return cmp.Compare(b.last(), line) })
	return i < len(j.earlier) && j.earlier[i].results != nil && j.earlier[i].Lines.has(line)
}

// Discard closes the journal of a run that has sent nothing and forgets it.
func (j *Journal) Discard() error {
	path := strings.TrimSuffix(j.documents, ".documents") + suffix
	return errors.Join(removeFile(j.documents), removeFile(path), j.Close())
}

func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

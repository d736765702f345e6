package delivery

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/natefinch/atomic"
)

// MailDir writes letters as .eml files, for development. A repeated letter
// replaces its file.
type MailDir struct {
	Dir  string
	From string // the sender's address
}

// NewMailDir makes the directory when it is absent, readable by its owner only.
func NewMailDir(dir, from string) (*MailDir, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("mail directory: %w", err)
	}
	return &MailDir{Dir: dir, From: from}, nil
}

// Send writes one file, complete or not at all.
func (d *MailDir) Send(_ context.Context, l Letter) error {
	var b bytes.Buffer
	if err := l.write(&b, d.From); err != nil {
		return err
	}
	if err := atomic.WriteFile(filepath.Join(d.Dir, l.ID+".eml"), &b); err != nil {
		return &Failure{Err: err, Down: true}
	}
	return nil
}

// Idle does nothing.
func (d *MailDir) Idle() {}

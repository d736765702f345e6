//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ativa/internal/bench/figures"
)

// sqlite is a file. Its floor is the sqlite3 shell, written in C, which gets
// the settings of the program's writer.
type sqlite struct{ dir string }

func (*sqlite) name() string                { return figures.SQLite }
func (*sqlite) cpu() time.Duration          { return 0 }
func (*sqlite) servers() int                { return 1 }
func (e *sqlite) file() string              { return filepath.Join(e.dir, "floor.db") }
func (*sqlite) close(context.Context) error { return nil }

func (*sqlite) floor() scripts { return scripts{sqliteLoad, sqliteList, sqliteSuspend} }

func (e *sqlite) empty(context.Context) error { return removeFile(e.file()) }

func (e *sqlite) timed(ctx context.Context, script string) (time.Duration, error) {
	began := time.Now()
	err := shell(ctx, e.file(), script)
	return time.Since(began), err
}

func (e *sqlite) fresh(context.Context) (string, error) {
	dir, err := os.MkdirTemp(e.dir, "run-")
	return "sqlite:" + filepath.Join(dir, "ativa.db"), err
}

func (*sqlite) drop(_ context.Context, dsn string) error {
	return os.RemoveAll(filepath.Dir(strings.TrimPrefix(dsn, "sqlite:")))
}

func (*sqlite) exec(ctx context.Context, dsn, statement string) error {
	return shell(ctx, strings.TrimPrefix(dsn, "sqlite:"), statement+";")
}

func (*sqlite) tidy(context.Context, string) error { return nil }

// size counts what stands in the write-ahead log, not its unused room.
func (*sqlite) size(ctx context.Context, dsn string) (int64, error) {
	cmd := exec.CommandContext(ctx, "sqlite3", strings.TrimPrefix(dsn, "sqlite:"), `SELECT page_count * page_size FROM pragma_page_count, pragma_page_size`)
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("the sqlite3 shell: %w", err)
	}
	return strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
}

func removeFile(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// shell runs a script in the sqlite3 shell; what it prints is thrown away.
func shell(ctx context.Context, file, script string) error {
	cmd := exec.CommandContext(ctx, "sqlite3", "-bail", "-cmd", ".timeout 10000", file)
	cmd.Stdin = strings.NewReader(script)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the sqlite3 shell (Debian package sqlite3): %w: %s", err, errs.Bytes())
	}
	return nil
}

package render_test

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ativa/internal/render"
)

// pagerScript returns a pager that is a shell script of the lines.
func pagerScript(t *testing.T, lines string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	file := filepath.Join(t.TempDir(), "pager")
	must(t, os.WriteFile(file, []byte("#!/bin/sh\n"+lines), 0o700))
	return file
}

func TestThePagerStartsForLongOutputOnATerminalOnly(t *testing.T) {
	mark := pagerScript(t, "echo PAGED; exec cat")
	long, short := slices.Repeat(people(), 33), people()
	cases := map[string]struct {
		o     render.Options
		rows  []person
		paged bool
	}{
		"long":       {render.Options{Screen: screen(), Pager: mark}, long, true},
		"long JSON":  {render.Options{Format: render.FormatJSON, Screen: screen(), Pager: mark}, long, true},
		"short":      {render.Options{Screen: screen(), Pager: mark}, short, false},
		"piped":      {render.Options{Pager: mark}, long, false},
		"live":       {render.Options{Screen: screen(), Pager: mark, Live: true}, long, false},
		"none":       {render.Options{Screen: screen()}, long, false},
		"impossible": {render.Options{Screen: screen(), Pager: mark + "-that-is-not-there"}, long, false},
	}
	for name, c := range cases {
		got := list(t, c.o, c.rows)
		if strings.HasPrefix(got, "PAGED") != c.paged {
			t.Errorf("%s: got paged %v, want %v", name, !c.paged, c.paged)
		}
		c.o.Pager = ""
		if want := list(t, c.o, c.rows); strings.TrimPrefix(got, "PAGED\n") != want {
			t.Errorf("%s: got other output than without a pager", name)
		}
	}
}

// less reads UTF-8 also where no locale is installed, unless the person has set another encoding.
func TestThePagerReadsUTF8(t *testing.T) {
	pager := pagerScript(t, "echo $LESSCHARSET; exec cat")
	for _, set := range []string{"latin1", ""} {
		if t.Setenv("LESSCHARSET", set); set == "" {
			must(t, os.Unsetenv("LESSCHARSET"))
		}
		if got, want := list(t, render.Options{Screen: screen(), Pager: pager}, slices.Repeat(people(), 33)), cmp.Or(set, "utf-8")+"\n"; !strings.HasPrefix(got, want) {
			t.Errorf("LESSCHARSET=%s: got %.20q, want %q", set, got, want)
		}
	}
}

func TestLeavingThePagerIsNoErrorAndEndsTheList(t *testing.T) {
	asked := 0
	err := listTo(t.Context(), &bytes.Buffer{}, render.Options{Screen: screen(), Pager: pagerScript(t, "read line; exit 1")}, endless(&asked))
	if err != nil || asked == 1_000_000 {
		t.Errorf("got %v after %d rows, want an early end without an error", err, asked)
	}
}

// Ctrl-C does not end the program while a pager such as less keeps running.
func TestCtrlCBelongsToThePager(t *testing.T) {
	got := list(t, render.Options{Screen: screen(), Pager: pagerScript(t, "kill -INT $PPID; kill -INT $PPID; exec cat")}, slices.Repeat(people(), 100))
	if want := list(t, render.Options{Screen: screen()}, slices.Repeat(people(), 100)); got != want {
		t.Errorf("got %d bytes, want %d", len(got), len(want))
	}
}

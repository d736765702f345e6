package operator

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// Nobody waits for a reader that reads nothing. It finds every line for which there was
// room, then how many are missing, and then what came later.
func TestALogThatNobodyReadsHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, out := io.Pipe()
		lines := newLineBuffer(out, newLogHandler(out, "json", slog.LevelError))
		log := newLog(lines, "json", slog.LevelInfo)
		const n = 50_000
		for i := range n {
			log.Info(strings.Repeat("x", 100), "n", i)
		}
		read := bufio.NewScanner(reader)
		line := func() string {
			if !read.Scan() {
				t.Fatal(read.Err())
			}
			return read.Text()
		}
		kept := 0
		for text := line(); !strings.Contains(text, "lines of the log are missing"); text = line() {
			if want := fmt.Sprintf(`"n":%d}`, kept); !strings.HasSuffix(text, want) {
				t.Fatalf("got %s, want one that ends in %s", text, want)
			}
			kept++
		}
		if got, want := read.Text(), fmt.Sprintf(`"lines":%d}`, n-kept); kept == 0 || kept == n || !strings.HasSuffix(got, want) {
			t.Errorf("after %d lines got %s, want one that ends in %s", kept, got, want)
		}
		log.Info("later")
		if got := line(); !strings.Contains(got, "later") {
			t.Errorf("got %s, want the line that came later", got)
		}
		lines.finish()
	})
}

// goneReader refuses what is written while it is gone.
type goneReader struct {
	bytes.Buffer
	gone bool
}

func (r *goneReader) Write(b []byte) (int, error) {
	if r.gone {
		return 0, syscall.EPIPE
	}
	return r.Buffer.Write(b)
}

// A reader that went away, or a disk that was full, is told how much it missed when it is
// there again.
func TestALogCountsWhatCouldNotBeWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &goneReader{gone: true}
		lines := newLineBuffer(out, newLogHandler(out, "text", slog.LevelError))
		log := newLog(lines, "text", slog.LevelInfo)
		for range 3 {
			log.Info("lost")
			synctest.Wait()
		}
		out.gone = false
		log.Info("first")
		synctest.Wait()
		log.Info("second")
		lines.finish()
		var got []string
		for line := range strings.Lines(out.String()) {
			_, line, _ = strings.Cut(strings.TrimSpace(line), "level=")
			got = append(got, line)
		}
		want := `INFO msg=first; ERROR msg="lines of the log are missing: nobody read them, or they could not be written" lines=3; INFO msg=second`
		if got := strings.Join(got, "; "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

// What is last said is out when the service ends; for a reader that reads nothing it
// waits a few seconds.
func TestTheEndOfALogWaitsForItsReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, out := io.Pipe()
		lines := newLineBuffer(out, newLogHandler(out, "text", slog.LevelError))
		begun := time.Now()
		fmt.Fprintln(lines, "stopping")
		if took := time.Since(begun); took != 0 {
			t.Errorf("a line waited %s", took)
		}
		lines.finish()
		if took := time.Since(begun); took != finishTimeout {
			t.Errorf("the end waited %s, want %s", took, finishTimeout)
		}
		go func() {
			time.Sleep(time.Second)
			_, _ = io.Copy(io.Discard, reader)
		}()
		fmt.Fprintln(lines, "why") // as the command line does when the command has ended
		if took := time.Since(begun); took != finishTimeout+time.Second {
			t.Errorf("the last line waited until %s, want a second more", took)
		}
		out.Close()
	})
}

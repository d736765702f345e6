//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ativa/internal/store/pgcluster"
)

// server is a running server of the program.
type server struct {
	url     string
	log     *os.File
	process *exec.Cmd
}

// serve starts a server, without mail unless an option says so: the e-mails stay
// in the outbox.
func (p *ativa) serve(ctx context.Context, dsn string, options ...string) (*server, error) {
	port, err := pgcluster.FreePort(ctx)
	if err != nil {
		return nil, err
	}
	listen := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	s := &server{url: "http://" + listen}
	if s.log, err = os.CreateTemp(filepath.Dir(p.path), "server-*.log"); err != nil {
		return nil, err
	}
	s.process = exec.CommandContext(ctx, p.path, append([]string{"serve", "--db", dsn, "--listen", listen, "--public-url", s.url}, options...)...)
	s.process.Env, s.process.Stderr, s.process.Stdout = p.environment(nil), s.log, s.log
	return s, s.process.Start()
}

func (s *server) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		if _, err := fetch(ctx, s.url+"/readyz"); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			text, _ := os.ReadFile(s.log.Name())
			return fmt.Errorf("the server does not get ready: %s", tail(text))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// stop lets the server end what is under way.
func (s *server) stop() error {
	defer s.log.Close()
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := s.process.Wait(); err != nil {
		text, _ := os.ReadFile(s.log.Name())
		return fmt.Errorf("the server ended with %w: %s", err, tail(text))
	}
	return nil
}

// openJob is a line of /metrics: how many deliveries to partners are not done.
var openJob = regexp.MustCompile(`(?m)^ativa_outbox_jobs\{kind="partner",state="open"\} (\d+)$`)

func (s *server) openJobs(ctx context.Context) (int, error) {
	text, err := fetch(ctx, s.url+"/metrics")
	if err != nil {
		return 0, err
	}
	match := openJob.FindSubmatch(text)
	if match == nil {
		return 0, nil // a kind without jobs has no line
	}
	return strconv.Atoi(string(match[1]))
}

func fetch(ctx context.Context, url string) ([]byte, error) {
	res, err := (&user{url: url}).do(ctx, http.MethodGet, "", "")
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s: %s", url, res.Status)
	}
	return io.ReadAll(res.Body)
}

// memory returns the present and the largest resident bytes.
func (s *server) memory() (now, peak int64) {
	status, err := os.ReadFile(s.proc("status"))
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		kB, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch name {
		case "VmRSS":
			now = kB * 1024
		case "VmHWM":
			peak = kB * 1024
		}
	}
	return now, peak
}

// forgetPeak lets the largest resident bytes begin anew, at those returned.
func (s *server) forgetPeak() (now int64, err error) {
	err = os.WriteFile(s.proc("clear_refs"), []byte("5"), 0)
	now, _ = s.memory()
	return now, err
}

func (s *server) cpu() time.Duration {
	p, _ := readProcess(s.process.Process.Pid)
	return p.cpu
}

func (s *server) proc(file string) string {
	return filepath.Join("/proc", strconv.Itoa(s.process.Process.Pid), file)
}

// process is what /proc tells about one; proc(5).
type process struct {
	name   string
	parent int
	cpu    time.Duration // its own
	ended  time.Duration // that of its children that are gone
}

// tick is the unit of /proc: Linux counts in hundredths of a second.
const tick = 10 * time.Millisecond

func readProcess(pid int) (p process, ok bool) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return p, false
	}
	open, end := strings.IndexByte(string(text), '('), strings.LastIndexByte(string(text), ')')
	if open < 0 || end < open {
		return p, false
	}
	fields := strings.Fields(string(text[end+1:]))
	if len(fields) < 15 {
		return p, false
	}
	p.name = string(text[open+1 : end])
	p.parent, _ = strconv.Atoi(fields[1])
	ticks := func(i int) time.Duration {
		n, _ := strconv.ParseInt(fields[i], 10, 64)
		return time.Duration(n) * tick
	}
	p.cpu, p.ended = ticks(11)+ticks(12), ticks(13)+ticks(14)
	return p, true
}

// familyCPU is the processor time of a process and its children, those that
// are gone included.
func familyCPU(pid int) time.Duration {
	head, ok := readProcess(pid)
	if !ok {
		return 0
	}
	total := head.cpu + head.ended
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return total
	}
	for _, dir := range all {
		child, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		if p, ok := readProcess(child); ok && p.parent == pid {
			total += p.cpu
		}
	}
	return total
}

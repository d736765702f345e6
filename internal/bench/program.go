//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// program is the built binary with a database, and while it runs a server.
type program struct {
	dir    string
	binary string
	db     string // a --db value
	url    string
	token  string
	server *exec.Cmd
	log    *os.File
}

// build compiles the program as a release is compiled.
func build(ctx context.Context, dir string) (*program, error) {
	p := &program{dir: dir, binary: filepath.Join(dir, "ativa")}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", p.binary, "ativa")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build: %w: %s", err, out)
	}
	return p, nil
}

// start begins with a fresh database, one provider, two products and no mail,
// so that the e-mails stay in the outbox.
func (p *program) start(ctx context.Context) error {
	home, err := os.MkdirTemp(p.dir, "run")
	if err != nil {
		return err
	}
	p.db = "sqlite:" + filepath.Join(home, "ativa.db")
	if p.token, err = p.setUp(ctx); err != nil {
		return err
	}
	listen, err := freeAddress(ctx)
	if err != nil {
		return err
	}
	p.url = "http://" + listen
	if p.log, err = os.Create(filepath.Join(home, "server.log")); err != nil {
		return err
	}
	p.server = exec.CommandContext(ctx, p.binary, "serve", "--db", p.db, "--listen", listen, "--public-url", p.url)
	p.server.Env, p.server.Stderr, p.server.Stdout = p.environment(), p.log, p.log
	if err := p.server.Start(); err != nil {
		return err
	}
	return p.ready(ctx)
}

// file is the path of the database.
func (p *program) file() string { return strings.TrimPrefix(p.db, "sqlite:") }

func freeAddress(ctx context.Context) (string, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

func (p *program) setUp(ctx context.Context) (string, error) {
	for _, args := range [][]string{
		{"admin", "partners", "create", "parceiro", "--driver", "manual"},
		{"admin", "products", "create", "--id", "1", "--name", "Play", "--code", "play", "--family", "play", "--partner", "parceiro"},
		{"admin", "products", "create", "--id", "2", "--name", "Música", "--code", "musica", "--family", "music", "--partner", "parceiro"},
	} {
		if _, err := p.run(ctx, nil, append(args, "--db", p.db)...); err != nil {
			return "", err
		}
	}
	out, err := p.run(ctx, nil, "admin", "providers", "create", "Provedor", "--limit", "100000000", "-o", "json", "--db", p.db)
	if err != nil {
		return "", err
	}
	var created struct {
		Token string `json:"access_token"`
	}
	return created.Token, json.Unmarshal(out.stdout, &created)
}

// outcome is what one command printed and used.
type outcome struct {
	stdout  []byte
	wall    time.Duration
	cpu     time.Duration
	peakRSS int64 // bytes
}

// run executes the program with the arguments. Output goes to out when it is
// given, and is returned when not.
func (p *program) run(ctx context.Context, out io.Writer, args ...string) (outcome, error) {
	cmd := exec.CommandContext(ctx, p.binary, args...)
	cmd.Env = p.environment()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if out != nil {
		cmd.Stdout = out
	}
	started := time.Now()
	err := cmd.Run()
	o := outcome{stdout: stdout.Bytes(), wall: time.Since(started)}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		o.cpu = time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		o.peakRSS = usage.Maxrss * 1024
	}
	if err != nil {
		return o, fmt.Errorf("ativa %s: %w: %s", strings.Join(args, " "), err, tail(stderr.Bytes()))
	}
	return o, nil
}

func tail(b []byte) []byte { return b[max(0, len(b)-2000):] }

// environment keeps the user's own contexts and keyring out of it.
func (p *program) environment() []string {
	return []string{"HOME=" + p.dir, "PATH=" + os.Getenv("PATH"), "ATIVA_SERVER=" + p.url, "ATIVA_ACCESS_TOKEN=" + p.token, "LANG=C.UTF-8"}
}

func (p *program) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/readyz", nil)
		if err != nil {
			return err
		}
		if res, err := http.DefaultClient.Do(req); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the server does not get ready; see %s", p.log.Name())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// memory returns the server's present and peak resident bytes.
func (p *program) memory() (now, peak int64) {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(p.server.Process.Pid) + "/status")
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

// bearer exchanges the access token.
func (p *program) bearer(ctx context.Context) (string, error) {
	body := strings.NewReader(`{"access_token":"` + p.token + `"}`)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+"/authenticate", body)
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	var answer struct {
		Authorization struct {
			Token string `json:"token"`
		} `json:"authorization"`
	}
	return answer.Authorization.Token, json.NewDecoder(res.Body).Decode(&answer)
}

// get reads a path to its end; it returns the time to the first byte and in all.
func (p *program) get(ctx context.Context, bearer, path string) (first, all time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+path, nil)
	if err != nil {
		return 0, 0, err
	}
	req.Header.Set("Authorization", "Bearer "+bearer)
	started := time.Now()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, 0, err
	}
	defer res.Body.Close()
	if _, err := io.ReadFull(res.Body, make([]byte, 1)); err != nil {
		return 0, 0, err
	}
	first = time.Since(started)
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return first, 0, err
	}
	if res.StatusCode != http.StatusOK {
		return first, 0, fmt.Errorf("GET %s: %s", path, res.Status)
	}
	return first, time.Since(started), nil
}

func (p *program) stop() error {
	if p.server == nil {
		return nil
	}
	defer p.log.Close()
	err := p.server.Process.Signal(syscall.SIGTERM)
	if err != nil {
		return err
	}
	err = p.server.Wait()
	p.server = nil
	return err
}

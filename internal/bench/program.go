//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// timed returns the seconds that work takes.
func timed(work func()) float64 {
	began := time.Now()
	work()
	return time.Since(began).Seconds()
}

// run runs a command to its end.
func run(cmd *exec.Cmd) (stdout string) {
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%s: %w: %s", cmd, err, exit.Stderr)
	}
	check(err)
	return string(out)
}

// site is the program on one engine: a database, its server, and a provider's client.
type site struct {
	*bench
	engine

	url, token, bearer string
	server             *exec.Cmd // nil if none runs
}

// command returns a command of a built program, isolated from the user's contexts and keyring.
func (s *site) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = []string{"HOME=" + s.dir, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8",
		"ATIVA_DB=" + s.dsn(), "ATIVA_SERVER=" + s.url, "ATIVA_ACCESS_TOKEN=" + s.token}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

func (s *site) ativa(ctx context.Context, args ...string) (stdout string) {
	return run(s.command(ctx, s.program, args...))
}

// bulk runs a command for many rows and returns the seconds it took.
func (s *site) bulk(ctx context.Context, args ...string) float64 {
	return timed(func() { s.ativa(ctx, append(args, "--report-dir", s.dir, "--quiet", "--yes")...) })
}

func (s *site) importAll(ctx context.Context, p *people) float64 {
	return s.bulk(ctx, "subscribers", "import", p.csv)
}

// manual holds the flags of a partner whose requests wait for an operator.
var manual = []string{"--driver", "manual"} //nolint:gochecknoglobals // a constant

// enter starts with an empty database, one provider, two products of a partner, and a server with
// the flags.
func (s *site) enter(ctx context.Context, partner []string, flags ...string) {
	s.halt()
	s.fresh(ctx)
	s.serve(ctx, flags...)
	s.ativa(ctx, append([]string{"admin", "partners", "create", "parceiro"}, partner...)...)
	s.ativa(ctx, "admin", "products", "create", "--id", "1", "--name", "Play", "--code", "play", "--family", "play", "--partner", "parceiro")
	s.ativa(ctx, "admin", "products", "create", "--id", "2", "--name", "Música", "--code", "musica", "--family", "music", "--partner", "parceiro")
	s.token, s.bearer = s.provider(ctx, "Provedor")
}

// provider creates a provider and signs it in.
func (s *site) provider(ctx context.Context, name string) (token, bearer string) {
	token = strings.TrimSpace(s.ativa(ctx, "admin", "providers", "create", name, "--limit", "100000000", "--jq", ".access_token"))
	signIn := s.command(ctx, s.program, "auth", "token")
	signIn.Env = append(signIn.Env, "ATIVA_ACCESS_TOKEN="+token)
	return token, strings.TrimSpace(run(signIn))
}

// serve starts the server and waits until it listens. Without a mail flag, e-mails stay in the
// outbox.
func (s *site) serve(ctx context.Context, flags ...string) {
	s.server = s.command(ctx, s.program, append([]string{"serve", "--listen", "127.0.0.1:0", "--metrics-listen", "off", "--log-level", "error", "--quiet"}, flags...)...)
	s.server.Stderr = os.Stderr
	stdout := must(s.server.StdoutPipe())
	check(s.server.Start())
	_, err := fmt.Fscanf(stdout, "ativa serves %s", &s.url)
	check(err)
}

// halt stops the server, which finishes its running work.
func (s *site) halt() {
	if s.server != nil {
		check(errors.Join(s.server.Process.Signal(syscall.SIGTERM), s.server.Wait()))
		s.server, s.url, s.token = nil, "", ""
	}
}

// counter returns a named number from a file of the server in /proc.
func (s *site) counter(file, name string) (n float64) {
	text := must(os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.server.Process.Pid, file)))
	_, rest, _ := strings.Cut("\n"+string(text), "\n"+name+":")
	_, err := fmt.Sscan(rest, &n)
	return must(n, err)
}

// written returns how much the server has written so far: rows if the database counts them.
func (s *site) written(ctx context.Context) (n float64, what string) {
	if s.name() == "SQLite" {
		return s.counter("io", "write_bytes"), "bytes"
	}
	out := s.script(ctx, `SELECT pg_stat_clear_snapshot(); SELECT SUM(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables;`)
	_, err := fmt.Sscan(out, &n)
	return must(n, err), "rows"
}

// cpu returns the processor time of the server in seconds, see clock_getcpuclockid(3).
func (s *site) cpu() float64 {
	var t unix.Timespec
	check(unix.ClockGettime(int32(^s.server.Process.Pid<<3|2), &t))
	return time.Duration(t.Nano()).Seconds()
}

// get reads a complete response and returns the time in seconds.
func (s *site) get(ctx context.Context, path string) float64 {
	return timed(func() { check(s.call(ctx, http.MethodGet, s.bearer, path, "")) })
}

func (s *site) register(ctx context.Context, bearer, document string) error {
	return s.call(ctx, http.MethodPost, bearer, "/subscribers", fmt.Sprintf(`{"name":"Nova Pessoa","email":"nova%[1]s@example.com.br",`+
		`"document":%[1]q,"phone":"+5511987654321","internet_speed_id":1,"customer_plan":"Fibra 100"}`, document))
}

// call makes a request and reads the response, without the retries of the client's package.
func (s *site) call(ctx context.Context, method, bearer, path, body string) error {
	req := must(http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body)))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+bearer)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s: %s", method, path, res.Status, text)
	}
	return err
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

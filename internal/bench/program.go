//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
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

	"ativa/internal/service/store/pgcluster"
)

// binary is the path of an executable file; its directory is the HOME of the process.
type binary string

// used is the time that a command took, in seconds.
type used struct{ wall, cpu float64 }

// run runs a command to its end, isolated from the user's contexts and keyring.
func (p binary) run(ctx context.Context, environment []string, args ...string) (stdout []byte, u used) {
	cmd := exec.CommandContext(ctx, string(p), args...)
	cmd.Env = append([]string{"HOME=" + filepath.Dir(string(p)), "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}, environment...)
	began := time.Now()
	stdout = output(cmd)
	u.wall = time.Since(began).Seconds()
	u.cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	return stdout, u
}

func output(cmd *exec.Cmd) []byte {
	stdout, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, exit.Stderr)
	}
	return must(stdout, err)
}

// site is the program at work on one engine: a database, its server, and a
// provider's client of it.
type site struct {
	*bench
	engine
	people *people

	dsn, url, token, bearer string
	log                     *os.File
	server                  *exec.Cmd
}

// manual holds the flags of a partner whose requests wait for an operator.
var manual = []string{"--driver", "manual"} //nolint:gochecknoglobals // a constant

// enter removes the previous setup and starts with an empty database, one provider, two products
// of a partner, and a server with the flags.
func (s *site) enter(ctx context.Context, partner []string, flags ...string) {
	s.leave(ctx)
	s.dsn = s.fresh(ctx)
	s.admin(ctx, append([]string{"partners", "create", "parceiro"}, partner...)...)
	s.admin(ctx, "products", "create", "--id", "1", "--name", "Play", "--code", "play", "--family", "play", "--partner", "parceiro")
	s.admin(ctx, "products", "create", "--id", "2", "--name", "Música", "--code", "musica", "--family", "music", "--partner", "parceiro")
	s.token = s.provider(ctx, "Provedor")
	s.serve(ctx, flags...)
	s.bearer = s.signIn(ctx, s.token)
}

func (s *site) leave(ctx context.Context) {
	s.halt()
	if s.dsn != "" {
		s.drop(ctx, s.dsn)
		s.dsn = ""
	}
}

func (s *site) admin(ctx context.Context, args ...string) []byte {
	stdout, _ := s.program.run(ctx, nil, append(append([]string{"admin"}, args...), "--db", s.dsn)...)
	return stdout
}

func (s *site) provider(ctx context.Context, name string) (token string) {
	var created struct {
		Token string `json:"access_token"`
	}
	check(json.Unmarshal(s.admin(ctx, "providers", "create", name, "--limit", "100000000", "-o", "json"), &created))
	return created.Token
}

// serve starts the server and waits until it is ready. Without a mail flag, e-mails stay in the
// outbox.
func (s *site) serve(ctx context.Context, flags ...string) {
	listen := net.JoinHostPort("127.0.0.1", strconv.Itoa(must(pgcluster.FreePort(ctx))))
	s.url = "http://" + listen
	s.log = must(os.Create(filepath.Join(s.dir, "server.log")))
	server := exec.CommandContext(ctx, string(s.program), append([]string{"serve", "--db", s.dsn, "--listen", listen, "--public-url", s.url}, flags...)...)
	server.Env, server.Stderr = []string{"HOME=" + s.dir}, s.log
	check(server.Start())
	s.server = server
	var err error
	for range 6000 {
		if _, err = s.call(ctx, http.MethodGet, "", "/readyz", ""); err == nil || ctx.Err() != nil {
			break
		}
		wait(ctx, 20*time.Millisecond)
	}
	check(err)
}

// halt stops the server, which finishes what is in progress.
func (s *site) halt() {
	if s.server == nil {
		return
	}
	err := errors.Join(s.server.Process.Signal(syscall.SIGTERM), s.server.Wait(), s.log.Close())
	s.server = nil
	if err != nil {
		text, _ := os.ReadFile(s.log.Name())
		check(fmt.Errorf("the server ended with %w: %s", err, text[max(0, len(text)-2000):]))
	}
}

// command runs a command as the provider, on the server at url.
func (s *site) command(ctx context.Context, url string, args ...string) used {
	args = append(args, "--report-dir", s.dir, "--quiet", "--yes")
	_, u := s.program.run(ctx, []string{"ATIVA_SERVER=" + url, "ATIVA_ACCESS_TOKEN=" + s.token}, args...)
	return u
}

func (s *site) importAll(ctx context.Context, p *people) used {
	return s.command(ctx, s.url, "subscribers", "import", p.csv)
}

// timed runs statements in the database's own client and returns the seconds.
func (s *site) timed(ctx context.Context, statements string) float64 {
	began := time.Now()
	s.script(ctx, s.dsn, statements)
	return time.Since(began).Seconds()
}

func (s *site) signIn(ctx context.Context, token string) string {
	var answer struct {
		Authorization struct{ Token string }
	}
	text := must(s.call(ctx, http.MethodPost, "", "/authenticate", `{"access_token":"`+token+`"}`))
	check(json.Unmarshal(text, &answer))
	return answer.Authorization.Token
}

// get reads a complete response and returns the time in seconds.
func (s *site) get(ctx context.Context, path string) float64 {
	began := time.Now()
	must(s.call(ctx, http.MethodGet, s.bearer, path, ""))
	return time.Since(began).Seconds()
}

// register creates a subscriber and returns the time in seconds.
func (s *site) register(ctx context.Context, bearer, document string) (float64, error) {
	began := time.Now()
	_, err := s.call(ctx, http.MethodPost, bearer, "/subscribers", fmt.Sprintf(`{"name":"Nova Pessoa","email":"nova%[1]s@example.com.br",`+
		`"document":%[1]q,"phone":"+5511987654321","internet_speed_id":1,"customer_plan":"Fibra 100"}`, document))
	return time.Since(began).Seconds(), err
}

func (s *site) call(ctx context.Context, method, bearer, path, body string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+bearer)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s: %s", method, path, res.Status, text)
	}
	return text, err
}

// proc returns a number, by its name, from a file of the server in /proc.
func (s *site) proc(file, name string) (n float64) {
	_, rest, _ := strings.Cut("\n"+s.procFile(file), "\n"+name+":")
	_, err := fmt.Sscan(rest, &n)
	return must(n, err)
}

func (s *site) procFile(name string) string {
	return string(must(os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.server.Process.Pid, name))))
}

// cpu returns the processor time of the server in seconds. proc(5) counts hundredths.
func (s *site) cpu() float64 {
	fields := strings.Fields(s.procFile("stat"))
	return float64(must(strconv.Atoi(fields[13]))+must(strconv.Atoi(fields[14]))) / 100
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

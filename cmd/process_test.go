package cmd

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ativa/internal/provision"
	"ativa/internal/store/pgcluster"
	"ativa/internal/store/pgtest"
)

// processFixture is a home, a database and the processes of one test.
type processFixture struct {
	*testing.T
	dir    string
	dsn    string
	port   string
	env    []string
	server *exec.Cmd

	deliver       []string // flags of serve: where e-mails go
	partnerSecret string
}

// newProcessFixture is for what does not depend on the database.
func newProcessFixture(t *testing.T) *processFixture {
	t.Helper()
	return newProcessFixtureOn(t, pgtest.File(t), provision.Partner{Name: "parceiro", Driver: provision.DriverManual})
}

// newProcessFixtureOnEach is a fixture on the database under test.
func newProcessFixtureOnEach(t *testing.T) *processFixture {
	t.Helper()
	return newProcessFixtureOn(t, pgtest.DSN(t), provision.Partner{Name: "parceiro", Driver: provision.DriverManual})
}

// newProcessFixtureOn sets up a database with the partner.
func newProcessFixtureOn(t *testing.T, dsn string, partner provision.Partner) *processFixture {
	t.Helper()
	w := &processFixture{T: t, dir: t.TempDir(), dsn: dsn, port: freePort(t)}
	w.deliver = []string{"--mail-dir", filepath.Join(w.dir, "mail")}
	w.env = []string{"HOME=" + w.dir, "USERPROFILE=" + w.dir, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "PAGER=cat", "ATIVA_DB=" + w.dsn,
		"ATIVA_SERVER=http://127.0.0.1:" + w.port}
	secret, token, err := fillDatabase(w.dsn, partner, 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	w.partnerSecret, w.env = secret, append(w.env, "ATIVA_ACCESS_TOKEN="+token)
	t.Cleanup(w.kill)
	return w
}

// beside is the fixture of a second server of the same database.
func (w *processFixture) beside() *processFixture {
	w.Helper()
	other := &processFixture{T: w.T, dir: w.dir, dsn: w.dsn, port: freePort(w.T), env: w.env, deliver: w.deliver}
	w.Cleanup(other.kill)
	return other
}

func (w *processFixture) kill() {
	if w.server != nil {
		_ = w.server.Process.Kill()
		_ = w.server.Wait()
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	port, err := pgcluster.FreePort(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(port)
}

func (w *processFixture) command(args ...string) *exec.Cmd {
	path, err := exec.LookPath("ativa")
	if err != nil {
		w.Fatal(err)
	}
	c := exec.CommandContext(context.Background(), path, args...)
	c.Env, c.Dir = w.env, w.dir
	return c
}

// run runs a command that must succeed.
func (w *processFixture) run(args ...string) []byte {
	w.Helper()
	c := w.command(args...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		w.Fatalf("ativa %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.String())
	}
	return out
}

// start starts the server, on the same port each time.
func (w *processFixture) start() {
	w.Helper()
	w.server = w.command(append([]string{"serve", "--metrics-listen", "public", "--listen", "127.0.0.1:" + w.port}, w.deliver...)...)
	out, err := w.server.StdoutPipe()
	if err != nil {
		w.Fatal(err)
	}
	var said bytes.Buffer
	if w.server.Stderr = &said; os.Getenv("ATIVA_KILL_LOG") != "" {
		w.server.Stderr = os.Stderr
	}
	if err := w.server.Start(); err != nil {
		w.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = w.server.Wait() // said is whole then
		w.Fatalf("the server said %q, %v: %s", line, err, &said)
	}
}

// token is the bearer token of single calls.
func (w *processFixture) token() string {
	w.Helper()
	return strings.TrimSpace(string(w.run("auth", "token")))
}

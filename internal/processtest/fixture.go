// Package processtest provides a home, a database and processes of the built program, for tests
// that start, kill and interrupt them. It does not know what such a test checks.
package processtest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgcluster"
)

// Timeout limits each wait of a test. Nothing takes this long, even on a busy machine.
const Timeout = 3 * time.Minute

// Fixture is a home, a database and the processes of one test.
type Fixture struct {
	*testing.T
	Dir    string // the home and working directory of each process
	DSN    string
	Port   string
	Env    []string // NAME=value, for each process
	Server *exec.Cmd

	Program       string   // path of the program that [Fixture.Start] starts; the ativa in PATH if empty
	Deliver       []string // flags of serve for the delivery of e-mails
	PartnerSecret string
}

// New sets up a database with the partner, the products and the provider "Azul".
func New(t *testing.T, dsn string, partner domain.Partner, products []domain.Product) *Fixture {
	t.Helper()
	w := &Fixture{T: t, Dir: t.TempDir(), DSN: dsn, Port: FreePort(t)}
	w.Deliver = []string{"--mail-dir", filepath.Join(w.Dir, "mail")}
	w.Env = []string{"HOME=" + w.Dir, "USERPROFILE=" + w.Dir, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "PAGER=cat", "ATIVA_DB=" + w.DSN,
		"ATIVA_SERVER=http://127.0.0.1:" + w.Port}
	secret, token, err := Fill(w.DSN, partner, products, 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	w.PartnerSecret, w.Env = secret, append(w.Env, "ATIVA_ACCESS_TOKEN="+token)
	t.Cleanup(w.Kill)
	return w
}

// Fill sets up a database as an operator does: a partner, its products and the provider
// "Azul", with at most limit active services. It returns the partner's secret and the
// provider's access token.
func Fill(dsn string, partner domain.Partner, products []domain.Product, limit int) (secret, token string, err error) {
	ctx := context.Background()
	db, err := store.Open(ctx, dsn, store.Options{})
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	m := servicetest.New(db, servicetest.Options{})
	if partner, err = m.CreatePartner(ctx, partner); err != nil {
		return "", "", err
	}
	for _, p := range products {
		p.Active, p.Can, p.Partner = true, domain.CanAll, partner.ID
		if err := m.CreateProduct(ctx, p); err != nil {
			return "", "", err
		}
	}
	_, token, err = m.CreateProvider(ctx, domain.Provider{Name: "Azul", Limit: limit, AllProducts: true})
	return domain.Secret(partner.Secret), token, err
}

// Beside returns a fixture for a second server on the same database.
func (w *Fixture) Beside() *Fixture {
	w.Helper()
	other := &Fixture{T: w.T, Dir: w.Dir, DSN: w.DSN, Port: FreePort(w.T), Env: w.Env, Deliver: w.Deliver}
	w.Cleanup(other.Kill)
	return other
}

// Kill kills the server, if there is one.
func (w *Fixture) Kill() {
	if w.Server != nil {
		_ = w.Server.Process.Kill()
		_ = w.Server.Wait()
	}
}

// FreePort returns a port without a listener.
func FreePort(t *testing.T) string {
	t.Helper()
	port, err := pgcluster.FreePort(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(port)
}

// Command returns a command that runs the program with arguments, not yet started.
func (w *Fixture) Command(args ...string) *exec.Cmd {
	path, err := exec.LookPath("ativa")
	if err != nil {
		w.Fatal(err)
	}
	c := exec.CommandContext(context.Background(), path, args...)
	c.Env, c.Dir = w.Env, w.Dir
	return c
}

// Must runs a command, which must succeed, and returns what it printed.
func (w *Fixture) Must(args ...string) []byte {
	w.Helper()
	c := w.Command(args...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		w.Fatalf("ativa %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.String())
	}
	return out
}

// Start starts the server, on the same port each time.
func (w *Fixture) Start() {
	w.Helper()
	w.Server = w.Command(append([]string{"serve", "--metrics-listen", "public", "--listen", "127.0.0.1:" + w.Port}, w.Deliver...)...)
	if w.Program != "" {
		w.Server.Path = w.Program
	}
	out, err := w.Server.StdoutPipe()
	if err != nil {
		w.Fatal(err)
	}
	var said bytes.Buffer
	w.Server.Stderr = &said
	if err := w.Server.Start(); err != nil {
		w.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = w.Server.Wait() // after this, said is complete
		w.Fatalf("the server said %q, %v: %s", line, err, &said)
	}
}

// Token returns a bearer token for single calls.
func (w *Fixture) Token() string {
	w.Helper()
	return strings.TrimSpace(string(w.Must("auth", "token")))
}

// FromEnv returns the positive number in an environment variable, or otherwise if it is not set.
func FromEnv(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	value := os.Getenv(variable)
	if value == "" {
		return otherwise
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q is no number", variable, value)
	}
	return n
}

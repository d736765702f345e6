package cmd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/provision"
	"ativa/internal/store/pgcluster"
	"ativa/internal/store/pgtest"
)

// TestAnImportIsExactWhateverIsKilled kills the command line and the server in
// turns with SIGKILL in the middle of an import, and runs the same command
// again and again. ATIVA_KILLS is how often (10), ATIVA_KILL_ROWS how many rows
// the file has (1,000).
func TestAnImportIsExactWhateverIsKilled(t *testing.T) {
	t.Parallel()
	kills, rows := fromEnv(t, "ATIVA_KILLS", 10), fromEnv(t, "ATIVA_KILL_ROWS", 1000)
	w := newProcessFixture(t)
	w.start()
	file := w.writeRows(rows)
	rate := strconv.Itoa(max(rows/kills*12, 50))
	args := []string{"subscribers", "import", file, "--batch-size", "20", "--concurrency", "4", "--quiet"}
	for i := range kills {
		command := w.command(append(args, "--rate", rate)...)
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(20+rand.IntN(280)) * time.Millisecond) // a kill comes when it comes
		if i%2 == 0 {
			_ = command.Process.Kill()
		} else {
			_ = w.server.Process.Kill()
			_ = w.server.Wait()
			w.start()
		}
		done := make(chan struct{})
		go func() { _ = command.Wait(); close(done) }()
		if i%2 == 1 { // the command line rides over the restart for a while, then it is stopped too
			select {
			case <-done:
			case <-time.After(200 * time.Millisecond):
				_ = command.Process.Kill()
			}
		}
		<-done
	}
	out := w.run(append(args, "-o", "json")...)
	var summary struct {
		Import importSummary `json:"import"`
	}
	if err := json.Unmarshal(out, &summary); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s := summary.Import
	if s.answered() != rows || s.Failed+s.Unknown+s.NotSent != 0 {
		t.Errorf("the summary is %+v, want %d rows answered", s, rows)
	}
	services := w.checkSubscribers(rows)
	w.checkReport(file, rows)
	w.expireLeases()
	mails := w.mails(services)
	t.Logf("%d kills, %d rows, %d services, %d e-mails, %d rows from the journal", kills, rows, services, mails, s.Resumed)
	if mails < services || mails > services+kills {
		t.Errorf("got %d e-mails for %d services and %d kills", mails, services, kills)
	}
}

func fromEnv(t *testing.T, variable string, otherwise int) int {
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

// processFixture is a home, a database and the processes of one test.
type processFixture struct {
	*testing.T
	dir    string
	dsn    string
	port   string
	env    []string
	server *exec.Cmd
}

func newProcessFixture(t *testing.T) *processFixture {
	t.Helper()
	return newProcessFixtureOn(t, pgtest.DSN(t), provision.Partner{Name: "parceiro", Driver: provision.DriverManual})
}

// newProcessFixtureOn sets up a database with the partner.
func newProcessFixtureOn(t *testing.T, dsn string, partner provision.Partner) *processFixture {
	t.Helper()
	w := &processFixture{T: t, dir: t.TempDir(), dsn: dsn, port: freePort(t)}
	w.env = []string{"HOME=" + w.dir, "USERPROFILE=" + w.dir, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "ATIVA_DB=" + w.dsn,
		"ATIVA_SERVER=http://127.0.0.1:" + w.port}
	_, token, err := fillDatabase(w.dsn, partner, 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	w.env = append(w.env, "ATIVA_ACCESS_TOKEN="+token)
	t.Cleanup(w.kill)
	return w
}

// beside is the fixture of a second server of the same database.
func (w *processFixture) beside() *processFixture {
	w.Helper()
	other := &processFixture{T: w.T, dir: w.dir, dsn: w.dsn, port: freePort(w.T), env: w.env}
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
	w.server = w.command("serve", "--listen", "127.0.0.1:"+w.port, "--mail-dir", filepath.Join(w.dir, "mail"))
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

// writeRows writes a file of that many subscribers with one or two products each.
func (w *processFixture) writeRows(n int) string {
	w.Helper()
	var b strings.Builder
	b.WriteString("document;name;email;phone;products_ids\n")
	for i := range n {
		products := "1"
		if i%3 == 0 {
			products = "1,3"
		}
		fmt.Fprintf(&b, "%s;Pessoa %d;p%d@example.com;+55119%08d;%s\n", documentOf(i), i, i, i, products)
	}
	path := filepath.Join(w.dir, "people.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		w.Fatal(err)
	}
	return path
}

// checkSubscribers wants each row once with just its products, and returns how
// many services there are.
func (w *processFixture) checkSubscribers(rows int) int {
	w.Helper()
	lines := strings.Split(strings.TrimSpace(string(w.run("subscribers", "list", "-o", "jsonl"))), "\n")
	seen := map[string]bool{}
	services := 0
	for _, line := range lines {
		var s struct {
			Document, Name string
			Services       []struct {
				ID int `json:"content_supplier_product_id"`
			}
		}
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			w.Fatalf("%v: %s", err, line)
		}
		var i int
		if _, err := fmt.Sscanf(s.Name, "Pessoa %d", &i); err != nil || documentOf(i) != s.Document {
			w.Errorf("got %s with the name %q", s.Document, s.Name)
		}
		want := 1
		if i%3 == 0 {
			want = 2
		}
		if seen[s.Document] || len(s.Services) != want {
			w.Errorf("subscriber %d: seen before %v, %d services, want %d", i, seen[s.Document], len(s.Services), want)
		}
		seen[s.Document] = true
		services += len(s.Services)
	}
	if len(seen) != rows {
		w.Errorf("got %d subscribers, want %d", len(seen), rows)
	}
	return services
}

// checkReport wants a line of the report for each row.
func (w *processFixture) checkReport(file string, rows int) {
	w.Helper()
	data, err := os.ReadFile(file + ".report.csv")
	if err != nil {
		w.Fatal(err)
	}
	if n := bytes.Count(data, []byte("\n")); n != rows+1 {
		w.Errorf("the report has %d lines, want %d and a header", n, rows)
	}
	n := 0
	for _, word := range []string{",created,", ",existing,", ",sent,"} {
		n += bytes.Count(data, []byte(word))
	}
	if n != rows {
		w.Errorf("the report tells of %d rows done, want %d", n, rows)
	}
}

// mails waits until each service has its e-mail and counts them all.
func (w *processFixture) mails(services int) int {
	w.Helper()
	deadline := time.Now().Add(testTimeout)
	for {
		files, err := os.ReadDir(filepath.Join(w.dir, "mail"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			w.Fatal(err)
		}
		n := 0
		for _, f := range files {
			if strings.HasSuffix(f.Name(), ".eml") {
				n++
			}
		}
		if n >= services || time.Now().After(deadline) {
			return n
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// expireLeases lets the minute pass after which the jobs of a killed server are
// another's. SQLite's next server need not wait for it.
func (w *processFixture) expireLeases() {
	w.Helper()
	if strings.HasPrefix(w.dsn, "postgres:") {
		pgtest.Exec(w, w.dsn, `UPDATE job SET next_at = next_at - 60000000 WHERE state = 1`)
	}
}

// documentOf is the document of the i-th row.
func documentOf(i int) string { return string(cpf.WithCheckDigits(fmt.Sprintf("%09d", i+1))) }

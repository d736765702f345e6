package cmd

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"ativa/cmd/operator"
	"ativa/internal/api/apicheck"
	"ativa/internal/cli"
	"ativa/internal/provision"
	"ativa/internal/store"
	"ativa/internal/store/pgtest"
)

func TestMain(m *testing.M) {
	testscript.Main(bothEngines{m}, map[string]func(){"ativa": func() { os.Exit(Main()) }})
}

// bothEngines runs the tests on each database. A whole run starts thousands of
// processes, as many kills do, for which it pays to build the program; a few tests
// have the test binary do for it.
type bothEngines struct{ *testing.M }

func (m bothEngines) Run() int {
	flag.Parse()
	if flag.Lookup("test.run").Value.String() == "" || os.Getenv("ATIVA_KILLS") != "" {
		remove, err := putInPath()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer remove()
	}
	return pgtest.Main(oneEngine(m))
}

// oneEngine runs the tests on one database: on PostgreSQL, unless -run says
// otherwise, only those that a database makes a difference to.
type oneEngine struct{ *testing.M }

func (m oneEngine) Run() int {
	const atOnce = "12" // they wait for processes, disks and each other's time-outs, not for the processor
	const touchesTheDatabase = "TestScripts|WhateverIsKilled|TestServers|TestFigures|TestAnInterruptedImport"
	flag.Parse()
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		if err := parallel.Value.Set(atOnce); err != nil {
			panic(err)
		}
	}
	if run := flag.Lookup("test.run"); os.Getenv(pgtest.Engine) == "postgres" && run.Value.String() == "" {
		if err := run.Value.Set(touchesTheDatabase); err != nil {
			panic(err)
		}
	}
	return m.M.Run()
}

// TestScripts runs every script below testdata/script: what a user types, and
// what comes back. Each has a home of its own, and no session bus.
func TestScripts(t *testing.T) {
	var dirs []string
	err := filepath.WalkDir("testdata/script", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			dirs = append(dirs, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		testscript.Run(t, testscript.Params{Dir: dir, Setup: func(e *testscript.Env) error { return setUp(t, e) }, RequireExplicitExec: true, RequireUniqueNames: true,
			Condition: func(c string) (bool, error) { return c == os.Getenv(pgtest.Engine), nil }, // [sqlite], [postgres]
			Cmds: databaseCommands(map[string]func(*testscript.TestScript, bool, []string){
				"server": startServer, "minimal-server": startMinimalServer, "not-allowed-server": startNotAllowedServer, "click": click, "exits": exitsWith, "receiver": startReceiver, "received": received, "fail-deliveries": failDeliveries, "until": untilOutput, "age": age,
			})})
	}
}

func setUp(t *testing.T, e *testscript.Env) error {
	home := filepath.Join(e.WorkDir, "home")
	e.Setenv("HOME", home)
	e.Setenv("LANG", "C.UTF-8")
	docs, err := filepath.Abs("../docs")
	if err != nil {
		return err
	}
	e.Setenv("DOCS", docs)
	e.Setenv("YESTERDAY", time.Now().AddDate(0, 0, -1).Format(time.DateOnly))
	e.Setenv("TOMORROW", time.Now().AddDate(0, 0, 1).Format(time.DateOnly))
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
		"ATIVA_SERVER", "ATIVA_ACCESS_TOKEN", "ATIVA_CONTEXT", "ATIVA_DB", "NO_COLOR",
		"ATIVA_OUTPUT", "ATIVA_COLOR", "ATIVA_TIMEOUT", "ATIVA_PROXY", "ATIVA_LANG"} {
		e.Setenv(name, "")
	}
	e.Values["server"] = &lastServer{odd: func(err error) { t.Errorf("%s: %v", filepath.Base(e.WorkDir), err) }}
	return os.MkdirAll(home, 0o700)
}

// exitsWith runs a command and wants its exit code: exits 2 ativa subscribers.
// Its output goes to the files stdout and stderr.
func exitsWith(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	path, err := exec.LookPath(args[1])
	ts.Check(err)
	c := exec.CommandContext(context.Background(), path, args[2:]...)
	c.Dir, c.Env = ts.Getenv("WORK"), environ(ts)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	_ = c.Run() // the exit code is what counts
	ts.Check(os.WriteFile(ts.MkAbs("stdout"), stdout.Bytes(), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("stderr"), stderr.Bytes(), 0o600))
	if got := fmt.Sprint(c.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("exit %s, want %s\n%s%s", got, args[0], stdout.String(), stderr.String())
	}
	if code := c.ProcessState.ExitCode(); code < cli.ExitInterrupted && !hasHint(stderr.String()) {
		ts.Fatalf("the error does not say what to do next:\n%s", stderr.String())
	}
}

// untilOutput runs a command again and again until it prints what a regular expression
// matches, on whatever machine: until REGEXP COMMAND…. The output that did goes to
// the file stdout.
func untilOutput(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until REGEXP COMMAND…")
	}
	wanted, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	path, err := exec.LookPath(args[1])
	ts.Check(err)
	var out []byte
	for began := time.Now(); time.Since(began) < testTimeout; <-time.After(20 * time.Millisecond) {
		c := exec.CommandContext(context.Background(), path, args[2:]...)
		c.Dir, c.Env = ts.Getenv("WORK"), environ(ts)
		if out, _ = c.Output(); wanted.Match(out) {
			ts.Check(os.WriteFile(ts.MkAbs("stdout"), out, 0o600))
			return
		}
	}
	ts.Fatalf("%q did not come, but\n%s", args[0], out)
}

// exitRace is what the race detector lets a process end with that had a race.
const exitRace = 66

// testTimeout is after how long a test gives up what ought to have happened. Nothing
// takes so long on the slowest machine.
const testTimeout = 3 * time.Minute

// hasHint tells that an error is one line that says what happened, and one that
// says what to do next. A command that has told everything in its results has
// neither.
func hasHint(stderr string) bool {
	if strings.Contains(stderr, `"hint":null`) {
		return false
	}
	at := strings.LastIndex("\n"+stderr, "\nativa: ")
	return at < 0 || strings.Count(stderr[at:], "\n") == 2
}

func environ(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{"HOME", "PATH", "LANG", "LC_ALL", "WORK", "ATIVA_SERVER", "ATIVA_ACCESS_TOKEN", "ATIVA_CONTEXT", "ATIVA_DB",
		"ATIVA_OUTPUT", "ATIVA_COLOR", "ATIVA_TIMEOUT", "ATIVA_PROXY", "ATIVA_LANG", "ATIVA_MAX_ASKS", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"} {
		env = append(env, name+"="+ts.Getenv(name))
	}
	return env
}

// scriptTB lets a database last as long as a script.
type scriptTB struct{ *testscript.TestScript }

func (scriptTB) Name() string             { return "TestScripts" }
func (scriptTB) Helper()                  {}
func (scriptTB) Context() context.Context { return context.Background() }
func (s scriptTB) Cleanup(f func())       { s.Defer(f) }
func (s scriptTB) Skip(a ...any)          { s.Fatalf("%s", fmt.Sprint(a...)) }
func (s scriptTB) Error(a ...any)         { s.Fatalf("%s", fmt.Sprint(a...)) }
func (s scriptTB) Errorf(f string, a ...any) {
	s.Fatalf(f, a...)
}
func (s scriptTB) Fatal(a ...any) { s.Fatalf("%s", fmt.Sprint(a...)) }

// startServer sets up a database with four products and a provider, starts the
// service and points the script at it: server DRIVER LIMIT.
func startServer(ts *testscript.TestScript, _ bool, args []string) {
	driver, limit := "simulator", "1000"
	if len(args) == 2 {
		driver, limit = args[0], args[1]
	}
	db := pgtest.DSN(scriptTB{ts})
	ts.Setenv("ATIVA_DB", db)
	partner := provision.Partner{Name: "parceiro", Driver: provision.Driver(driver)}
	switch partner.Driver {
	case provision.DriverHTTP:
		partner.URL = ts.Getenv("PARTNER")
	case provision.DriverSimulator:
		partner.Delay = 50 * time.Millisecond
	}
	active, err := strconv.Atoi(limit)
	ts.Check(err)
	secret, token, err := fillDatabase(db, partner, active)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("secret"), []byte(secret), 0o600))
	ts.Setenv("ATIVA_ACCESS_TOKEN", token)
	now := time.Now().UTC()
	ts.Setenv("YESTERDAY", now.AddDate(0, 0, -1).Format(time.DateOnly)) // whatever midnight comes meanwhile
	ts.Setenv("TOMORROW", now.AddDate(0, 0, 1).Format(time.DateOnly))
	serve(ts, db)
}

// fillDatabase sets up a database as an operator does: a partner, the demo's
// products and the provider "Azul". It returns the partner's secret and the
// provider's access token.
func fillDatabase(dsn string, partner provision.Partner, limit int) (secret, token string, err error) {
	ctx := context.Background()
	db, err := store.Open(ctx, dsn, store.Options{})
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	m := provision.NewManager(db, provision.Options{})
	if partner, err = m.CreatePartner(ctx, partner); err != nil {
		return "", "", err
	}
	for _, p := range operator.DevProducts() {
		p.Active, p.Can, p.Partner = true, provision.CanAll, partner.ID
		if err := m.CreateProduct(ctx, p); err != nil {
			return "", "", err
		}
	}
	_, token, err = m.CreateProvider(ctx, provision.Provider{Name: "Azul", Limit: limit, AllProducts: true})
	return provision.Secret(partner.Secret), token, err
}

// lastServer is the service that a script started last.
type lastServer struct {
	stop func()
	odd  func(error) // told of answers that are not as openapi.yaml describes them
}

// databaseCommands are the commands of scripts that move a service to another database:
// stop ends it, fresh makes an empty database, serve starts a service on it.
func databaseCommands(cmds map[string]func(*testscript.TestScript, bool, []string)) map[string]func(*testscript.TestScript, bool, []string) {
	cmds["stop"] = func(ts *testscript.TestScript, _ bool, _ []string) { ts.Value("server").(*lastServer).stop() }
	cmds["fresh"] = func(ts *testscript.TestScript, _ bool, _ []string) { ts.Setenv("ATIVA_DB", pgtest.DSN(scriptTB{ts})) }
	cmds["serve"] = func(ts *testscript.TestScript, _ bool, _ []string) { serve(ts, ts.Getenv("ATIVA_DB")) }
	return cmds
}

// serve starts the service on a free port; the end of the script stops it.
func serve(ts *testscript.TestScript, db string) {
	path, err := exec.LookPath("ativa")
	ts.Check(err)
	c := exec.CommandContext(context.Background(), path, "serve", "--db", db, "--listen", "127.0.0.1:0", "--mail-dir", ts.MkAbs("mail"))
	c.Env = environ(ts)
	out, err := c.StdoutPipe()
	ts.Check(err)
	log, err := os.Create(ts.MkAbs("server.log"))
	ts.Check(err)
	c.Stderr = log
	ts.Check(c.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "ativa serves ")
	end := sync.OnceFunc(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		if err := c.Wait(); c.ProcessState.ExitCode() == exitRace {
			ts.Value("server").(*lastServer).odd(errors.New("the race detector found a race in the server: " + ts.ReadFile("server.log")))
		} else if err != nil {
			ts.Logf("the server ended badly: %v", err)
		}
		log.Close()
	})
	ts.Defer(end)
	ts.Value("server").(*lastServer).stop = end
	if err != nil || !ok {
		ts.Fatalf("the server said %q, %v", line, err)
	}
	proxy, err := apicheck.Proxy(url, ts.Value("server").(*lastServer).odd)
	ts.Check(err)
	ts.Defer(proxy.Close)
	ts.Setenv("ATIVA_SERVER", proxy.URL)
}

// click waits for the given number of e-mails and follows the link in each.
func click(ts *testscript.TestScript, _ bool, args []string) {
	var want int
	if _, err := fmt.Sscan(args[0], &want); err != nil {
		ts.Fatalf("usage: click NUMBER")
	}
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	defer cancel()
	letters, err := operator.WaitForEmails(ctx, ts.MkAbs("mail"), want)
	ts.Check(err)
	for _, path := range letters {
		link, err := operator.ActivationLink(path)
		ts.Check(err)
		ts.Check(operator.FollowLink(ctx, link))
		ts.Check(os.Remove(path))
	}
}

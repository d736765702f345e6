package cmd

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"ativa/cmd/operator"
	"ativa/internal/api/apicheck"
	"ativa/internal/processtest"
	"ativa/internal/service/domain"
	"ativa/internal/service/store/pgtest"
)

func TestMain(m *testing.M) {
	cobra.EnableCommandSorting = false // as in Main
	testscript.Main(bothEngines{m}, map[string]func(){"ativa": func() { os.Exit(Main()) }})
}

// bothEngines runs the tests on each database. For thousands of processes it pays to
// build the program; a few tests use the test binary.
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
	pgtest.AtOnce(12) // they wait for processes, disks and time-outs, not for the processor
	return pgtest.Main(m.M, "Scripts")
}

// TestScripts runs every script of testdata/script: commands and their output. Each has
// its own home and no session bus.
func TestScripts(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	must(t, err)
	if os.Getenv(pgtest.Engine) == "postgres" {
		scripts = slices.DeleteFunc(scripts, func(path string) bool { return !touchesTheDatabase.MatchString(readPage(t, path)) })
	}
	testscript.Run(t, testscript.Params{Files: scripts, Setup: func(e *testscript.Env) error { return setUp(t, e) }, RequireExplicitExec: true, RequireUniqueNames: true,
		Condition: func(c string) (bool, error) { return c == os.Getenv(pgtest.Engine), nil }, // [sqlite], [postgres]
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"server": startServer, "minimal-server": startMinimalServer, "click": click, "exits": exitsWith, "receiver": startReceiver, "received": received, "fail-deliveries": failDeliveries, "until": untilOutput, "age": age,
			"variable": setVariable, "glob": setVariableToMatch, "private": makePrivate, "hold": holdFile, "release": releaseFile, "forbid-writing": forbidWriting,
			// To move a service to another database; stop would end the script.
			"stop-server": func(ts *testscript.TestScript, _ bool, _ []string) { ts.Value("server").(*lastServer).stop() },
			"fresh":       func(ts *testscript.TestScript, _ bool, _ []string) { ts.Setenv("ATIVA_DB", pgtest.DSN(scriptTB{ts})) },
			"serve":       func(ts *testscript.TestScript, _ bool, _ []string) { serve(ts, ts.Getenv("ATIVA_DB")) },
		}})
}

// touchesTheDatabase finds the scripts about the database itself. For all others the store's
// tests cover both engines.
var touchesTheDatabase = regexp.MustCompile(`postgres|ativa admin (backup|check|copy|export-data|migrate|restored)`)

func setUp(t *testing.T, e *testscript.Env) error {
	home := filepath.Join(e.WorkDir, "home")
	e.Setenv("HOME", home)
	e.Setenv("LANG", "C.UTF-8")
	e.Setenv("PAGER", "cat") // another one would block
	docs, err := filepath.Abs("../docs")
	if err != nil {
		return err
	}
	e.Setenv("DOCS", docs)
	e.Setenv("YESTERDAY", time.Now().AddDate(0, 0, -1).Format(time.DateOnly))
	e.Setenv("TOMORROW", time.Now().AddDate(0, 0, 1).Format(time.DateOnly))
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
		"ATIVA_SERVER", "ATIVA_ACCESS_TOKEN", "ATIVA_TOKEN_FILE", "ATIVA_CONTEXT", "ATIVA_DB", "NO_COLOR",
		"ATIVA_OUTPUT", "ATIVA_COLOR", "ATIVA_TIMEOUT", "ATIVA_PROXY", "ATIVA_LANG"} {
		e.Setenv(name, "")
	}
	e.Values["server"] = &lastServer{env: e.Vars, odd: func(err error) { t.Errorf("%s: %v", filepath.Base(e.WorkDir), err) }}
	return os.MkdirAll(home, 0o700)
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

// startServer creates a database with four products and a provider, starts the service
// and points the script at it: server DRIVER LIMIT.
func startServer(ts *testscript.TestScript, _ bool, args []string) {
	driver, limit := "simulator", "1000"
	if len(args) == 2 {
		driver, limit = args[0], args[1]
	}
	db := pgtest.DSN(scriptTB{ts})
	ts.Setenv("ATIVA_DB", db)
	partner := domain.Partner{Name: "parceiro", Driver: domain.Driver(driver)}
	switch partner.Driver {
	case domain.DriverHTTP:
		partner.URL = ts.Getenv("PARTNER")
	case domain.DriverSimulator:
		partner.Delay = 50 * time.Millisecond
	}
	active, err := strconv.Atoi(limit)
	ts.Check(err)
	secret, token, err := processtest.Fill(db, partner, operator.DevProducts(), active)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("secret"), []byte(secret), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("token"), []byte(token), 0o600))
	ts.Setenv("ATIVA_ACCESS_TOKEN", token)
	now := time.Now().UTC()
	ts.Setenv("YESTERDAY", now.AddDate(0, 0, -1).Format(time.DateOnly)) // fixed across midnight
	ts.Setenv("TOMORROW", now.AddDate(0, 0, 1).Format(time.DateOnly))
	serve(ts, db)
}

// lastServer is the script's last started service, and its held file.
type lastServer struct {
	stop    func()
	env     []string // of the service
	release func() error
	odd     func(error) // receives responses that differ from openapi.yaml
}

// serve starts the service on a free port; the end of the script stops it.
func serve(ts *testscript.TestScript, db string) {
	path, err := exec.LookPath("ativa")
	ts.Check(err)
	c := exec.CommandContext(context.Background(), path, "serve", "--db", db, "--listen", "127.0.0.1:0", "--metrics-listen", "public", "--mail-dir", ts.MkAbs("mail"))
	c.Env = ts.Value("server").(*lastServer).env
	out, err := c.StdoutPipe()
	ts.Check(err)
	log, err := os.Create(ts.MkAbs("server.log"))
	ts.Check(err)
	c.Stderr = log
	interruptible(c)
	ts.Check(c.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "ativa serves ")
	end := sync.OnceFunc(func() {
		ended := time.AfterFunc(testTimeout, func() { _ = c.Process.Kill() })
		defer ended.Stop()
		if told := interrupt(c); told != nil {
			_ = c.Process.Kill() // Windows signals only programs of its console
			_ = c.Wait()
		} else if err := c.Wait(); c.ProcessState.ExitCode() == exitRace {
			ts.Value("server").(*lastServer).odd(errors.New("the race detector found a race in the server: " + ts.ReadFile("server.log")))
		} else if err != nil {
			ts.Logf("the server ended badly: %v", err)
		}
		log.Close()
	})
	ts.Defer(end)
	if err != nil || !ok {
		ts.Fatalf("the server said %q, %v", line, err)
	}
	proxy, err := apicheck.Proxy(url, ts.Value("server").(*lastServer).odd)
	ts.Check(err)
	ts.Defer(proxy.Close)
	ts.Value("server").(*lastServer).stop = func() { end(); proxy.Close() }
	ts.Setenv("ATIVA_SERVER", proxy.URL)
	ts.Setenv("ADDRESS", strings.TrimPrefix(proxy.URL, "http://"))
}

// click waits for the given number of e-mails and follows the link in each.
func click(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	defer cancel()
	emails, err := followLinks(ctx, ts.MkAbs("mail"), want, "")
	ts.Check(err)
	for _, path := range emails {
		ts.Check(os.Remove(path))
	}
}

// followLinks waits for n e-mails in a directory and follows the links of those sent to an
// address.
func followLinks(ctx context.Context, dir string, n int, address string) (emails []string, err error) {
	if emails, err = operator.WaitForEmails(ctx, dir, n); err != nil {
		return nil, err
	}
	for _, path := range emails {
		if email, err := os.ReadFile(path); err != nil || !strings.Contains(string(email), address) {
			continue
		}
		link, err := operator.ActivationLink(path)
		if err == nil {
			err = operator.FollowLink(ctx, link)
		}
		if err != nil {
			return nil, err
		}
	}
	return emails, nil
}

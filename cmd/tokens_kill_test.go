package cmd

import (
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ativa/internal/cli"
)

// startKillingProxy starts a proxy of the fixture's server that kills a command at its request for a
// token number passing+1: before the server gets it, or after the server has made the token and
// before its response.
func (w *processFixture) startKillingProxy(passing int32, after bool, kill func()) (address string) {
	p := newFailingProxy(w.T, "http://127.0.0.1:"+w.Port)
	p.cut = kill
	p.fail(func(n int32) (done, answered bool) {
		if n == passing+1 {
			return after, false
		}
		return true, true
	})
	return p.url
}

// tokensCommand returns a command that makes tokens of these names from a file, and the file of
// their secrets, in a directory of its own.
func (w *processFixture) tokensCommand(names ...string) (c *exec.Cmd, output string) {
	file := writeFile(w.T, "pessoas.csv", "name\n"+strings.Join(names, "\n")+"\n")
	output = filepath.Join(filepath.Dir(file), "segredos.csv")
	return w.Command("tokens", "create", "--file", file, "--output-file", output, "-o", "csv"), output
}

// A command that creates tokens from a file and is killed at any request leaves all secrets in
// the named file, and none elsewhere.
func TestNoSecretIsLostWhenAFileOfTokensIsKilled(t *testing.T) {
	t.Parallel()
	w := newProcessFixture(t)
	w.Start()
	const tokens = 4
	for n := range 2 * tokens {
		passing, after := n/2, n%2 == 1
		var names []string
		for i := range tokens {
			names = append(names, fmt.Sprintf("pessoa %d of %d", i, n))
		}
		command, output := w.tokensCommand(names...)
		started, killed := make(chan struct{}), make(chan struct{})
		command.Args = append(command.Args, "--server", w.startKillingProxy(int32(passing), after, func() {
			<-started
			_ = command.Process.Kill()
			<-killed
		}))
		must(t, command.Start())
		close(started)
		if command.Wait() == nil {
			t.Error("it was not killed")
		}
		close(killed)
		w.wantSecrets(output, passing)
		if passing > 0 {
			w.wantUsable(output, passing)
		}
	}
}

// If a response is lost, the command prints once why it ended, and how to continue.
func TestAFileOfTokensThatBreaksOffSaysHowToGoOn(t *testing.T) {
	t.Parallel()
	w := newProcessFixture(t)
	w.Start()
	command, output := w.tokensCommand("ana", "bia", "eva")
	command.Args = append(command.Args, "--server", w.startKillingProxy(1, true, func() {}))
	printed, err := command.CombinedOutput()
	if exit := command.ProcessState.ExitCode(); exit != cli.ExitUnavailable || strings.Count(string(printed), "no answer came") != 1 ||
		!strings.Contains(string(printed), "1 of 3 access tokens were made: ") || !strings.Contains(string(printed), "`ativa tokens rotate` gives it another secret") {
		t.Errorf("exit %d, %v: %s", exit, err, printed)
	}
	w.wantUsable(output, 1)
}

// Where a secret cannot be written, the command names the token that has lost it.
func TestAFileOfTokensThatCannotBeWrittenNamesTheLostOne(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no shell limits the size of files here")
	}
	w := newProcessFixture(t)
	w.Start()
	var names []string
	for n := range 20 {
		names = append(names, fmt.Sprint("atendente-", n))
	}
	command, _ := w.tokensCommand(names...)
	command.Args = slices.Concat([]string{"sh", "-c", `ulimit -f 2; exec "$0" "$@"`, command.Path}, command.Args[1:]) // 1 or 2 kB
	command.Path = shell
	printed, err := command.CombinedOutput()
	made := strings.Count(string(w.Must("tokens", "list", "-o", "csv")), "atendente-")
	if exit := command.ProcessState.ExitCode(); exit != cli.ExitPartial || made < 2 || !strings.Contains(string(printed), fmt.Sprintf("shows atendente-%d,", made-1)) {
		t.Errorf("%d tokens are made, exit %d, %v: %s", made, exit, err, printed)
	}
}

// wantSecrets checks the number of secrets in the file, and that no other file has one.
func (w *processFixture) wantSecrets(path string, n int) {
	w.Helper()
	found, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if hidden, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".ativa-*")); err == nil {
		found = append(found, hidden...)
	}
	for _, file := range found {
		text, err := os.ReadFile(file)
		must(w, err)
		want := 0
		if file == path {
			want = n
		}
		if got := strings.Count(string(text), "ativa_"); got != want {
			w.Errorf("%s holds %d secrets, want %d:\n%s", file, got, want, text)
		}
	}
}

// wantUsable checks that the server accepts the token of each row.
func (w *processFixture) wantUsable(path string, n int) {
	w.Helper()
	f, err := os.Open(path)
	must(w, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != n+1 {
		w.Fatalf("got %d rows, want %d and a header: %v", len(rows), n, err)
	}
	for _, row := range rows[1:] {
		command := w.Command("products")
		command.Env = append(command.Environ(), "ATIVA_ACCESS_TOKEN="+row[len(row)-1])
		if printed, err := command.CombinedOutput(); err != nil {
			w.Errorf("the secret of %s is refused: %v, %s", row[1], err, printed)
		}
	}
}

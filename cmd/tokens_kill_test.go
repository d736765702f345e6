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
		passing, after := int32(n/2), n%2 == 1 // the server has not got the request, or has made the token
		var names []string
		for i := range tokens {
			names = append(names, fmt.Sprintf("pessoa %d of %d", i, n))
		}
		command, output := w.tokensCommand(names...)
		started, killed := make(chan struct{}), make(chan struct{})
		proxy := newFailingProxy(t, "http://127.0.0.1:"+w.Port)
		proxy.fail(func(n int32) (done, answered bool) { return n <= passing || after, n <= passing })
		proxy.cut = func() {
			<-started
			_ = command.Process.Kill()
			<-killed
		}
		command.Args = append(command.Args, "--server", proxy.url)
		must(t, command.Start())
		close(started)
		if command.Wait() == nil {
			t.Error("it was not killed")
		}
		close(killed)
		w.wantSecrets(output, int(passing))
	}
}

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

// wantSecrets checks that the file holds n secrets, that the server accepts each, and that no other
// file has one.
func (w *processFixture) wantSecrets(path string, n int) {
	w.Helper()
	found, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*")) // hidden ones, too
	must(w, err)
	for _, file := range found {
		text, err := os.ReadFile(file)
		must(w, err)
		if file != path && strings.Contains(string(text), "ativa_") {
			w.Errorf("%s holds secrets:\n%s", file, text)
		}
	}
	f, err := os.Open(path)
	if n == 0 && os.IsNotExist(err) {
		return
	}
	must(w, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || max(len(rows)-1, 0) != n {
		w.Fatalf("got %q, %v; want %d secrets below a header", rows, err, n)
	}
	for i := range n {
		command := w.Command("products")
		command.Env = append(command.Environ(), "ATIVA_ACCESS_TOKEN="+rows[i+1][len(rows[i+1])-1])
		if printed, err := command.CombinedOutput(); err != nil {
			w.Errorf("the secret of %s is refused: %v, %s", rows[i+1][1], err, printed)
		}
	}
}

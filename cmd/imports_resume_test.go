package cmd

import (
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/cli"
	"ativa/internal/run"
	"ativa/internal/sheet"
)

func reportedResults(t *testing.T, path string) (all []string) {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	for line, err := range sheet.ReadReport(f) {
		must(t, err)
		all = append(all, line.Result)
	}
	return all
}

// --wait waits for services even if the server only accepts an import, and its time-out
// does not make a completed import incomplete.
func TestImportWaitsOnAServerThatSaysNothingOfTheRows(t *testing.T) {
	t.Parallel()
	u := userOf(t, apitest.New(""))
	file := writeFile(t, "novos.csv", "nome;e-mail;cpf;telefone;produto\nAna;ana@example.com;52998224725;11987654321;25\n")
	got := u.run(nil, "subscribers", "import", file, "--wait", "--timeout", "5s")
	if got.exit != cli.ExitPending || strings.Contains(got.stderr, "not complete") {
		t.Errorf("exit %d, want %d: %s", got.exit, cli.ExitPending, got.stderr)
	}
}

// A run is refused while another one, of another server, writes the report at its path.
func TestTwoRunsDoNotWriteOneReport(t *testing.T) {
	server, file := apitest.New(""), writeFile(t, "file.csv", "nome;e-mail;cpf;telefone\nAna;ana@example.com;52998224725;11987654321\n")
	u, other := userOf(t, server), userOf(t, apitest.New(""))
	other.env["XDG_STATE_HOME"] = u.env["XDG_STATE_HOME"]
	var second outcome
	server.Refuse = func(apitest.Request) (int, string) {
		second = other.run(nil, "subscribers", "import", file)
		return 0, ""
	}
	first := u.run(nil, "subscribers", "import", file)
	if first.exit != 0 || second.exit != 9 || !strings.Contains(second.stderr, u.lastRun()+" is writing its report to "+file) {
		t.Errorf("got exit %d, %q; the second: exit %d, %q", first.exit, first.stderr, second.exit, second.stderr)
	}
}

// A run whose file has changed cannot be resumed: neither a hint nor completion proposes that, and an
// attempt leaves the report of the run as it is.
func TestARunOfAChangedFileIsNotOfferedToBeResumed(t *testing.T) {
	const people = "nome;e-mail;cpf;telefone\nAna;ana@example.com;52998224725;11987654321\n"
	for _, c := range []struct {
		command, text string
		hinted        bool // resume, while the file is unchanged
	}{
		{"subscribers import", people, true}, {"sync --yes", people, false}, {"provision suspend --product 25 --file", "cpf\n52998224725\n", true},
	} {
		for _, changed := range []bool{false, true} {
			server := apitest.New("")
			u, file := userOf(t, server), writeFile(t, "file.csv", c.text)
			server.Refuse = func(apitest.Request) (int, string) {
				if changed {
					must(t, os.WriteFile(file, []byte(c.text+"x\n"), 0o600))
				}
				return http.StatusForbidden, ""
			}
			got := u.run(nil, append(strings.Fields(c.command), file, "-o", "json")...)
			if resume := strings.Contains(got.stdout+got.stderr, "ativa imports resume"); resume != (c.hinted && !changed) || !strings.Contains(got.stderr, "run the same command again") {
				t.Errorf("%s, file changed %t: exit %d, %q, %q", c.command, changed, got.exit, got.stdout, got.stderr)
			}
			id := u.lastRun()
			if offered := slices.Contains(complete(u, "imports", "resume", ""), id); offered == changed || !slices.Contains(complete(u, "imports", "purge", ""), id) {
				t.Errorf("%s, file changed %t: resume is completed %t", c.command, changed, offered)
			}
			if !changed {
				continue
			}
			before := reportedResults(t, file+".report.csv")
			got = u.run(nil, "imports", "resume", id)
			if got.exit != 6 || !strings.Contains(got.stderr, "the file changed since the run "+id+" began") {
				t.Errorf("%s, resumed: exit %d, %q", c.command, got.exit, got.stderr)
			}
			if after := reportedResults(t, file+".report.csv"); !slices.Equal(after, before) {
				t.Errorf("%s, resumed: the report has %q, want %q", c.command, after, before)
			}
		}
	}
}

// A run whose --at has passed cannot be continued, and blocks its own command until it is forgotten.
func TestARunWhoseTimeHasPassedIsForgotten(t *testing.T) {
	server := apitest.New(api.ExtSchedule)
	server.Refuse = func(apitest.Request) (int, string) { return http.StatusForbidden, "" }
	u := userOf(t, server)
	got := u.run(nil, "provision", "suspend", "--product", "25", "--at", "1ms", "--file", writeFile(t, "file.csv", "cpf\n"+ana+"\n"))
	if want := "ativa imports purge " + u.lastRun(); !strings.Contains(got.stderr, want) {
		t.Errorf("got %d, %q, want %s", got.exit, got.stderr, want)
	}
}

// A run without a report is not undone. The hint is to resume it only if its file is unchanged.
func TestAnUndoProposesWhatIsPossible(t *testing.T) {
	const ofEmpty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	one := run.Info{State: run.StateInterrupted}
	one.Kind, one.File = "import", writeFile(t, "empty.csv", "")
	for hash, want := range map[string]string{ofEmpty: "ativa imports resume", "another": "ativa imports purge"} {
		one.SHA256 = hash
		refused, _ := errors.AsType[*cli.Failure](checkUndoable(one))
		if isUndoable(one) || refused == nil || !strings.Contains(refused.Hint.String(), want) {
			t.Errorf("got %+v, want the hint %s", refused, want)
		}
	}
}

func TestAnUndoPointsToNoHistoryThatTheServerLacks(t *testing.T) {
	u, server := minimalServer(t, entry(25, "active"))
	u.must("provision", "suspend", "--product", "25", "--file", writeFile(t, "documents.csv", "cpf\n"+ana+"\n"))
	server.Subscribers[ana].Services[0] = entry(25, "overdue")
	got := u.run(nil, "imports", "undo", u.lastRun(), "--dry-run")
	if got.exit != cli.ExitRefused || !strings.Contains(got.stderr, "the results above say why each failed") || strings.Contains(got.stderr, "subscribers history") {
		t.Errorf("exit %d, %q, want a hint to the results alone", got.exit, got.stderr)
	}
}

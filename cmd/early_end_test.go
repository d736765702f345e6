package cmd

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/cli"
	"ativa/internal/processtest"
	"ativa/internal/run"
	"ativa/internal/sheet"
)

const earlyPeople = 6

type earlyRun struct {
	*user
	*apitest.Server
	dir  string
	file string // "" for none
	args []string
	stop context.CancelCauseFunc
	done int // rows of an import that a run before did
}

// earlyRuns prepare each kind of run over many rows.
func earlyRuns() map[string]func(r *earlyRun) {
	return map[string]func(r *earlyRun){
		"import": func(r *earlyRun) { r.args = []string{"subscribers", "import", r.people("")} },
		"resumed import": func(r *earlyRun) {
			r.args = []string{"subscribers", "import", r.people("")}
			r.refuse(3, http.StatusForbidden)
			r.run(nil, append(slices.Clone(r.args), "--batch-size", "1", "--concurrency", "1")...)
			r.Refuse, r.done = nil, 2
		},
		"import with invalid rows": func(r *earlyRun) {
			r.args = []string{"subscribers", "import", r.people("Ana;x;1;2\n"), "--skip-invalid"}
		},
		"invalid import": func(r *earlyRun) { r.args = []string{"subscribers", "import", r.people("Ana;x;1;2\n")} },
		"dry run of an invalid import": func(r *earlyRun) {
			r.args = []string{"subscribers", "import", r.people("Ana;x;1;2\n"), "--skip-invalid", "--dry-run"}
		},
		"provision": func(r *earlyRun) { r.args = r.suspend() },
		"selection": func(r *earlyRun) {
			r.register()
			r.args = []string{"provision", "suspend", "--product", "25", "--status", "active", "--yes", "--max-changes", "100%", "--report-dir", r.dir}
		},
		"resumed selection": func(r *earlyRun) {
			earlyRuns()["selection"](r)
			r.refuse(2, http.StatusForbidden)
			r.run(nil, append(slices.Clone(r.args), "--batch-size", "1", "--concurrency", "1")...)
			r.Refuse = nil
			r.Subscribers[processtest.Document(earlyPeople-1)].Services[0] = r.Service(25, "canceled")
		},
		"sync": func(r *earlyRun) {
			r.register()
			text := "nome;e-mail;cpf;telefone;produtos;status\n"
			for n := range earlyPeople {
				text += fmt.Sprintf("Ana;ana@example.com;%s;11987654321;25;suspenso\n", processtest.Document(n+earlyPeople/2))
			}
			r.args = []string{"sync", r.write(text), "--yes"}
		},
		"undo": func(r *earlyRun) {
			r.Become["suspend"] = api.Status{ID: api.StatusSuspend, Name: "suspend"}
			r.must(r.suspend()...)
			r.args = r.undo()
		},
		"undo of an import": func(r *earlyRun) {
			r.must("subscribers", "import", r.people(""))
			r.args = r.undo()
		},
	}
}

// earlyEnds end a run at its n-th write.
var earlyEnds = map[string]func(r *earlyRun, n int){
	"none":         func(*earlyRun, int) {},
	"a forbidding": func(r *earlyRun, n int) { r.refuse(n, http.StatusForbidden) },
	"no answer":    func(r *earlyRun, n int) { r.refuse(n, http.StatusNotImplemented) },
	"Ctrl-C":       func(r *earlyRun, n int) { r.at(n, func() { r.stop(errInterrupted) }) },
	"too many failures": func(r *earlyRun, n int) {
		r.args = append(r.args, "--max-failures", "1")
		r.Fails = func(q apitest.Request, _ string) string {
			if q.N >= n {
				return "no"
			}
			return ""
		}
	},
	"a changed file": func(r *earlyRun, n int) {
		r.at(n, func() {
			if r.file != "" {
				must(r.t, os.Truncate(r.file, 60))
			}
		})
	},
}

func (r *earlyRun) write(text string) string {
	r.file = filepath.Join(r.dir, "people.csv")
	must(r.t, os.WriteFile(r.file, []byte(text), 0o600))
	return r.file
}

// people writes a file of rows, and others after them.
func (r *earlyRun) people(others string) string {
	text := "nome;e-mail;cpf;telefone\n"
	for n := range earlyPeople {
		text += fmt.Sprintf("Ana;ana@example.com;%s;11987654321\n", processtest.Document(n))
	}
	return r.write(text + others)
}

func (r *earlyRun) register() {
	for n := range earlyPeople {
		one := r.Add(processtest.Document(n), 25)
		one.Name, one.Email, one.Phone = "Ana", "ana@example.com", "+5511987654321"
	}
}

// suspend registers the subscribers and returns the command that suspends them by a file.
func (r *earlyRun) suspend() []string {
	r.register()
	text := "cpf\n"
	for _, d := range r.Documents {
		text += d + "\n"
	}
	return []string{"provision", "suspend", "--product", "25", "--file", r.write(text)}
}

func (r *earlyRun) undo() []string {
	return []string{"imports", "undo", r.lastRun(), "--yes", "--report-dir", r.dir}
}

// at calls do at the n-th write from now on, and before it is carried out.
func (r *earlyRun) at(n int, do func()) {
	before := len(r.Requests)
	r.Drop = func(q apitest.Request) bool {
		if q.N-before == n {
			do()
		}
		return false
	}
}

// refuse answers all writes from the n-th on with a status.
func (r *earlyRun) refuse(n, status int) {
	before := len(r.Requests)
	r.Refuse = func(q apitest.Request) (int, string) {
		if q.N-before >= n {
			return status, ""
		}
		return 0, ""
	}
}

// However a run over many rows ends, the JSON, the summary for people and the report count the same,
// and the report has a line for each row.
func TestSummaryAndReportAgreeHoweverARunEnds(t *testing.T) {
	t.Parallel()
	for kind, prepare := range earlyRuns() {
		for name, end := range earlyEnds {
			for _, extensions := range []string{"", api.ExtIdempotency, api.ExtIdempotency + ", " + api.ExtValidate} {
				for n := 1; n <= 4; n++ {
					t.Run(fmt.Sprintf("%s, %s at %d, extensions %s", kind, name, n, extensions), func(t *testing.T) {
						t.Parallel()
						r := &earlyRun{Server: apitest.New(extensions), dir: t.TempDir()}
						r.user = userOf(t, r.Server)
						r.Products = r.Products[:1]
						prepare(r)
						r.args = append(r.args, "--batch-size", "1", "--concurrency", "2", "-o", "json")
						end(r, n)
						r.check()
					})
				}
			}
		}
	}
}

// earlyOutput is the JSON of a run: of an import, a provision or a plan.
type earlyOutput struct {
	Response string
	Import   any // an object for an import
	Summary  *api.BatchSummary
	Results  []api.BatchResult
	Report   string // of a plan
	Actions  []run.Action
}

func (r *earlyRun) check() {
	t := r.t
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	r.stop = stop
	var stdout, stderr bytes.Buffer
	exit := Run(ctx, r.environment(bytes.NewReader(nil), &stdout, &stderr), r.args)
	if stdout.Len() == 0 && exit != cli.ExitOK && (r.args[0] == "sync" || r.args[0] == "imports") { // there is no plan
		return
	}
	said := decode[earlyOutput](t, stdout.String())
	counts, report := r.counted(said)
	if report == "" { // nothing was sent
		return
	}
	reported, lines := map[string]int{}, 0
	for _, result := range reportedResults(t, report) {
		if said.Summary != nil && (result == sheet.ResultNotSent || result == sheet.ResultUnknown) {
			result = theRest
		}
		reported[result]++
		lines++
	}
	if !maps.Equal(counts, reported) {
		t.Errorf("exit %d: the JSON counts %v, the report %v\n%s%s", exit, counts, reported, stdout.String(), stderr.String())
	}
	if want := earlyPeople; said.Actions == nil && lines != want && lines != want+1 {
		t.Errorf("the report has %d lines, want one for each row: %v", lines, reported)
	}
	changed := slices.ContainsFunc(slices.Collect(maps.Keys(counts)), func(result string) bool {
		return !slices.Contains([]string{api.ResultFailed, sheet.ResultInvalid, sheet.ResultNotSent, theRest}, result)
	})
	changed = changed && !slices.Contains(r.args, "--dry-run")
	if (exit == cli.ExitOK) != (said.Response == "success") || changed && (said.Response == "error" || exit == cli.ExitInvalidInput) {
		t.Errorf("exit %d, response %s, with %v", exit, said.Response, counts)
	}
	if one, isImport := said.Import.(map[string]any); isImport && one["resumed"] != float64(r.done) {
		t.Errorf("the JSON says that %v rows were done before, want %d", one["resumed"], r.done)
	}
	for text, n := range map[string]int{"not sent": counts[sheet.ResultNotSent], "without an answer": counts[sheet.ResultUnknown]} {
		number := regexp.MustCompile(`(\d+) (?:rows? )?` + text).FindStringSubmatch(stderr.String())
		if r.args[0] == "subscribers" && number != nil && number[1] != fmt.Sprint(n) {
			t.Errorf("stderr says %s, the JSON %d", number[0], n)
		}
	}
}

// theRest counts the rows of a provision that its JSON only has in the total: not sent or unanswered.
const theRest = "the rest"

// counted returns the numbers of results in the JSON, and the path of the report, "" for none.
func (r *earlyRun) counted(said earlyOutput) (counts map[string]int, report string) {
	counts = map[string]int{}
	one, isImport := said.Import.(map[string]any)
	switch {
	case isImport:
		for _, result := range []string{"created", "existing", "duplicate", "sent", "failed", "invalid", "unknown", "not_sent", "merged"} {
			counts[result] = int(one[result].(float64))
		}
		report, _ = one["report"].(string)
	case said.Summary != nil:
		for _, one := range said.Results {
			counts[one.Result]++
		}
		if got := said.Summary.Accepted + said.Summary.Unchanged + said.Summary.Failed; got != len(said.Results) {
			r.t.Errorf("the summary has %d results, the list %d", got, len(said.Results))
		}
		counts[theRest] = said.Summary.Total - len(said.Results)
		found, err := filepath.Glob(filepath.Join(r.dir, "*.report.csv"))
		if must(r.t, err); len(found) != 1 {
			r.t.Fatalf("got the reports %q, want one", found)
		}
		report = found[0]
	default:
		for i := range said.Actions {
			switch a := &said.Actions[i]; {
			case !a.Changes():
				counts[api.ResultFailed]++
			case a.Result == "":
				counts[sheet.ResultNotSent]++
			default:
				counts[a.Result]++
			}
		}
		report = said.Report
	}
	maps.DeleteFunc(counts, func(_ string, n int) bool { return n == 0 })
	return counts, report
}

func TestAnImportThatSentNothingNamesNoRun(t *testing.T) {
	u := userOf(t, apitest.New(api.ExtIdempotency))
	file := writeFile(t, "people.csv", "nome;e-mail;cpf;telefone\nAna;ana@example.com;52998224725;11987654321\n")
	must(t, os.Mkdir(file+".report.csv", 0o700))
	got := u.run(nil, "subscribers", "import", file, "-o", "json")
	said := decode[struct{ Import importSummary }](t, got.stdout).Import
	if got.exit == cli.ExitOK || said.Import+said.Report+said.Next != "" || said.NotSent != 1 || strings.Contains(got.stderr, "imports resume") {
		t.Errorf("exit %d, %+v, %q, want one row not sent and nothing to resume", got.exit, said, got.stderr)
	}
	if listed := u.must("imports", "list", "-o", "name").stdout; listed != "" {
		t.Errorf("the list has %q", listed)
	}
}

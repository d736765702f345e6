package simulation_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ativa/cmd"
	"ativa/internal/cli"
	"ativa/internal/cpf"
)

// commandLimit is the time after which a command counts as hanging: longer than its time-outs.
const commandLimit = 40 * time.Minute

// outcome is the result of a command.
type outcome struct {
	exit   int
	killed bool
	stdout string
}

// raise is the amount by which the operator raises a limit.
const raise = 4

// operate runs an operator's daily commands on the servers' database: it raises a limit now and
// then, and acts as a partner without a system.
func (w *week) operate() {
	c := w.chance
	if p := w.providers[0]; c.happens("raises", 0.3) {
		if last, ok := w.lastEvent(p.id); ok {
			p.raised = append(p.raised, last)
			w.admin("providers", "set-limit", p.name, fmt.Sprint(p.limit+raise*len(p.raised)))
		}
	}
	var list struct {
		Operations []struct {
			ID             string `json:"operation_id"`
			Partner, State string
		}
	}
	w.must(json.Unmarshal(w.admin("operations", "list", "-o", "json"), &list))
	for _, o := range list.Operations {
		switch {
		case o.Partner != "manual" || o.State != "waiting":
		case w.refused[o.ID] && !c.happens("operator tries again", 0.1): // the subscriber has not followed the link
		case c.happens("operator fails", 0.2):
			w.admin("operations", "fail", o.ID, "--reason", "recusado")
		default:
			w.admin("operations", "confirm", o.ID)
		}
	}
}

// admin runs a command of the operator and returns its output.
func (w *week) admin(args ...string) []byte {
	env := map[string]string{"HOME": w.providers[0].home, "ATIVA_DB": "sqlite:" + w.path, "LANG": "en"}
	var stdout, stderr bytes.Buffer
	e := &cli.Env{In: strings.NewReader(""), Out: &stdout, Err: &stderr, Getenv: func(name string) string { return env[name] }, Process: cli.Process{Clock: w.now}}
	exit := cmd.Run(context.Background(), e, append([]string{"admin"}, args...))
	_, _ = w.printed.Write(stdout.Bytes())
	if args[1] != "list" {
		w.note("operator", "ativa admin %s ends with %d", strings.Join(args, " "), exit)
	}
	switch exit {
	case cli.ExitOK:
	case cli.ExitRefused:
		w.refused[args[2]] = true
	default:
		w.broken(allEnds, "ativa admin %s ended with %d: %s", strings.Join(args, " "), exit, stderr.String())
	}
	return stdout.Bytes()
}

// command runs a command of a provider in this process. After a kill its home is as it was at that instant.
func (p *provider) command(args ...string) outcome {
	for _, d := range args {
		p.typed[d+" "+args[1]]++
	}
	name := fmt.Sprint("command of ", p.name)
	p.w.note(name, "begins: ativa %s", strings.ReplaceAll(strings.Join(args, " "), p.home+"/", ""))
	env := map[string]string{"HOME": p.home, "XDG_CONFIG_HOME": p.home, "XDG_CACHE_HOME": p.home, "XDG_STATE_HOME": p.home,
		"ATIVA_SERVER": publicURL, "ATIVA_ACCESS_TOKEN": p.token, "LANG": "en"}
	var stdout, stderr bytes.Buffer
	e := &cli.Env{In: strings.NewReader(""), Out: p.w.faults.out(&stdout), Err: &stderr, Getenv: func(name string) string { return env[name] }, Process: cli.Process{Clock: p.w.now,
		Transport: p.w.network.transport(name), Random: func() float64 { return p.w.chance.float("retry " + p.name) }}}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var killed bool
	var left map[string][]byte // the home, as the kill leaves it
	var died time.Time
	p.w.mu.Lock()
	p.dead = func() {
		if !killed {
			killed, died = true, time.Now()
			left = p.files()
			p.w.network.kill(name)
			cancel()
		}
	}
	p.w.mu.Unlock()
	if p.w.network.faulty && p.w.chance.happens("kill "+p.name, 0.25) {
		time.AfterFunc(p.w.chance.between("when "+p.name, time.Millisecond, time.Second), p.kill)
	}
	ended := make(chan int, 1)
	go func() { ended <- cmd.Run(ctx, e, args) }()
	var exit int
	select {
	case exit = <-ended:
	case <-time.After(commandLimit):
		p.w.broken(allEnds, "ativa %s runs for %s", strings.Join(args, " "), commandLimit)
		cancel()
		exit = <-ended
	}
	p.w.mu.Lock()
	p.dead = func() {}
	p.w.mu.Unlock()
	_, _ = p.w.printed.Write(stdout.Bytes())
	_, _ = p.w.printed.Write(stderr.Bytes())
	if killed {
		<-time.After(time.Second - time.Since(died)%time.Second) // however long its last goroutines took
		p.restore(left)
		p.w.note(name, "was killed")
		return outcome{killed: true, exit: exit}
	}
	if exit != cli.ExitOK && bytes.Contains(stdout.Bytes(), []byte(`"response":"success"`)) {
		p.w.broken(reportedTrue, "ativa %s ended with %d and reported success", strings.Join(args, " "), exit)
	}
	p.w.note(name, "ends with %d: %s", exit, strings.ReplaceAll(lastLine(stderr.String()), p.home+"/", ""))
	return outcome{exit: exit, stdout: stdout.String()}
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}

// kill ends the command under way as SIGKILL does.
func (p *provider) kill() {
	p.w.mu.Lock()
	dead := p.dead
	p.w.mu.Unlock()
	dead()
}

// files returns the files of the home by path.
func (p *provider) files() map[string][]byte {
	all := map[string][]byte{}
	p.w.must(filepath.WalkDir(p.home, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		all[path], err = os.ReadFile(path)
		return err
	}))
	return all
}

// restore makes the home consist of the files.
func (p *provider) restore(files map[string][]byte) {
	p.w.must(os.RemoveAll(p.home))
	for path, text := range files {
		p.w.must(os.MkdirAll(filepath.Dir(path), 0o700))
		p.w.must(os.WriteFile(path, text, 0o600))
	}
}

// retry runs a command until no retry is needed, an import sometimes by the command that resumes it.
func (p *provider) retry(args ...string) outcome {
	for n := range 40 {
		typed := args
		if n > 0 && args[1] == "import" {
			p.w.faults.repeatImport(p, args[2])
		}
		if n > 0 && args[1] == "import" && p.w.chance.happens("resumes "+p.name, 0.5) {
			typed = p.resumption(args)
		}
		if o := p.command(typed...); !o.killed && o.exit != cli.ExitUnavailable && o.exit != cli.ExitInterrupted && o.exit != cli.ExitError {
			return o
		}
		<-time.After(p.w.chance.between("patience "+p.name, 5*time.Second, 2*time.Minute))
	}
	p.w.broken(allEnds, "ativa %s does not succeed in 40 runs", strings.Join(args, " "))
	return outcome{exit: -1}
}

// resumption returns the command that resumes an interrupted import, or else the import.
func (p *provider) resumption(args []string) []string {
	var list struct{ Imports []struct{ ID, State string } }
	o := p.command("imports", "list", "-o", "json")
	if json.Unmarshal([]byte(o.stdout), &list) == nil && len(list.Imports) > 0 && list.Imports[0].State == "interrupted" {
		return []string{"imports", "resume", list.Imports[0].ID, "-o", "json"}
	}
	return args
}

// work runs a provider's daily commands.
func (p *provider) work(n int) {
	<-time.After(p.w.chance.between("morning "+p.name, time.Second, time.Minute))
	if n%3 == 0 {
		p.importFile(n)
	}
	for range 1 + p.w.chance.below("orders "+p.name, 3) {
		<-time.After(p.w.chance.between("pause "+p.name, 10*time.Second, 3*time.Minute))
		p.otherCommand()
	}
}

// importFile imports a spreadsheet of new and some old subscribers.
func (p *provider) importFile(n int) {
	c := p.w.chance
	var b strings.Builder
	b.WriteString("document;name;email;phone;products_ids\n")
	count := 10 + c.below("rows "+p.name, 30)
	for i := range count {
		d := string(cpf.WithCheckDigits(fmt.Sprintf("%09d", 100000000+1000*n+i)))
		products := [][]int{{1}, {2}, {3}, {1, 3}, {4}, {}}[c.below("products "+p.name, 6)]
		fmt.Fprintf(&b, "%s;Pessoa %s %d;p%d@%s.example.com;+55119%08d;%s\n", d, p.name, i, i, p.name, i, strings.Trim(strings.ReplaceAll(fmt.Sprint(products), " ", ","), "[]"))
		p.rows[d] = products
		p.order = append(p.order, d)
	}
	file := filepath.Join(p.home, fmt.Sprintf("people%d.csv", n))
	p.w.must(os.WriteFile(file, []byte(b.String()), 0o600))
	args := []string{"subscribers", "import", file, "--batch-size", fmt.Sprint(2 + c.below("batch "+p.name, 10)), "--concurrency", fmt.Sprint(1 + c.below("concurrency "+p.name, 4)), "-o", "json"}
	o := p.retry(args...)
	var summary struct {
		Import struct{ Rows, Created, Existing, Failed, Unknown int }
	}
	err := json.Unmarshal([]byte(o.stdout), &summary)
	if s := summary.Import; err != nil || o.exit != cli.ExitOK || s.Created != count || s.Failed+s.Unknown+s.Existing != 0 {
		p.w.broken(reportedTrue, "the import of %d new rows ended with %d: %s", count, o.exit, o.stdout)
	}
}

// otherCommand runs one of a provider's other commands.
func (p *provider) otherCommand() {
	c := p.w.chance
	var some []string
	for range 1 + c.below("how many "+p.name, 4) {
		if d := p.order[c.below("whom "+p.name, len(p.order))]; !p.deleted[d] && !slices.Contains(some, d) {
			some = append(some, d)
			p.touched[d] = true
		}
	}
	if len(some) == 0 {
		return
	}
	product := fmt.Sprint(1 + c.below("product "+p.name, 4))
	switch what := []string{"suspend", "activate", "overdue", "settle", "deactivate", "resend", "change", "delete", "list", "update", "forward", "upgrade"}[c.below("order "+p.name, 12)]; what {
	case "upgrade": // where the subscriber has the product 1, this is a change
		p.retry("provision", "activate", "--product", "2", "--yes", some[0])
	case "resend":
		p.retry("subscribers", "resend", some[0])
	case "change":
		p.retry("provision", "change", some[0], "--from", "1", "--to", "2")
	case "delete":
		if o := p.retry("subscribers", "delete", some[0], "--yes"); o.exit == cli.ExitOK || o.exit == cli.ExitNotFound {
			p.deleted[some[0]] = true
		}
	case "update":
		p.retry("subscribers", "update", some[0], "--name", fmt.Sprint("Pessoa ", p.name, " ", c.below("name "+p.name, 1000)))
	case "forward":
		p.forwarded = nil
		if o := p.retry("events", "--forward-to", "http://localhost:9000/"+p.name); o.exit == cli.ExitOK {
			p.forwards = append(p.forwards, p.forwarded)
		}
	case "list":
		o := p.retry("subscribers", "list", "-o", "json")
		p.w.checkApart("the list of "+p.name, []byte(o.stdout), p)
	default:
		p.provision(what, product, some)
	}
	if c.happens("schedules "+p.name, 0.4) {
		later := []string{"suspend", "activate", "overdue", "settle", "deactivate"}[c.below("scheduled "+p.name, 5)]
		at := []string{"10m", "3h", "36h", "5d"}[c.below("when "+p.name, 4)]
		p.retry(append([]string{"provision", later, "--product", product, "--yes", "--at", at, "-o", "json"}, some...)...)
	}
}

// provision runs an operation and records the statuses that it prints, to be checked at the end.
func (p *provider) provision(operation, product string, documents []string) {
	args := append([]string{"provision", operation, "--product", product, "--yes", "-o", "json"}, documents...)
	wait := p.w.chance.happens("waits "+p.name, 0.8)
	if wait {
		args = append(args, "--wait", "--timeout", "5m")
	}
	began, begins := p.w.lastEvent(p.id)
	o := p.retry(args...)
	ended, ends := p.w.lastEvent(p.id)
	if wait && o.exit == cli.ExitOK && begins && ends {
		p.reports = append(p.reports, report{began: began, ended: ended, stdout: o.stdout})
	}
}

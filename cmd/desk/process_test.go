package desk

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/quotedprintable"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
	"ativa/internal/cpf"
	"ativa/internal/processtest"
	"ativa/internal/support"
)

// process is a server process with a database, a simulated partner and subscribers, and
// the desk's calls of it. Their requests are sent outside the synctest bubble of a model, whose
// time stops meanwhile.
type process struct {
	t *testing.T
	*service
	network http.RoundTripper
	writes  atomic.Int64 // requests of the desk that change something
	mail    string       // directory of activation e-mails

	mutex sync.Mutex // held during a request
	work  chan func()
	done  chan struct{}
}

// newProcess builds and starts the program with the set-up of `serve --dev`.
func newProcess(t *testing.T) *process {
	t.Helper()
	program, err := processtest.Build("ativa", "../..")
	must(t, err)
	dir := t.TempDir()
	command := func(args ...string) *exec.Cmd {
		c := exec.Command(program, args...)
		c.Dir, c.Env = dir, []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
		return c
	}
	p := &process{t: t, mail: filepath.Join(dir, "mail"), work: make(chan func()), done: make(chan struct{})}
	serve := command("serve", "--dev", "--listen", "127.0.0.1:0", "--mail-dir", p.mail)
	out, err := serve.StdoutPipe()
	if err == nil {
		err = serve.Start()
	}
	must(t, err)
	t.Cleanup(func() { _ = serve.Process.Kill(); _ = serve.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	url := strings.TrimSpace(strings.TrimPrefix(line, "ativa serves "))
	bearer, err := command("auth", "token", "--context", "dev").Output()
	must(t, err)
	c := apitest.Client(t, client.Options{Server: url, Tokens: apitest.Token(strings.TrimSpace(string(bearer))), Transport: func(network *http.Transport) http.RoundTripper {
		p.network = network
		return p
	}})
	now := time.Now() // in the bubble it is another
	p.service = &service{client: c, clock: func() time.Time { return now }}
	go func() {
		for call := range p.work {
			call()
			p.done <- struct{}{}
		}
	}()
	t.Cleanup(func() { close(p.work) })
	return p
}

// RoundTrip sends a request outside of the bubble and counts it. The feed waits in the bubble.
func (p *process) RoundTrip(r *http.Request) (answer *http.Response, err error) {
	if strings.HasSuffix(r.URL.Path, api.PathEvents) {
		select {
		case <-time.After(pollInterval):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	if r.Method != http.MethodGet && !strings.HasSuffix(r.URL.Path, "/validate") {
		p.writes.Add(1)
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.work <- func() {
		if answer, err = p.network.RoundTrip(r.WithContext(context.Background())); err != nil {
			return
		}
		defer answer.Body.Close()
		var body []byte
		body, err = io.ReadAll(answer.Body)
		answer.Body = io.NopCloser(bytes.NewReader(body))
	}
	<-p.done
	return answer, err
}

// subscriber registers the subscriber of a sequence, with two active services, and returns the name.
func (p *process) subscriber(seed int) (name string) {
	p.t.Helper()
	name = fmt.Sprintf("Ana Souza%05d", seed)
	document := string(cpf.WithCheckDigits(strconv.Itoa(529982247 + seed)))
	_, err := p.client.CreateSubscriber(p.t.Context(), api.SubscriberCreate{Name: name, Document: document,
		Email: "ana@example.com", Phone: "+5511987654321"}, client.NewIdempotencyKey())
	must(p.t, err)
	for _, product := range []api.Int{1, 3} {
		_, err := support.Perform(p.t.Context(), p.client, support.Step{Operation: api.Activate, Document: document, Product: api.Product{ID: product}})
		must(p.t, err)
	}
	p.followLinks()
	return name
}

// followLinks follows the links of the received e-mails.
func (p *process) followLinks() {
	p.t.Helper()
	emails, err := filepath.Glob(filepath.Join(p.mail, "*.eml"))
	must(p.t, err)
	for _, path := range slices.Compact(emails) { // a file that is renamed meanwhile may be listed twice
		email, err := os.ReadFile(path)
		must(p.t, err)
		text, _ := io.ReadAll(quotedprintable.NewReader(bytes.NewReader(email))) // also passes the header
		link := regexp.MustCompile(`https?://\S+/activate/\S+`).Find(text)
		answer, err := http.Post(string(link), "application/x-www-form-urlencoded", nil)
		must(p.t, err)
		_ = answer.Body.Close()
		_ = os.Remove(path)
	}
}

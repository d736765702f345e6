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
// the desk's calls of it. They run outside the synctest bubble of a model, whose time
// stops meanwhile.
type process struct {
	t       *testing.T
	service *service
	writes  *atomic.Int64 // requests of the desk that change something
	mail    string        // directory of activation e-mails

	mutex sync.Mutex // held during a call
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
	p := &process{t: t, writes: new(atomic.Int64), mail: filepath.Join(dir, "mail"), work: make(chan func()), done: make(chan struct{})}
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
		return countedWrites{network, p.writes}
	}})
	p.service = &service{client: c, clock: time.Now}
	go func() {
		for call := range p.work {
			call()
			p.done <- struct{}{}
		}
	}()
	t.Cleanup(func() { close(p.work) })
	return p
}

// countedWrites counts the requests that change something.
type countedWrites struct {
	http.RoundTripper
	writes *atomic.Int64
}

func (c countedWrites) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet && !strings.HasSuffix(r.URL.Path, "/validate") {
		c.writes.Add(1)
	}
	return c.RoundTripper.RoundTrip(r)
}

// subscriber registers the subscriber of a sequence, with two active services, and returns the name.
func (p *process) subscriber(seed int) (name string) {
	p.t.Helper()
	name = fmt.Sprintf("Ana Souza%05d", seed)
	document := string(cpf.WithCheckDigits(strconv.Itoa(529982247 + seed)))
	_, err := p.service.client.CreateSubscriber(p.t.Context(), api.SubscriberCreate{Name: name, Document: document,
		Email: "ana@example.com", Phone: "+5511987654321"}, client.NewIdempotencyKey())
	must(p.t, err)
	for _, product := range []api.Int{1, 3} {
		_, err := support.Perform(p.t.Context(), p.service.client, support.Step{Operation: api.Activate, Document: document, Product: api.Product{ID: product}})
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

// call runs f outside of the bubble.
func call[T any](p *process, f func() (T, error)) (value T, err error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.work <- func() { value, err = f() }
	<-p.done
	return value, err
}

// callError is call for a function without a value.
func callError(p *process, f func() error) error {
	_, err := call(p, func() (struct{}, error) { return struct{}{}, f() })
	return err
}

func (p *process) Find(_ context.Context, term string) ([]api.Subscriber, error) {
	return call(p, func() ([]api.Subscriber, error) { return p.service.Find(context.Background(), term) })
}

func (p *process) Read(_ context.Context, document string) (*record, error) {
	return call(p, func() (*record, error) { return p.service.Read(context.Background(), document) })
}

func (p *process) Perform(_ context.Context, s support.Step) (support.Outcome, error) {
	return call(p, func() (support.Outcome, error) { return p.service.Perform(context.Background(), s) })
}

func (p *process) Update(_ context.Context, document string, u api.SubscriberUpdate) error {
	return callError(p, func() error { return p.service.Update(context.Background(), document, u) })
}

func (p *process) Register(_ context.Context, s api.SubscriberCreate) error {
	return callError(p, func() error { return p.service.Register(context.Background(), s) })
}

func (p *process) Catalog(context.Context) (*support.Catalog, error) {
	return call(p, func() (*support.Catalog, error) { return p.service.Catalog(context.Background()) })
}

// Changes waits in the bubble.
func (p *process) Changes(ctx context.Context, cursor string) (changes, error) {
	select {
	case <-time.After(pollInterval):
	case <-ctx.Done():
		return changes{}, ctx.Err()
	}
	return call(p, func() (changes, error) { return p.service.Changes(context.Background(), cursor) })
}

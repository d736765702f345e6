package cmd

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ativa/internal/cli"
	"ativa/internal/processtest"
)

// reorder forwards to a server and holds the batch with the document back until
// the other batch of the run has brought a service to its final status.
type reorder struct {
	*httputil.ReverseProxy
	w     *processFixture
	held  string
	other string // a document of the other batch
}

func (p *reorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/provision/deactivate") {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte(p.held)) {
			p.await()
		}
	}
	p.ReverseProxy.ServeHTTP(w, r)
}

func (p *reorder) await() {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		out, _ := p.w.Command("subscribers", "get", p.other, "-o", "json").Output()
		var got struct {
			Subscriber struct{ Services []struct{ Status string } }
		}
		if json.Unmarshal(out, &got) == nil && len(got.Subscriber.Services) > 0 && got.Subscriber.Services[0].Status == "canceled" {
			return
		}
	}
}

// newReorder is a server whose partner confirms at once, behind a proxy that
// nothing is held back by yet, and a file of ten documents with a service.
func newReorder(t *testing.T) (p *reorder, file string) {
	t.Helper()
	w := newProcessFixture(t)
	w.Must("admin", "partners", "create", "rapido", "--driver", "simulator", "--delay", "1ms")
	w.Must("admin", "products", "update", "1", "--partner", "rapido")
	w.Start()
	w.Must("subscribers", "import", w.WriteRows(10))
	var documents strings.Builder
	for i := range 10 {
		documents.WriteString(processtest.Document(i) + "\n")
	}
	file = filepath.Join(w.Dir, "documents.txt")
	if err := os.WriteFile(file, []byte(documents.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	behind, err := url.Parse("http://127.0.0.1:" + w.Port)
	if err != nil {
		t.Fatal(err)
	}
	return &reorder{ReverseProxy: httputil.NewSingleHostReverseProxy(behind), w: w, held: "nobody"}, file
}

// cancel is the command that cancels the services of the file and waits.
func (p *reorder) cancel(file string, proxy *httptest.Server, more ...string) *exec.Cmd {
	return p.w.Command(append([]string{"provision", "deactivate", "--product", "1", "--file", file, "--batch-size", "5", "--yes",
		"--wait", "--timeout", "30s", "-o", "json", "--server", proxy.URL}, more...)...)
}

// Batches are carried out in another order than they were sent, and what the
// second brings about is final before the first arrives: --wait knows it.
func TestWaitSeesWhatOvertookTheFirstBatch(t *testing.T) {
	t.Parallel()
	p, file := newReorder(t)
	p.held, p.other = processtest.Document(0), processtest.Document(7)
	proxy := httptest.NewServer(p)
	defer proxy.Close()
	c := p.cancel(file, proxy)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if n := strings.Count(string(out), `"status":"canceled"`); err != nil || n != 10 {
		t.Errorf("%v: %d of 10 are said to be cancelled:\n%s%s", err, n, out, stderr.String())
	}
}

// What became final before an interrupted run was gone on with is known, too.
func TestWaitOfAResumedRunSeesWhatIsFinalAlready(t *testing.T) {
	t.Parallel()
	p, file := newReorder(t)
	proxy := httptest.NewServer(refuseOnce(p, processtest.Document(9)))
	defer proxy.Close()
	first := p.cancel(file, proxy, "--concurrency", "1")
	if said, _ := first.CombinedOutput(); first.ProcessState.ExitCode() == cli.ExitOK {
		t.Fatalf("the first run is not interrupted:\n%s", said)
	}
	p.other = processtest.Document(2)
	p.await() // the services of the first batch are final now
	out, err := p.cancel(file, proxy).Output()
	if n := strings.Count(string(out), `"status":"canceled"`); err != nil || n != 10 {
		t.Errorf("%v: %d of 10 are said to be cancelled:\n%s", err, n, out)
	}
}

// refuseOnce breaks off the first command's request with the document for good.
func refuseOnce(next http.Handler, document string) http.Handler {
	refused := false
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte(document)) && !refused {
			refused = true
			w.WriteHeader(http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

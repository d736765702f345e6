package cmd

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"ativa/internal/processtest"
	"ativa/internal/service/store/pgtest"
)

// blocksOf are the blocks of docs/api-guide.md in a language.
func blocksOf(t *testing.T, language string) []string {
	t.Helper()
	page, err := os.ReadFile("../docs/api-guide.md")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```").FindAllSubmatch(page, -1) {
		all = append(all, string(m[1]))
	}
	if len(all) == 0 {
		t.Fatalf("no block of %s", language)
	}
	return all
}

func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not on this machine", p)
		}
	}
}

// The receivers of docs/api-guide.md take what the service pushes, and refuse
// what is signed otherwise, too old, or changed.
func TestTheReceiversOfTheAPIGuideVerify(t *testing.T) {
	t.Parallel()
	pgtest.Only(t, "sqlite", "the messages are the same")
	for _, c := range []struct{ language, program, file string }{{"go", "go", "main.go"}, {"python", "python3", "receiver.py"}} {
		t.Run(c.language, func(t *testing.T) {
			t.Parallel()
			needs(t, c.program)
			w := newProcessFixture(t)
			w.Start()
			address := "127.0.0.1:" + processtest.FreePort(t)
			var set struct{ Secret string }
			out := w.Must("admin", "callbacks", "set", "Azul", "http://"+address+"/events", "--feed", "--allow-private", "-o", "json")
			if err := json.Unmarshal(out, &set); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(w.Dir, c.file)
			if err := os.WriteFile(file, []byte(blocksOf(t, c.language)[0]), 0o600); err != nil {
				t.Fatal(err)
			}
			lines := startDocumentedReceiver(t, c.program, file, "WEBHOOK_SECRET="+set.Secret, "LISTEN="+address)
			waitForListener(t, address)
			w.Must("subscribers", "create", "--name", "Ana Souza", "--email", "ana@example.com", "--document", processtest.Document(1), "--phone", "11987654321")
			select {
			case line := <-lines:
				if !strings.HasPrefix(line, "verified feed_") || !strings.Contains(line, `"type":"subscriber.created"`) || !strings.Contains(line, processtest.Document(1)) {
					t.Errorf("got %q", line)
				}
			case <-time.After(testTimeout):
				t.Fatal("nothing was pushed")
			}
			const other = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"
			for name, m := range map[string]struct {
				secret string
				age    time.Duration
				body   string
				want   bool
			}{
				"as it should be": {set.Secret, 0, `{}`, true},
				"another secret":  {other, 0, `{}`, false},
				"too old":         {set.Secret, 6 * time.Minute, `{}`, false},
				"changed":         {set.Secret, 0, `{"changed":1}`, false},
			} {
				status := postSigned(t, "http://"+address+"/events", m.secret, time.Now().Add(-m.age), m.body)
				if good := status/100 == 2; good != m.want || !good && status != http.StatusUnauthorized {
					t.Errorf("%s: got %d", name, status)
				}
			}
		})
	}
}

// startDocumentedReceiver runs a program and returns the lines that it prints.
func startDocumentedReceiver(t *testing.T, program, file string, env ...string) <-chan string {
	t.Helper()
	args := []string{file}
	if program == "go" {
		binary := filepath.Join(filepath.Dir(file), "receiver")
		build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, file)
		build.Dir = filepath.Dir(file)
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		program, args = binary, nil
	}
	c := exec.CommandContext(context.Background(), program, args...)
	c.Env = append(os.Environ(), env...)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	lines := make(chan string, 100)
	go func() {
		for scan := bufio.NewScanner(out); scan.Scan(); {
			lines <- scan.Text()
		}
	}()
	return lines
}

func waitForListener(t *testing.T, address string) {
	t.Helper()
	for deadline := time.Now().Add(testTimeout); ; <-time.After(20 * time.Millisecond) {
		res, err := http.Get("http://" + address + "/")
		if err == nil {
			res.Body.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// postSigned posts the body under the signature of {} and returns the status.
func postSigned(t *testing.T, url, secret string, at time.Time, body string) int {
	t.Helper()
	signer, err := webhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := signer.Sign("feed_x", at, []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(webhooks.HeaderWebhookID, "feed_x")
	r.Header.Set(webhooks.HeaderWebhookTimestamp, fmt.Sprint(at.Unix()))
	r.Header.Set(webhooks.HeaderWebhookSignature, "v1,AAAA "+signature)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode
}

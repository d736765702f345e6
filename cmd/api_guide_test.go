package cmd

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"ativa/internal/processtest"
	"ativa/internal/service/store/pgtest"
)

// The receivers of docs/api-guide.md accept the service's signatures, and refuse wrong
// signatures, old messages and changed bodies.
func TestTheReceiversOfTheAPIGuideVerify(t *testing.T) {
	t.Parallel()
	pgtest.Only(t, "sqlite", "the messages are the same")
	for _, c := range []struct{ language, program, file string }{{"go", "go", "main.go"}, {"python", "python3", "receiver.py"}} {
		t.Run(c.language, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skipf("%s is not on this machine", c.program)
			}
			block := regexp.MustCompile("(?ms)^```" + c.language + "\n(.*?)^```").FindStringSubmatch(readPage(t, "../docs/api-guide.md"))
			if block == nil {
				t.Fatalf("no block of %s", c.language)
			}
			file := writeFile(t, c.file, block[1])
			address := "127.0.0.1:" + processtest.FreePort(t)
			startDocumentedReceiver(t, c.program, file, "WEBHOOK_SECRET="+testSecret, "LISTEN="+address)
			post := func(secret string, age time.Duration, body string) int {
				return postSigned(t, "http://"+address+"/events", secret, time.Now().Add(-age), body)
			}
			eventually(t, "a receiver that accepts a message", func() bool { return post(testSecret, 0, signedBody)/100 == 2 })
			for name, status := range map[string]int{
				"another secret": post("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3", 0, signedBody),
				"too old":        post(testSecret, 6*time.Minute, signedBody),
				"changed":        post(testSecret, 0, `{"changed":1}`),
			} {
				if status != http.StatusUnauthorized {
					t.Errorf("%s: got %d, want it refused", name, status)
				}
			}
		})
	}
}

func startDocumentedReceiver(t *testing.T, program, file string, env ...string) {
	t.Helper()
	c := exec.CommandContext(context.Background(), program, file)
	if program == "go" {
		c = exec.CommandContext(context.Background(), built(t, "receiver", file))
	}
	c.Env = append(os.Environ(), env...)
	must(t, c.Start())
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
}

const signedBody = `{"type":"events","data":{"events":[],"next_cursor":"ev_1"}}`

// postSigned posts the body with the signature of [signedBody] and returns the status, 0 for no answer.
func postSigned(t *testing.T, url, secret string, at time.Time, body string) int {
	t.Helper()
	signer, err := webhooks.NewWebhook(secret)
	must(t, err)
	signature, err := signer.Sign("feed_x", at, []byte(signedBody))
	must(t, err)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	must(t, err)
	r.Header.Set(webhooks.HeaderWebhookID, "feed_x")
	r.Header.Set(webhooks.HeaderWebhookTimestamp, fmt.Sprint(at.Unix()))
	r.Header.Set(webhooks.HeaderWebhookSignature, "v1,AAAA "+signature)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	res.Body.Close()
	return res.StatusCode
}

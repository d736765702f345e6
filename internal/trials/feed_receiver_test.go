package trials_test

import (
	"crypto/sha256"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"sync"
	"testing"
	"time"
)

// feedReceiver stores the events of messages that it has not seen, as docs/api-guide.md tells
// receivers to do.
type feedReceiver struct {
	t        *testing.T
	steady   bool // answers every message at once
	mu       sync.Mutex
	messages int
	bodies   map[string][sha256.Size]byte // of their bodies, by webhook-id
	events   []string
}

func (r *feedReceiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the server was killed while it sent
	}
	n := r.store(req.Header.Get("webhook-id"), string(body))
	if r.steady {
		return
	}
	time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond) // so that kills happen while an answer is awaited
	switch {
	case n == 12:
		w.WriteHeader(http.StatusInternalServerError) // although it has stored everything
	case n%5 == 4:
		w.Header().Set("Content-Length", "100")
		panic(http.ErrAbortHandler) // 2xx, and closes before the end
	}
}

// documents matches the documents in a message. A repeated message lacks them if the subscriber was
// deleted meanwhile.
var documents = regexp.MustCompile(`"document":("[0-9]*"|null)`)

// store keeps a message and returns the number of earlier ones.
func (r *feedReceiver) store(id, body string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.messages
	r.messages++
	sum := sha256.Sum256([]byte(documents.ReplaceAllString(body, "null")))
	if before, again := r.bodies[id]; again {
		if before != sum {
			r.t.Errorf("%s came again with another body", id)
		}
		return n
	}
	var m struct {
		Data struct{ Events []struct{ ID string } }
	}
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		r.t.Errorf("%v: %.200s", err, body)
	}
	for _, e := range m.Data.Events {
		r.events = append(r.events, e.ID)
	}
	r.bodies[id] = sum
	return n
}

// got returns the ids of the received events.
func (r *feedReceiver) got() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events[:len(r.events):len(r.events)]
}

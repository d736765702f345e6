package trials_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// peers are the external systems of a service: a mail server, a partner that confirms requests, and
// the receivers of a provider's two callbacks. They record deliveries in the ledger.
type peers struct {
	ledger            *ledger
	mail              string // address of the mail server
	partner, callback *httptest.Server
	feed              *feedReceiver
	feedServer        *httptest.Server
	secret            string // of the partner
	server            string // URL of the service
}

func newPeers(t *testing.T, l *ledger) *peers {
	t.Helper()
	o := &peers{ledger: l, feed: &feedReceiver{t: t, bodies: map[string][sha256.Size]byte{}}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &mailSession{o}, nil }))
	server.ErrorLog = log.New(io.Discard, "", 0)
	go func() { _ = server.Serve(listener) }()
	o.mail = listener.Addr().String()
	o.partner = httptest.NewServer(http.HandlerFunc(o.takeRequest))
	o.callback = httptest.NewServer(http.HandlerFunc(o.takeCallback))
	o.feedServer = httptest.NewServer(o.feed)
	t.Cleanup(func() {
		_ = server.Close()
		o.partner.Close()
		o.callback.Close()
		o.feedServer.Close()
	})
	return o
}

// attach makes a fixture's servers deliver to these systems.
func (o *peers) attach(w *fixture) {
	o.secret, o.server = w.PartnerSecret, "http://127.0.0.1:"+w.Port
	w.Deliver = []string{"--smtp", "smtp://" + o.mail, "--mail-from", "ativacao@example.com"}
	w.Must("admin", "callbacks", "set", "Azul", o.callback.URL, "--allow-private", "--quiet")
	w.Must("admin", "callbacks", "set", "Azul", o.feedServer.URL, "--feed", "--allow-private", "--quiet")
}

// mailSession is one connection to the mail server.
type mailSession struct{ o *peers }

func (s *mailSession) Reset()                               {}
func (s *mailSession) Logout() error                        { return nil }
func (s *mailSession) Mail(string, *smtp.MailOptions) error { return nil }
func (s *mailSession) Rcpt(string, *smtp.RcptOptions) error { return nil }

// links matches the activation links in an e-mail's quoted-printable text.
var links = regexp.MustCompile(`/activate/[A-Za-z0-9_-]{43,}`)

func (s *mailSession) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err // the server was killed while it sent
	}
	m, err := mail.ReadMessage(bytes.NewReader(text))
	if err != nil {
		return err
	}
	to, err := mail.ParseAddress(m.Header.Get("To"))
	if err != nil {
		return err
	}
	link := links.FindString(strings.ReplaceAll(string(text), "=\r\n", ""))
	s.o.ledger.took(to.Address, m.Header.Get("Message-Id"), func(s *subscriber) map[string]int { s.link = link; return s.emails })
	return nil
}

// takeRequest serves the partner: it accepts a request and confirms it at once.
func (o *peers) takeRequest(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Operation string `json:"operation_id"`
		Type      string
		Data      struct{ Subscriber struct{ Email string } }
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		return // the server was killed while it sent
	}
	w.WriteHeader(http.StatusAccepted)
	o.ledger.took(request.Data.Subscriber.Email, request.Operation, func(s *subscriber) map[string]int { return s.requests })
	if strings.HasPrefix(request.Type, "service.activation.") {
		return // the subscriber completes it
	}
	go o.confirm(strings.Replace(request.Type, ".requested", ".confirmed", 1), request.Operation)
}

// confirm reports an operation as done until the service acknowledges it.
func (o *peers) confirm(kind, operation string) {
	body, _ := json.Marshal(map[string]string{"type": kind, "operation_id": operation})
	hook, err := webhooks.NewWebhook(o.secret)
	if err != nil {
		o.ledger.t.Error(err)
		return
	}
	id := "done_" + operation
	status, text := o.ledger.untilAnswered(func() (*http.Request, error) {
		now := time.Now()
		signature, err := hook.Sign(id, now, body)
		if err != nil {
			return nil, err
		}
		req, err := http.NewRequestWithContext(o.ledger.t.Context(), http.MethodPost, o.server+"/partner/events", bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		req.Header = http.Header{"Content-Type": {"application/json"}, webhooks.HeaderWebhookID: {id},
			webhooks.HeaderWebhookTimestamp: {strconv.FormatInt(now.Unix(), 10)}, webhooks.HeaderWebhookSignature: {signature}}
		return req, nil
	})
	switch {
	case o.ledger.t.Context().Err() != nil:
		return // the test is over, and this was a repetition
	case status != http.StatusAccepted:
		o.ledger.t.Errorf("the confirmation of %s was answered with %d: %s", operation, status, text)
		return
	}
	o.ledger.confirmed.Add(1)
}

// takeCallback serves the provider's callback for resent activations.
func (o *peers) takeCallback(_ http.ResponseWriter, r *http.Request) {
	var body struct {
		Data struct{ Subscriber struct{ Email string } }
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return // the server was killed while it sent
	}
	o.ledger.took(body.Data.Subscriber.Email, r.Header.Get(webhooks.HeaderWebhookID), func(s *subscriber) map[string]int { return s.callbacks })
}

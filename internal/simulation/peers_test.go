package simulation_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-smtp"
	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"ativa/cmd/operator"
	"ativa/internal/service/domain"
)

// peers are the external systems: partner, mail server, subscribers and receivers. Each is
// unavailable now and then, answers late, twice or never, and forgets nothing.
type peers struct {
	w      *week
	secret []byte // of the partner

	mu       sync.Mutex
	away     map[string]time.Time // until when, by name
	settled  bool                 // from now on all answer at once
	emails   map[string]int       // times an e-mail was taken, by Message-ID
	requests map[string]int       // likewise partner requests, by operation
	notices  map[string]int       // likewise callbacks, by webhook-id
}

func newPeers(w *week) *peers {
	return &peers{w: w, away: map[string]time.Time{}, emails: map[string]int{}, requests: map[string]int{}, notices: map[string]int{}}
}

// leave makes a system unavailable for a while.
func (o *peers) leave(who string, d time.Duration) {
	o.w.note(who, "is away for %s", d.Round(time.Second))
	o.mu.Lock()
	defer o.mu.Unlock()
	o.away[who] = time.Now().Add(d)
}

func (o *peers) isAway(who string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.settled && time.Now().Before(o.away[who])
}

func (o *peers) settle() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.settled = true
}

// fails reports whether a system misbehaves, as it does with some probability until it is settled.
func (o *peers) fails(purpose string, probability float64) bool {
	o.mu.Lock()
	settled := o.settled
	o.mu.Unlock()
	return !settled && o.w.chance.happens(purpose, probability)
}

func (o *peers) serve(address string, h http.HandlerFunc) (stop func()) {
	s := &http.Server{Handler: h}
	s.SetKeepAlivesEnabled(address != "localhost:9000") // a command does not close idle connections
	l := o.w.network.listen(address, address)
	go func() { _ = s.Serve(l) }()
	return func() { _ = s.Close() }
}

// open starts all systems and returns how to stop them.
func (o *peers) open() (stop func()) {
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &mailSession{o: o}, nil }))
	server.ErrorLog = log.New(io.Discard, "", 0)
	l := o.w.network.listen("mail", mailAddress)
	go func() { _ = server.Serve(l) }()
	stops := []func(){func() { _ = server.Close() }, o.serve("partner.example:80", o.partner), o.serve("localhost:9000", o.forwarded)}
	for _, p := range o.w.providers {
		stops = append(stops, o.serve(p.name+".example:80", p.receive))
	}
	return func() {
		for _, end := range stops {
			end()
		}
	}
}

// partner accepts a request and reports on it later.
func (o *peers) partner(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	o.w.verify("partner", o.secret, body, r.Header)
	id := r.Header.Get(webhooks.HeaderWebhookID)
	var request struct {
		Type      string
		Operation string `json:"operation_id"`
	}
	if err := json.Unmarshal(body, &request); err != nil || request.Operation != id {
		o.w.broken(deliveriesMade, "the partner got %s under the id %s", body, id)
		return
	}
	c := o.w.chance
	if o.isAway("partner") || o.fails("partner refuses "+id, 0.1) {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	o.mu.Lock()
	o.requests[id]++
	o.mu.Unlock()
	kind := strings.Split(request.Type, ".")[1]
	o.w.note("partner", "takes the %s %s", kind, id)
	w.WriteHeader(http.StatusAccepted)
	if o.fails("partner forgets "+id, 0.1) {
		o.w.note("partner", "forgets %s", id)
		return
	}
	outcome := "confirmed"
	if o.fails("partner fails "+id, 0.1) {
		outcome = "failed"
	}
	wait := c.between("partner's time "+id, time.Second, 3*time.Minute)
	o.w.running.Go(func() {
		<-time.After(wait)
		o.report(kind, id, outcome)
		if c.happens("partner repeats "+id, 0.2) {
			o.report(kind, id, outcome)
		}
		if c.happens("partner changes its mind "+id, 0.05) { // a late report is stale
			o.report(kind, id, "failed")
		}
	})
}

// report reports the outcome of an operation until the service accepts it.
func (o *peers) report(kind, operation, outcome string) {
	body, _ := json.Marshal(map[string]string{"type": "service." + kind + "." + outcome, "operation_id": operation})
	id := "report_" + operation + "_" + outcome
	hook, err := webhooks.NewWebhookRaw(o.secret)
	o.w.must(err)
	o.w.repeat(60, time.Minute, func() bool {
		now := o.w.now()
		signature, err := hook.Sign(id, now, body)
		o.w.must(err)
		status := o.w.send("partner", http.MethodPost, publicURL+"/partner/events", body, http.Header{
			"Content-Type": {"application/json"}, webhooks.HeaderWebhookID: {id},
			webhooks.HeaderWebhookTimestamp: {strconv.FormatInt(now.Unix(), 10)}, webhooks.HeaderWebhookSignature: {signature},
		})
		if status == http.StatusAccepted {
			o.w.note("partner", "reports %s %s", operation, outcome)
		}
		return status == http.StatusAccepted
	})
}

// mailSession is one connection to the mail server.
type mailSession struct{ o *peers }

func (s *mailSession) Reset()        {}
func (s *mailSession) Logout() error { return nil }
func (s *mailSession) Mail(string, *smtp.MailOptions) error {
	if s.o.isAway("mail") {
		return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 0, 0}, Message: "not now"}
	}
	return nil
}
func (s *mailSession) Rcpt(string, *smtp.RcptOptions) error { return nil }

func (s *mailSession) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	m, err := mail.ReadMessage(bytes.NewReader(text))
	if err != nil {
		return err
	}
	o, c := s.o, s.o.w.chance
	id := m.Header.Get("Message-Id")
	o.mu.Lock()
	o.emails[id]++
	o.mu.Unlock()
	link, err := operator.LinkInMessage(m)
	o.w.must(err)
	o.w.keepSecret(link[strings.LastIndex(link, "/")+1:], "an activation link")
	to := m.Header.Get("To")
	o.w.note("mail", "takes %s", id)
	o.w.checkApart("an e-mail to "+to, text, providerOfAddress(o.w, to))
	if c.happens("clicks "+id, 0.8) {
		wait := c.between("reading "+id, 5*time.Second, 5*time.Minute)
		again := c.happens("clicks twice "+id, 0.3)
		o.w.running.Go(func() {
			<-time.After(wait)
			o.follow("subscriber "+id, link)
			if again {
				o.follow("subscriber "+id, link)
			}
		})
	}
	return nil
}

func providerOfAddress(w *week, to string) *provider {
	for _, p := range w.providers {
		if strings.Contains(to, "@"+p.name) {
			return p
		}
	}
	return nil
}

// follow opens a link and presses the button until the page answers.
func (o *peers) follow(who, link string) {
	if !o.w.repeat(10, 20*time.Second, func() bool { return o.w.send(who, http.MethodGet, link, nil, nil) == http.StatusOK }) {
		return
	}
	o.w.repeat(10, 20*time.Second, func() bool {
		status := o.w.send(who, http.MethodPost, link, nil, http.Header{"Content-Type": {"application/x-www-form-urlencoded"}})
		return status != 0 && status != http.StatusServiceUnavailable && status != http.StatusInternalServerError
	})
}

// receive accepts the feed and the callbacks of a provider.
func (p *provider) receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	o := p.w.peers
	if o.isAway(p.name) || o.fails("receiver refuses "+p.name, 0.1) {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	id := r.Header.Get(webhooks.HeaderWebhookID)
	p.w.checkApart("a message to "+p.name, body, p)
	if r.URL.Path == "/callback" {
		p.w.verify(p.name, p.callback, body, r.Header)
		o.mu.Lock()
		o.notices[id]++
		o.mu.Unlock()
		p.w.note(p.name, "takes the callback %s", id)
		return
	}
	p.w.verify(p.name, p.feedSecret, body, r.Header)
	ids := p.w.eventIDs(body)
	p.take(id, ids)
	p.w.note(p.name, "takes %d events of the feed", len(ids))
}

// eventIDs returns the ids in a message of the feed.
func (w *week) eventIDs(body []byte) (ids []domain.EventID) {
	var message struct {
		Data struct{ Events []struct{ ID string } }
	}
	if err := json.Unmarshal(body, &message); err != nil {
		w.broken(feedInOrder, "a receiver got %v", err)
	}
	for _, e := range message.Data.Events {
		id, err := domain.ParseEventID(e.ID)
		w.must(err)
		ids = append(ids, id)
	}
	return ids
}

// forwarded accepts the posts of `ativa events --forward-to`. A repetition, after a lost answer or a
// kill, begins at the same event as before.
func (o *peers) forwarded(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	ids := o.w.eventIDs(body)
	for _, p := range o.w.providers {
		if r.URL.Path == "/"+p.name && len(ids) > 0 {
			o.w.checkApart("an event forwarded to "+p.name, body, p)
			o.w.mu.Lock()
			if again := slices.Index(p.forwarded, ids[0]); again >= 0 {
				p.forwarded = p.forwarded[:again]
			}
			p.forwarded = append(p.forwarded, ids...)
			o.w.mu.Unlock()
		}
	}
}

// take records a batch of the feed: a new one follows the last, a repeated one is the same as before.
func (p *provider) take(id string, events []domain.EventID) {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if size, again := p.batches[id]; again {
		if size != len(events) {
			p.w.brokenLocked(feedInOrder, "%s: the batch %s has %d events, and had %d", p.name, id, len(events), size)
		}
		return
	}
	p.batches[id] = len(events)
	p.fed = append(p.fed, events...)
}

// send returns the status of the answer; 0 if there is none.
func (w *week) send(from, method, url string, body []byte, h http.Header) int {
	req, err := http.NewRequestWithContext(context.Background(), method, url, bytes.NewReader(body))
	w.must(err)
	for name, values := range h {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	client := http.Client{Timeout: 30 * time.Second, Transport: w.network.transport(from)(&http.Transport{DisableKeepAlives: true}),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return 0
	}
	return res.StatusCode
}

package trials_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// load makes single calls of every kind: each caller takes one subscriber after the other from the
// registration to the cancellation, and deletes most. It repeats a call with its idempotency key
// until it is acknowledged, and never again.
type load struct {
	*ledger
	server, token string
	pause         time.Duration    // between two calls of a caller
	steady        bool             // delete every subscriber and remove its line, so that their number is constant
	imported      chan *subscriber // subscribers with product 1; nil: the callers register all
	next          atomic.Int64     // number of the next subscriber
	stop          context.CancelFunc
	callers       sync.WaitGroup // until their current subscribers are finished
}

// startLoad starts callers; the numbers of their subscribers are above those of files.
func startLoad(l *load, callers int) *load {
	ctx, stop := context.WithCancel(l.t.Context())
	l.stop = stop
	l.next.Store(100_000_000)
	for range callers {
		l.callers.Go(func() {
			for ctx.Err() == nil {
				s, ok := l.register()
				if !ok || !l.operate(s) || !l.cancel(s) {
					return
				}
			}
		})
	}
	return l
}

// register returns a subscriber whose service is inProgress: an imported one, or else a new one.
func (l *load) register() (s *subscriber, ok bool) {
	select {
	case s = <-l.imported:
		return s, l.settled(s)
	default:
		s = l.enter(int(l.next.Add(1) - 1))
	}
	body := fmt.Sprintf(`{"document":%q,"name":"Cliente %d","email":%q,"phone":"+55119%08d","products_ids":[1]}`, s.document, s.number, s.email, s.number%1e8)
	if s.number%2 == 0 {
		return s, l.call(s, "POST", "/subscribers/import", `{"subscribers":[`+body+`]}`, activationEffect, "created", "1 inProgress")
	}
	return s, l.call(s, "POST", "/subscribers", body, effect{}, "created") && l.provision(s, "activate", 1, activationEffect, "inProgress")
}

// operate activates the service and performs one kind of operation on it or its subscriber.
func (l *load) operate(s *subscriber) bool {
	if !l.activate(s) {
		return false
	}
	switch s.number % 5 {
	case 0:
		return l.provision(s, "suspend", 1, confirmedEffect, "waitingSuspension", "suspend") && l.provision(s, "activate", 1, confirmedEffect, "reactivated", "active")
	case 1:
		return l.provision(s, "overdue", 1, confirmedEffect, "waitingSuspensionDueToOverdue", "overdue") && l.provision(s, "settle", 1, confirmedEffect, "suspend", "reactivated", "active")
	case 2:
		return l.call(s, "POST", "/provision/change", fmt.Sprintf(`{"product_id":2,"previous_product_id":1,"document":%q}`, s.document), confirmedEffect, "2 changed", "2 active")
	case 3:
		return l.call(s, "POST", "/subscribers/resend_activation_email", fmt.Sprintf(`{"document":%q}`, s.document), effect{mails: 1, notices: 1}, "requested")
	default:
		return l.call(s, "PUT", "/subscribers/"+s.document, `{"customer_plan":"Fibra 500"}`, effect{}, "updated")
	}
}

// cancel cancels the service and deletes the subscriber; every fourth stays.
func (l *load) cancel(s *subscriber) bool {
	if s.number%4 == 0 && !l.steady {
		return true
	}
	product := 1
	if s.number%5 == 2 {
		product = 2
	}
	ok := l.provision(s, "deactivate", product, confirmedEffect, "waitingCancellation", "canceled") &&
		l.call(s, "DELETE", "/subscribers/"+s.document, "", effect{}, "deleted")
	if ok && l.steady {
		l.remove(s)
	}
	return ok
}

// effect is the number of messages that a call must cause.
type effect struct{ mails, notices, operations int }

// activationEffect is the effect of an activation: the partner is notified, too.
var activationEffect = effect{mails: 1, operations: 1}

// confirmedEffect is the effect of an operation that the partner confirms.
var confirmedEffect = effect{operations: 1}

// provision makes a call for a product, which then passes through the statuses.
func (l *load) provision(s *subscriber, operation string, product int, e effect, statuses ...string) bool {
	var events []string
	for _, status := range statuses {
		events = append(events, fmt.Sprint(product, " ", status))
	}
	return l.call(s, "POST", "/provision/"+operation, fmt.Sprintf(`{"contentSupplierProduct":%d,"documents":[%q]}`, product, s.document), e, events...)
}

// call sends a request until it is acknowledged, and waits for its effects.
func (l *load) call(s *subscriber, method, path, body string, e effect, events ...string) bool {
	time.Sleep(l.pause)
	key := fmt.Sprintf("%d-%d", s.number, len(s.events))
	status, text := l.untilAnswered(func() (*http.Request, error) {
		req, err := http.NewRequestWithContext(l.t.Context(), method, l.server+path, strings.NewReader(body))
		if err == nil {
			req.Header = http.Header{"Authorization": {"Bearer " + l.token}, "Content-Type": {"application/json"}, "Idempotency-Key": {key}}
		}
		return req, err
	})
	if status/100 != 2 {
		l.t.Errorf("%s %s of subscriber %d was answered with %d: %s", method, path, s.number, status, text)
		return false
	}
	return l.acknowledge(s, e, events...)
}

func (l *load) acknowledge(s *subscriber, e effect, events ...string) bool {
	l.calls.Add(1)
	l.operations.Add(int64(e.operations))
	l.mu.Lock()
	s.events = append(s.events, events...)
	s.mails, s.notices, s.operations = s.mails+e.mails, s.notices+e.notices, s.operations+e.operations
	l.mu.Unlock()
	return l.settled(s)
}

// activate presses the button of the e-mail's link. If the first answer was lost, the link is used.
func (l *load) activate(s *subscriber) bool {
	l.mu.Lock()
	link := s.link
	l.mu.Unlock()
	tries := 0
	status, text := l.untilAnswered(func() (*http.Request, error) {
		tries++
		return http.NewRequestWithContext(l.t.Context(), http.MethodPost, l.server+link, http.NoBody)
	})
	if status != http.StatusOK && (status != http.StatusGone || tries == 1) {
		l.t.Errorf("the link of subscriber %d was answered with %d: %s", s.number, status, text)
		return false
	}
	return l.acknowledge(s, effect{}, "1 active")
}

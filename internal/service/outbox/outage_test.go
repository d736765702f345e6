package outbox_test

import (
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"

	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
	"ativa/internal/service/store/pgtest"
)

// outage has a destination that is down, with waiting deliveries, and one that works.
type outage struct {
	*fixture
	kind        domain.JobKind
	waiting     int
	up          atomic.Bool
	takes       time.Duration // response time of a partner or receiver that is down
	attempts    atomic.Int64  // at the destination that is down
	other       *webhookReceiver
	addDelivery func() // makes one delivery to the other due
}

// newOutage returns an outage of a kind whose fixture is not started.
func newOutage(t *testing.T, dsn string, kind domain.JobKind, waiting int) *outage {
	t.Helper()
	o, net := &outage{kind: kind, waiting: waiting, other: &webhookReceiver{t: t}}, newNetwork()
	down := &webhookReceiver{t: t, respond: func(_ int, w http.ResponseWriter, _ *http.Request) {
		if o.attempts.Add(1); !o.up.Load() {
			<-time.After(o.takes)
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}}
	partner := manual
	if kind == domain.PartnerJob {
		partner = domain.Partner{Name: "parceiro", Driver: domain.DriverHTTP, URL: net.serve(t, "down.example", down)}
	}
	f := newFixtureOn(t, dsn, partner)
	o.fixture = f
	f.options.Transport = dialling(net.Dial)
	f.options.Mailer = nil // e-mails wait, uncounted
	if kind == domain.EmailJob {
		f.options.Mailer = &recordingMailer{fail: func(outbox.ActivationEmail) error {
			if o.attempts.Add(1); !o.up.Load() {
				return &outbox.TemporaryError{Err: errors.New("550 5.4.5"), DestinationDown: true}
			}
			return nil
		}}
	}
	f.createProducts(domain.Partner{Name: "outro", Driver: domain.DriverHTTP, URL: net.serve(t, "good.example", o.other)}, 11)
	o.addDelivery = func() { f.register(f.createProvider(fmt.Sprint("P", f.registered)), 1, 11) }
	var documents []string
	for left := waiting; left > 0; left -= 5000 {
		documents = append(documents, f.register(f.defaultProvider, min(left, 5000), 1)...)
	}
	if kind == domain.CallbackJob {
		f.setCallback(f.defaultProvider, net.serve(t, "down.example", down))
		for _, d := range documents {
			f.resend(f.defaultProvider, d)
		}
		o.addDelivery = func() {
			p := f.createProvider(fmt.Sprint("P", f.registered))
			f.setCallback(p, "http://good.example/hook")
			f.resend(p, f.register(p, 1, 1)[0])
		}
	}
	return o
}

// wantOther makes a delivery to the working destination due, and returns how long it took to arrive.
func (o *outage) wantOther() time.Duration {
	o.t.Helper()
	before, began := len(o.other.messages()), time.Now()
	o.addDelivery()
	for len(o.other.messages()) == before {
		if time.Since(began) > testTimeout {
			o.t.Fatal("a delivery to a destination that works does not arrive")
		}
		<-time.After(10 * time.Millisecond)
	}
	return time.Since(began)
}

// statements runs them on a connection of its own and returns the number of the last one. On SQLite
// the program must be closed.
func (f *fixture) statements(all ...string) (n int) {
	f.t.Helper()
	if strings.HasPrefix(f.path, "postgres") {
		conn, err := pgx.Connect(f.t.Context(), f.path)
		f.must(err)
		defer conn.Close(f.t.Context())
		for _, s := range all[:len(all)-1] {
			_, err := conn.Exec(f.t.Context(), s)
			f.must(err)
		}
		f.must(conn.QueryRow(f.t.Context(), all[len(all)-1]).Scan(&n))
		return n
	}
	db, err := sql.Open("sqlite", "file:"+strings.TrimPrefix(f.path, "sqlite:"))
	f.must(err)
	defer db.Close()
	for _, s := range all[:len(all)-1] {
		_, err := db.ExecContext(f.t.Context(), s)
		f.must(err)
	}
	f.must(db.QueryRowContext(f.t.Context(), all[len(all)-1]).Scan(&n))
	return n
}

// countRowWrites makes the database count writes to rows of deliveries.
func (f *fixture) countRowWrites() {
	f.t.Helper()
	f.must(f.store.Close())
	all := []string{`CREATE TABLE row_write (kind INTEGER NOT NULL)`}
	run := `BEGIN INSERT INTO row_write VALUES (1); END`
	if strings.HasPrefix(f.path, "postgres") {
		all = append(all, `CREATE FUNCTION count_row() RETURNS trigger AS 'BEGIN INSERT INTO row_write VALUES (1); RETURN NULL; END' LANGUAGE plpgsql`)
		run = `FOR EACH ROW EXECUTE FUNCTION count_row()`
	}
	for trigger, when := range map[string]string{"job_changed": "UPDATE ON job", "link_made": "INSERT ON activation_link", "callback_changed": "UPDATE ON callback"} {
		all = append(all, `CREATE TRIGGER `+trigger+` AFTER `+when+` `+run)
	}
	f.statements(append(all, `SELECT COUNT(*) FROM row_write`)...)
	f.open()
}

// rowWrites returns the number of row writes. The worker is stopped.
func (f *fixture) rowWrites() int {
	f.t.Helper()
	f.must(f.store.Close())
	defer f.open()
	return f.statements(`SELECT COUNT(*) FROM row_write`)
}

// wantWrites compares the row writes with the attempts. An attempt costs a claim, a link, its outcome
// and, for a callback, the number of failures; some claims are in vain.
func (o *outage) wantWrites(others int) {
	o.t.Helper()
	for began := time.Now(); o.attempts.Load() == 0 && time.Since(began) < testTimeout; {
		<-time.After(10 * time.Millisecond) // on a busy machine the others may be faster
	}
	o.stop()
	attempts := int(o.attempts.Load())
	if got, most := o.rowWrites(), 5*(attempts+others); attempts == 0 || got > most {
		o.t.Errorf("%s: %d row writes for %d attempts and %d others, want at most %d", o.kind, got, attempts, others, most)
	}
}

// A mail server, partner or receiver is down for an hour while up to 10,000 deliveries wait for it.
// The attempts bound the row writes, the other destination is not delayed, and nothing is lost
// (reliability.md 24).
func TestAnOutageCostsWhatItsAttemptsCost(t *testing.T) {
	for kind, waiting := range map[domain.JobKind]int{domain.EmailJob: 3000, domain.PartnerJob: 10_000, domain.CallbackJob: 500} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				o := newOutage(t, pgtest.File(t), kind, waiting)
				if kind == domain.CallbackJob {
					o.takes = 15 * time.Second
				}
				o.countRowWrites()
				o.start()
				const others = 12
				for range others {
					advance(5 * time.Minute)
					if took := o.wantOther(); took > 2*time.Second {
						t.Errorf("another destination waited for %s", took)
					}
				}
				if most := int64(200); o.attempts.Load() > most && kind != domain.CallbackJob { // a callback has its own schedule
					t.Errorf("got %d attempts in an hour, want at most %d", o.attempts.Load(), most)
				}
				o.wantWrites(others)
				o.up.Store(true)
				advance(3 * time.Hour) // the rest of the longest wait
				o.start()
				advance(2 * time.Minute)
				o.stop()
				if n, m := len(o.jobs(kind, domain.JobDone)), len(o.jobs(kind, domain.JobDead)); n < waiting || m > 0 {
					t.Errorf("%d are delivered and %d given up, want %d and none", n, m, waiting)
				}
			})
		})
	}
}

// The same on PostgreSQL, until the other destination has some deliveries: more wait than rows may be
// written.
func TestAnOutageCostsAsLittleOnPostgreSQL(t *testing.T) {
	for _, kind := range []domain.JobKind{domain.EmailJob, domain.PartnerJob, domain.CallbackJob} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			o := newOutage(t, pgtest.Empty(t, "TEMPLATE migrated"), kind, 300) // it gets triggers
			o.countRowWrites()
			o.start()
			const others = 10
			for range others {
				o.wantOther()
			}
			o.wantWrites(others)
		})
	}
}

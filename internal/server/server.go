package server

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"ativa/internal/api"
	"ativa/internal/histogram"
	"ativa/internal/provision"
)

// Options are the settings of the HTTP side; the zero value of each means its
// default.
type Options struct {
	// PublicURL is what clients put before a path; links begin with it.
	// Default: as each request says.
	PublicURL string
	Log       *slog.Logger     // default: nothing is logged
	Clock     func() time.Time // default time.Now
	// Ready says whether requests can be served; /readyz asks it.
	Ready func(context.Context) error
	// Fault names an error of the database that may pass, which is answered
	// with 503; nil for any other error, which is a defect. Default: none is.
	Fault func(error) *provision.Error
	// Metrics adds figures to /metrics, in the Prometheus text format.
	Metrics func(io.Writer)
	// Language of the activation page where the browser asks for neither
	// Portuguese nor English: "pt" (default) or "en".
	Language string
	// TrustedProxies are the addresses of proxies whose X-Forwarded-For says
	// who asks; default none.
	TrustedProxies []netip.Prefix
	// Attempts to authenticate that one address may make at once, and how
	// many it regains a second; default 60 and 1.
	AuthenticateBurst int
	AuthenticateRate  float64
	// Requests a second, and at once, of one provider; default unlimited.
	// The count is kept by each server for itself.
	ProviderBurst int
	ProviderRate  float64
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Ready == nil {
		o.Ready = func(context.Context) error { return nil }
	}
	if o.Fault == nil {
		o.Fault = func(error) *provision.Error { return nil }
	}
	if o.Metrics == nil {
		o.Metrics = func(io.Writer) {}
	}
	if o.AuthenticateBurst == 0 {
		o.AuthenticateBurst = 60
	}
	if o.AuthenticateRate == 0 {
		o.AuthenticateRate = 1
	}
	return o
}

// Server answers the requests of the API and of the activation page. It is an
// [http.Handler] and safe for concurrent use.
type Server struct {
	m         *provision.Manager
	o         Options
	mux       *http.ServeMux
	routes    map[string]*route // by pattern of mux
	metrics   *metrics.Set
	durations *histogram.Family // of requests
	flights   flights
	bodies    bodies
	logins    *throttle // by address
	requests  *throttle // by provider; nil: unlimited
	page      *page

	stop     sync.Once
	stopping chan struct{} // closed when those who wait should be let go
}

// New returns a server over the use cases of m.
func New(m *provision.Manager, o Options) *Server {
	s := &Server{
		m: m, o: o.withDefaults(), routes: map[string]*route{},
		metrics: metrics.NewSet(), durations: histogram.New("ativa_http_request_duration_seconds"), page: newPage(), stopping: make(chan struct{}),
	}
	metrics.ExposeMetadata(true)
	s.logins = newThrottle(s.o.AuthenticateRate, s.o.AuthenticateBurst)
	if s.o.ProviderRate > 0 {
		s.requests = newThrottle(s.o.ProviderRate, max(s.o.ProviderBurst, 1))
	}
	s.mux = s.newMux()
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{ResponseWriter: w, s: s, r: r, id: newRequestID(), start: time.Now(), done: func() {}}
	h := w.Header()
	h.Set(api.HeaderRequestID, x.id)
	h.Set(api.HeaderExtensions, api.Extensions)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if r.ProtoMajor == 1 && len(r.TransferEncoding) > 0 {
		// A Content-Length beside it, which net/http drops, means that somebody
		// may disagree about where the request ends (RFC 9112, section 6.1).
		h.Set("Connection", "close")
	}
	defer x.finish()
	if !clean(r.URL) {
		x.fail(errNoRoute())
		return
	}
	s.mux.ServeHTTP(x, r)
}

// Promote lets those go who wait for events, so that the server can stop soon.
func (s *Server) Promote() { s.stop.Do(func() { close(s.stopping) }) }

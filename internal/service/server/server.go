package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"html/template"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"ativa/internal/api"
	"ativa/internal/histogram"
	"ativa/internal/lang"
	"ativa/internal/service/accounts"
	"ativa/internal/service/domain"
	"ativa/internal/service/reports"
	"ativa/internal/service/rules"
)

// Limits of a connection (reliability.md). A long response, such as the plain
// list, extends its own deadline while it makes progress.
const (
	headerTimeout  = 10 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 32 << 10
)

// Options configures a [Server]. The zero value of each field selects its default.
type Options struct {
	PublicURL string                      // origin that clients use; default: scheme and host of the request
	Log       *slog.Logger                // default: nothing is logged
	Ready     func(context.Context) error // returns nil if requests can be served, for /readyz; default: always
	// DatabaseFault turns a temporary error of the database, such as a full disk, into the error
	// sent with 503. It returns nil for any other error, and by default for all.
	DatabaseFault  func(error) *domain.Error
	Metrics        func(io.Writer) // writes further metrics for /metrics in the Prometheus text format
	PublicMetrics  bool            // serves /metrics with the API; it names providers and partners
	Language       lang.Language   // of the activation page for other browsers; default Portuguese
	TrustedProxies []netip.Prefix  // whose X-Forwarded-For names the client's address; default none
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Ready == nil {
		o.Ready = func(context.Context) error { return nil }
	}
	if o.DatabaseFault == nil {
		o.DatabaseFault = func(error) *domain.Error { return nil }
	}
	if o.Metrics == nil {
		o.Metrics = func(io.Writer) {}
	}
	o.Language = cmp.Or(o.Language, lang.Portuguese)
	return o
}

// Server serves the API and the activation page. It is an [http.Handler] and safe for concurrent
// use.
type Server struct {
	rules     *rules.Engine
	tokens    *accounts.Tokens
	record    *accounts.OperatorRecord
	reports   *reports.Reports
	store     Store
	o         Options
	mux       *http.ServeMux
	routes    map[string]*route // by method and path
	metrics   *metrics.Set
	durations *histogram.Family // of requests
	running   runningRequests
	bodies    bodyLimiter
	logins    *rateLimiter // by address
	forgeries *rateLimiter // refused partner signatures, by address
	linkPage  *template.Template

	stop     sync.Once
	stopping chan struct{} // closed by BeginShutdown
}

// Parts are the parts of the service that the API uses.
type Parts struct {
	Rules   *rules.Engine
	Tokens  *accounts.Tokens
	Record  *accounts.OperatorRecord
	Reports *reports.Reports
	Store   Store
}

// Store offers the reads to which no rule applies. Lists of what the operator configures are in
// order of id.
type Store interface {
	// EachSubscriber calls fn for every subscriber, in constant memory and
	// without one long snapshot. The value is reused between calls.
	EachSubscriber(ctx context.Context, p domain.ProviderID, fn func(*domain.SubscriberServices) error) error
	// SubscriberPage returns up to limit subscribers after the first offset, and the number of all
	// subscribers. Their services have only id, product, status and times.
	SubscriberPage(ctx context.Context, p domain.ProviderID, offset, limit int) ([]domain.SubscriberServices, int, error)
	// SchedulePage returns the schedules of q, and their number without Offset and Limit.
	SchedulePage(ctx context.Context, q domain.ScheduleQuery) ([]domain.Schedule, int, error)
	// Search returns up to limit matches after the first offset, and the
	// number of all matches.
	Search(ctx context.Context, p domain.ProviderID, t domain.SearchTerm, offset, limit int) ([]domain.SubscriberServices, int, error)
	// EachMatch calls fn for every match. It holds the ids of all matches and a
	// few subscribers in memory. The value is reused between calls.
	EachMatch(ctx context.Context, p domain.ProviderID, t domain.SearchTerm, fn func(*domain.SubscriberServices) error) error
	// LastEvent returns the id of the newest event ever written, even if it has been deleted. If
	// there is none, the id is below that of the provider's first event.
	LastEvent(context.Context, domain.ProviderID) (domain.EventID, error)
	// Offers returns the products the provider may sell, by id.
	Offers(context.Context, domain.ProviderID) ([]domain.Product, error)
	InternetSpeeds(context.Context) ([]domain.InternetSpeed, error)
	Products(context.Context) ([]domain.Product, error)
	Partners(context.Context) ([]domain.Partner, error)
	// AccessTokens returns the tokens of the providers by id, ended ones included,
	// without hashes.
	AccessTokens(context.Context, []domain.ProviderID) ([]domain.AccessToken, error)
}

// New returns a server for the parts p.
func New(p Parts, o Options) *Server {
	s := &Server{
		rules: p.Rules, tokens: p.Tokens, record: p.Record, reports: p.Reports, store: p.Store, o: o.withDefaults(), routes: map[string]*route{},
		metrics: metrics.NewSet(), durations: histogram.New("ativa_http_request_duration_seconds"),
		linkPage: template.Must(template.New("link").Parse(linkHTML)), stopping: make(chan struct{}),
	}
	metrics.ExposeMetadata(true)
	s.logins = newRateLimiter()
	s.forgeries = newRateLimiter()
	s.mux = s.newMux()
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &requestContext{ResponseWriter: w, s: s, r: r, id: rand.Text(), start: time.Now(), release: func() {}}
	h := w.Header()
	h.Set(api.HeaderRequestID, c.id)
	h.Set(api.HeaderExtensions, api.Extensions)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if r.ProtoMajor == 1 && len(r.TransferEncoding) > 0 {
		// net/http ignores Content-Length if there is Transfer-Encoding, but a proxy may have used
		// it to find the end of the request (RFC 9112, section 6.1).
		h.Set("Connection", "close")
	}
	defer c.finish()
	if !isCleanPath(r.URL) {
		c.fail(notFoundError())
		return
	}
	s.mux.ServeHTTP(c, r)
}

// BeginShutdown makes /readyz fail and answers the requests that wait for
// events at once. It may be called more than once.
func (s *Server) BeginShutdown() { s.stop.Do(func() { close(s.stopping) }) }

// NewHTTPServer returns an [http.Server] for h with a time-out for each part of a request.
func NewHTTPServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeaderBytes, DisableGeneralOptionsHandler: true, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

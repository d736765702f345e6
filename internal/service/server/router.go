package server

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"ativa/internal/api"
	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// newMux registers every route without and with [api.Prefix]. A request without a route gets a
// problem, where the mux itself would send plain text.
func (s *Server) newMux() *http.ServeMux {
	mux := http.NewServeMux()
	serve := func(pattern string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			c := w.(*requestContext)
			c.serve(s.routeOf(pattern, c.r.URL))
		}
	}
	for _, prefix := range []string{"", api.Prefix} {
		views := http.MethodGet + " " + prefix + api.PathSubscriberView
		mux.HandleFunc(views, serve(views))
		routes := s.allRoutes()
		for i := range routes {
			r := &routes[i]
			pattern := r.method + " " + prefix + r.path
			s.routes[pattern] = r
			if strings.HasPrefix(r.path, api.PathSubscriber+"/") {
				continue // served by the pattern of all views
			}
			run := serve(pattern)
			mux.HandleFunc(pattern, run)
			if r.html { // a link that a mail program shortened or extended also gets a page
				mux.HandleFunc(strings.Replace(pattern, "}", "...}", 1), run)
				mux.HandleFunc(pattern[:strings.LastIndex(pattern, "/")], run) // the mux would redirect this path
			}
		}
		search := http.MethodGet + " " + prefix + api.PathSearch
		mux.HandleFunc(strings.Replace(search, "{"+api.WildcardSearch+"}", "{$}", 1), serve(search)) // an empty term is too short
	}
	mux.HandleFunc("GET /{$}", s.root)
	mux.HandleFunc("/", serve("/"))
	return mux
}

// routeOf returns the route of a pattern of the mux that serves u, or nil. The views of a subscriber
// share one pattern; see [api.PathHistory].
func (s *Server) routeOf(pattern string, u *url.URL) *route {
	path := u.EscapedPath()
	last := path[strings.LastIndexByte(path, '/')+1:]
	if subscriber, isView := strings.CutSuffix(pattern, "{view}"); isView {
		pattern = subscriber + last
	}
	if strings.HasSuffix(pattern, api.PathSubscriber) && slices.Contains(reservedWords(), last) {
		return nil
	}
	return s.routes[pattern]
}

// reservedWords returns the words that may follow the subscribers path and are never a document
// (decisions.md 6).
func reservedWords() []string {
	return []string{"search", "internet_speeds", "import", "resend_activation_email"}
}

// isCleanPath reports whether the mux serves the path unchanged. It would redirect any other.
func isCleanPath(u *url.URL) bool {
	path := u.EscapedPath()
	return strings.HasPrefix(path, "/") && !strings.Contains(path, "//") &&
		!strings.Contains(path+"/", "/./") && !strings.Contains(path+"/", "/../")
}

// root redirects a browser to the documentation.
func (s *Server) root(w http.ResponseWriter, _ *http.Request) {
	c := w.(*requestContext)
	if !strings.Contains(c.r.Header.Get("Accept"), "text/html") {
		c.fail(c.noRouteError())
		return
	}
	c.Header().Set("Location", api.PathDocs)
	c.WriteHeader(http.StatusFound)
}

// serve authenticates the request, reads the body and runs the handler of
// the route. A nil route means that there is none.
func (c *requestContext) serve(r *route) {
	if r == nil {
		c.fail(c.noRouteError())
		return
	}
	c.route = r
	defer func() { c.release() }()
	err := c.prepare()
	if err == nil {
		err = r.handle(c)
	}
	if err != nil {
		c.fail(err)
	}
}

func (c *requestContext) prepare() (err error) {
	if !c.route.open {
		if c.Caller, err = c.s.tokens.Identify(c.r.Context(), bearer(c.r)); err != nil {
			return err
		}
		if !c.Scopes.Include(c.route.scope) && !c.Scopes.Include(c.route.orScope) {
			return scopeError(c.route.scope)
		}
	}
	if n := c.bodySize(); n > api.MaxBodyBytes {
		if c.release, err = c.s.bodies.acquire(c.r.Context(), c.Provider, n); err != nil {
			return err
		}
	}
	if c.route.body > 0 {
		if c.body, err = readBody(c, c.r, c.route.body); err != nil {
			return err
		}
	}
	document, isDocument := cpf.ParseLoosely(c.r.PathValue(api.WildcardDocument))
	if strings.HasPrefix(c.route.path, api.PathSubscriber) && !isDocument { // no subscriber has it (decisions.md 6)
		return domain.Refuse(domain.SubscriberNotFound)
	}
	c.document = document
	return nil
}

// noRouteError returns 405 with the allowed methods if the path has a route for another method,
// else 404.
func (c *requestContext) noRouteError() error {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
		probe := c.r.Clone(c.r.Context())
		probe.Method = method
		_, pattern := c.s.mux.Handler(probe)
		if c.s.routeOf(pattern, c.r.URL) != nil {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		return notFoundError()
	}
	if slices.Contains(allowed, http.MethodGet) {
		allowed = slices.Insert(allowed, 1, http.MethodHead)
	}
	return &httpError{code: api.CodeMethodNotAllowed, detail: "the path does not take this method", allow: strings.Join(allowed, ", ")}
}

func notFoundError() *httpError {
	return &httpError{code: api.CodeNotFound, detail: "there is nothing at this path"}
}

package server

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"ativa/internal/api"
)

// newMux registers every route twice, and everything else as unknown: the
// mux's own answers for that are plain text.
func (s *Server) newMux() *http.ServeMux {
	mux := http.NewServeMux()
	none := func(w http.ResponseWriter, _ *http.Request) {
		x := w.(*exchange)
		x.fail(x.noRoute())
	}
	for _, prefix := range []string{"", api.Prefix} {
		routes := s.allRoutes()
		for i := range routes {
			r := &routes[i]
			pattern := r.method + " " + prefix + r.pattern()
			s.routes[pattern] = r
			run := func(w http.ResponseWriter, _ *http.Request) { w.(*exchange).run(r) }
			mux.HandleFunc(pattern, run)
			if r.page { // what a mail program made of the link, too, is answered with a page
				mux.HandleFunc(strings.Replace(pattern, "}", "...}", 1), run)
				mux.HandleFunc(pattern[:strings.LastIndex(pattern, "/")], run) // which the mux would redirect
			}
		}
		for _, word := range reservedWords() {
			for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
				pattern := method + " " + prefix + api.PathSubscribers + "/" + word
				if s.routes[pattern] == nil {
					mux.HandleFunc(pattern, none)
				}
			}
		}
	}
	mux.HandleFunc("GET /{$}", s.root)
	mux.HandleFunc("/", none)
	return mux
}

// reservedWords stand where a document would and are never one (decisions.md 6).
func reservedWords() []string {
	return []string{"search", "internet_speeds", "import", "resend_activation_email"}
}

// pattern is the path as the mux can hold it, see [api.PathHistory].
func (r *route) pattern() string {
	if r.path == api.PathHistory {
		return api.PathSubscriberView
	}
	return r.path
}

// fits reports whether the route is meant by a path that its pattern matches.
func (r *route) fits(u *url.URL) bool {
	return r.path != api.PathHistory || strings.HasSuffix(u.EscapedPath(), "/"+api.ViewHistory)
}

// clean reports whether the mux takes the path as it is; otherwise it would
// answer with a redirect to another one.
func clean(u *url.URL) bool {
	path := u.EscapedPath()
	return strings.HasPrefix(path, "/") && !strings.Contains(path, "//") &&
		!strings.Contains(path+"/", "/./") && !strings.Contains(path+"/", "/../")
}

// root leads a person with a browser to the documentation.
func (s *Server) root(w http.ResponseWriter, _ *http.Request) {
	x := w.(*exchange)
	if !strings.Contains(x.r.Header.Get("Accept"), "text/html") {
		x.fail(x.noRoute())
		return
	}
	x.Header().Set("Location", api.PathDocs)
	x.WriteHeader(http.StatusFound)
}

// run serves a route: who asks, how often, with which body, and then the handler.
func (x *exchange) run(r *route) {
	if !r.fits(x.r.URL) {
		x.fail(x.noRoute())
		return
	}
	x.route = r
	defer func() { x.done() }()
	if err := x.prepare(); err != nil {
		x.fail(err)
		return
	}
	if err := r.handle(x); err != nil {
		x.fail(err)
	}
}

func (x *exchange) prepare() (err error) {
	if !x.route.open {
		if x.provider, err = x.s.m.Identify(x.r.Context(), bearer(x.r)); err != nil {
			return err
		}
		if x.s.requests != nil {
			if err := x.s.requests.take(providerKey(x.provider), x.s.o.Clock()); err != nil {
				return err
			}
		}
	}
	if n := x.announced(); n > api.MaxBodyBytes {
		if x.done, err = x.s.bodies.take(x.r.Context(), x.provider, n); err != nil {
			return err
		}
	}
	if x.route.body > 0 {
		x.body, err = readBody(x, x.r, x.route.body)
	}
	return err
}

// bearer is the token of the Authorization header, or "" without one.
func bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// noRoute tells a wrong method from a wrong path.
func (x *exchange) noRoute() error {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
		probe := x.r.Clone(x.r.Context())
		probe.Method = method
		_, pattern := x.s.mux.Handler(probe)
		if r := x.s.routes[pattern]; r != nil && r.fits(x.r.URL) {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		return errNoRoute()
	}
	if slices.Contains(allowed, http.MethodGet) {
		allowed = slices.Insert(allowed, 1, http.MethodHead)
	}
	return &refusal{code: api.CodeMethodNotAllowed, detail: "the path does not take this method", allow: strings.Join(allowed, ", ")}
}

func errNoRoute() *refusal {
	return &refusal{code: api.CodeNotFound, detail: "there is nothing at this path"}
}

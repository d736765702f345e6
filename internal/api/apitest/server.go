// Package apitest provides a server of the API in memory, for tests of its clients. It decides how
// a server may differ from ours and how it may fail; it does not know the rules of provisioning.
package apitest

import (
	"encoding/json"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"ativa/internal/api"
	"ativa/internal/cpf"
)

// Server is a server of the API. With extensions it honours idempotency keys and reports each
// element. Without, it implements only api.md: it executes a repeated request again and is not
// atomic. Fields are set before it serves, or under its lock, which is held during a request.
type Server struct {
	sync.Mutex
	Extensions  string
	Dotted      bool // documents are written with dots
	Products    []api.Product
	Statuses    []api.Status
	Documents   []string // in order of registration
	Subscribers map[string]*api.Subscriber
	Requests    []Request // the writes that arrived
	CarriedOut  []Request // the writes without repetitions of a key

	// Answer may respond to a request of any method instead of the server, and reports whether it did.
	Answer func(w http.ResponseWriter, r Request) bool
	// Refuse returns the status and code that refuse a whole write.
	Refuse func(r Request) (status int, code string)
	// Fails returns the code of a document's failure in a batch, "" for none.
	Fails func(r Request, document string) string
	// Lose reports whether to abort the response to a write that was carried out.
	Lose func(r Request) bool
	// Drop reports whether to abort a write before it is carried out.
	Drop func(r Request) bool
	// BreakOff is called before each step of a write and reports whether to abort there.
	BreakOff func() bool
	// Only returns how many rows of a write are carried out; nil means all.
	Only func(r Request) int
	// Omits reports whether a detailed response lacks the result of a document.
	Omits func(r Request, document string) bool
	// Become maps an operation to the status after it.
	Become map[string]api.Status

	stored map[string]stored // by idempotency key
}

// Request is a request that arrived.
type Request struct {
	N            int // of a write, from 1
	Method, Path string
	Key          string // of idempotency
	Body         []byte
	Product      api.Int
	Documents    []string

	in input
}

// Is reports whether the request is the operation.
func (r Request) Is(op string) bool { return path.Base(r.Path) == op }

// stored is a request with an idempotency key and its response.
type stored struct{ body, response []byte }

// New returns a server with the extensions, separated by commas, and the products P and Q.
func New(extensions string) *Server {
	return &Server{
		Extensions: extensions, Dotted: extensions == "", Subscribers: map[string]*api.Subscriber{}, stored: map[string]stored{},
		Products: []api.Product{Product(25, "P", "p"), Product(26, "Q", "q")},
		Statuses: []api.Status{{ID: api.StatusActive, Name: "active"}, {ID: 2, Name: "checkout"}},
		Become: map[string]api.Status{
			"import": {ID: api.StatusInProgress, Name: "inProgress"}, "activate": {ID: api.StatusInProgress, Name: "inProgress"},
			"suspend": {ID: api.StatusWaitingSuspension, Name: "waitingSuspension"}, "deactivate": {ID: api.StatusWaitingCancellation, Name: "waitingCancellation"},
			"overdue": {ID: api.StatusWaitingSuspensionDueToOverdue, Name: "waitingSuspensionDueToOverdue"}, "settle": {ID: api.StatusReactivated, Name: "reactivated"},
			"change": {ID: api.StatusChanged, Name: "changed"},
		},
	}
}

// Product returns an active product that can do everything.
func Product(id api.Int, name, code string) api.Product {
	return api.Product{ID: id, Name: name, Code: code, Active: true,
		Can: api.List[string]{api.CanActivate, api.CanReactivate, api.CanChangeTo, api.CanChangeFrom, api.CanSuspend, api.CanDeactivate}}
}

// Add registers a subscriber with an active service of each product.
func (s *Server) Add(document string, products ...api.Int) *api.Subscriber {
	one := &api.Subscriber{Name: "Ana " + document, Document: document, InternetSpeedID: api.DefaultInternetSpeed}
	for _, p := range products {
		one.Services = append(one.Services, s.Service(p, "active"))
	}
	s.Documents, s.Subscribers[document] = append(s.Documents, document), one
	return one
}

// Service returns a service of the product with a status of api.md or of this server.
func (s *Server) Service(product api.Int, status string) api.Service {
	service := api.Service{ProductID: product, Status: status, StatusID: api.StatusID(status)}
	for _, own := range s.Statuses {
		if own.Name == status {
			service.StatusID = own.ID
		}
	}
	for _, p := range s.Products {
		if p.ID == product {
			service.ProductName, service.ProductCode = p.Name, p.Code
		}
	}
	return service
}

// Status returns the status of the newest service of the product, "" for none.
func (s *Server) Status(document string, product api.Int) string {
	s.Lock()
	defer s.Unlock()
	if s.Subscribers[document] == nil {
		return ""
	}
	newest, _ := api.NewestService(s.Subscribers[document].Services, product)
	return newest.Status
}

// Sent returns the writes of the operation, in order.
func (s *Server) Sent(op string) []Request {
	s.Lock()
	defer s.Unlock()
	return slices.DeleteFunc(slices.Clone(s.Requests), func(r Request) bool { return !r.Is(op) })
}

// HasStored reports whether there is a stored response under an idempotency key.
func (s *Server) HasStored(key string) bool {
	s.Lock()
	defer s.Unlock()
	_, has := s.stored[key]
	return has
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.Lock()
	defer s.Unlock()
	if s.Extensions != "" {
		w.Header().Set(api.HeaderExtensions, s.Extensions)
	}
	w.Header().Set("Content-Type", api.MediaJSON)
	q := Request{Method: r.Method, Path: r.URL.Path, Key: r.Header.Get(api.HeaderIdempotencyKey), Body: body}
	isWrite := r.Method != http.MethodGet && r.URL.Path != api.PathAuthenticate
	if isWrite {
		q.N = len(s.Requests) + 1
		if !q.decode() {
			http.Error(w, `{"message":"malformed"}`, http.StatusBadRequest)
			return
		}
		s.Requests = append(s.Requests, q)
	}
	switch {
	case s.Answer != nil && s.Answer(w, q):
	case isWrite:
		s.write(w, q)
	default:
		s.read(w, q.Path)
	}
}

func write(w io.Writer, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
}

func (s *Server) read(w http.ResponseWriter, at string) {
	document, isOne := strings.CutPrefix(at, "/subscribers/")
	term, isSearch := strings.CutPrefix(at, "/subscribers/search/")
	switch {
	case at == api.PathAuthenticate:
		write(w, api.AuthenticateResponse{Authorization: api.Authorization{Token: "b", Type: api.TypeBearer, ExpiresIn: 3600}, Response: "success"})
	case at == api.PathProducts:
		write(w, api.ProductsResponse{Products: s.Products, Response: "success"})
	case at == api.PathStatuses:
		write(w, api.StatusesResponse{Statuses: s.Statuses, Response: "success"})
	case at == api.PathInternetSpeeds:
		write(w, api.InternetSpeedsResponse{InternetSpeeds: api.List[api.InternetSpeed]{{ID: 3, Speed: "30 Mbps", Slug: "30"},
			{ID: 36, Speed: "1000 Mbps", Slug: "1000"}, {ID: api.DefaultInternetSpeed, Speed: "Não informada", Slug: "nao-informada"}}, Response: "success"})
	case at == api.PathSubscribers || isSearch:
		found := []api.Subscriber{}
		for _, d := range s.Documents {
			one := s.Subscribers[d]
			if !isSearch || strings.Contains(strings.ToLower(one.Name), strings.ToLower(term)) || strings.Contains(one.Phone+" "+d, term) {
				found = append(found, s.shown(d))
			}
		}
		write(w, map[string]any{"subscribers": found, "response": "success"})
	case isOne && s.Subscribers[document] != nil:
		write(w, api.SubscriberResponse{Subscriber: s.shown(document), Response: "success"})
	default:
		http.Error(w, `{"message":"not found"}`, http.StatusNotFound)
	}
}

// shown returns a subscriber as the server writes it.
func (s *Server) shown(document string) api.Subscriber {
	one := *s.Subscribers[document]
	if s.Dotted {
		one.Document = cpf.Document(document).Format()
	}
	return one
}

// step aborts a write if the test wants it to break off here.
func (s *Server) step() {
	if s.BreakOff != nil && s.BreakOff() {
		panic(http.ErrAbortHandler)
	}
}

// begin adds a service that the n-th write activates.
func (s *Server) begin(one *api.Subscriber, product api.Int, to api.Status, n int) {
	s.step()
	service := s.Service(product, to.Name)
	service.StatusID, service.TokenCreatedAt = to.ID, api.At(time.Unix(int64(n), 0))
	one.Services = append(one.Services, service)
}

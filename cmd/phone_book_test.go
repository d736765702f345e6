package cmd

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"ativa/internal/cpf"
)

// phoneBook is a server that implements api.md for many subscribers with an active
// service each, and a search by name. It records changing requests.
type phoneBook struct {
	mu      sync.Mutex
	names   []string
	changes []string
}

func (s *phoneBook) document(i int) string {
	return string(cpf.WithCheckDigits(fmt.Sprint(100000000 + i)))
}

func (s *phoneBook) phone(i int) string { return fmt.Sprint("+", 5561947204606+i) }

func (s *phoneBook) subscriber(i int) string {
	return fmt.Sprintf(`{"name":%q,"document":%q,"email":"p%d@example.com","phone":%q,"services":[`+
		`{"content_supplier_product_name":"Play","content_supplier_product_code":"play","content_supplier_product_id":25,"status_id":1,"status":"active"}]}`,
		s.names[i], s.document(i), i, s.phone(i))
}

func (s *phoneBook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	term, searches := strings.CutPrefix(r.URL.Path, "/subscribers/search/")
	var found []string
	for i, name := range s.names {
		switch {
		case r.URL.Path == "/subscribers/"+s.document(i) && r.Method == http.MethodGet:
			_, _ = io.WriteString(w, `{"subscriber":`+s.subscriber(i)+`}`)
			return
		case r.URL.Path == "/subscribers", searches && (strings.Contains(strings.ToLower(name), strings.ToLower(term)) || strings.Contains(s.phone(i)+" "+s.document(i), term)):
			found = append(found, s.subscriber(i))
		}
	}
	switch {
	case searches || r.URL.Path == "/subscribers" && r.Method == http.MethodGet:
		_, _ = io.WriteString(w, `{"subscribers":[`+strings.Join(found, ",")+`]}`)
	default:
		(&plainServer{map[string]string{
			"GET /products": `{"content_supplier_products":[{"id":25,"name":"Play","code":"play","active":true,"can":["activate","suspend","deactivate"]}]}`,
		}, s.change}).ServeHTTP(w, r)
	}
}

func (s *phoneBook) change(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	s.changes = append(s.changes, r.Method+" "+r.URL.Path)
	s.mu.Unlock()
	_, _ = io.WriteString(w, `{"response":"success"}`)
}

// newPhoneBook starts a server with these subscribers.
func newPhoneBook(t *testing.T, names ...string) (*phoneBook, *user) {
	t.Helper()
	s := &phoneBook{names: names}
	return s, userOf(t, s)
}

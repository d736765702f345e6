package cmd

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/cpf"
)

func userOf(t *testing.T, h http.Handler) *user {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return newUser(t, map[string]string{"ATIVA_SERVER": server.URL, "ATIVA_ACCESS_TOKEN": "t"})
}

// ana is the document of the only subscriber of a [minimalServer].
const ana = "52998224725"

// minimalServer returns a server that follows api.md alone, and a user of it. Its only subscriber
// has the services of the test. It answers every write with the web page OK and changes nothing.
func minimalServer(t *testing.T, services ...api.Service) (*user, *apitest.Server) {
	t.Helper()
	s := apitest.New("")
	one := s.Add(ana)
	one.Name, one.Email, one.Phone, one.InternetSpeedID, one.Services = "Ana", "ana@example.com", "+5511987654321", 3, services
	s.Answer = writesAnswered(func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/html; charset=UTF-8")
		_, _ = io.WriteString(w, "OK")
	})
	return userOf(t, s), s
}

// writesAnswered gives every write the same answer.
func writesAnswered(answer func(http.ResponseWriter)) func(http.ResponseWriter, apitest.Request) bool {
	return func(w http.ResponseWriter, r apitest.Request) bool {
		if r.N > 0 {
			answer(w)
		}
		return r.N > 0
	}
}

// lastWrite returns the body of the last write, "" if there was none.
func lastWrite(s *apitest.Server) string {
	if len(s.Requests) == 0 {
		return ""
	}
	return string(s.Requests[len(s.Requests)-1].Body)
}

// entry is a service of the product P or Q with a status.
func entry(product api.Int, status string) api.Service {
	return apitest.New("").Service(product, status)
}

// pausedEntry is a service in a status that its server does not list.
func pausedEntry() api.Service {
	s := entry(25, "paused")
	s.StatusID = 99
	return s
}

// phoneBook is a server that follows api.md alone, with many subscribers with an active service
// each. Writes change nothing.
type phoneBook struct{ *apitest.Server }

func (s *phoneBook) document(i int) string {
	return string(cpf.WithCheckDigits(fmt.Sprint(100000000 + i)))
}

func (s *phoneBook) phone(i int) string { return fmt.Sprint("+", 5561947204606+i) }

func newPhoneBook(t *testing.T, names ...string) (*phoneBook, *user) {
	t.Helper()
	s := &phoneBook{apitest.New("")}
	s.Products = []api.Product{apitest.Product(25, "Play", "play")}
	s.Dotted = false
	s.Answer = writesAnswered(func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"response":"success"}`) })
	for i, name := range names {
		one := s.Add(s.document(i), 25)
		one.Name, one.Email, one.Phone = name, fmt.Sprintf("p%d@example.com", i), s.phone(i)
	}
	return s, userOf(t, s)
}

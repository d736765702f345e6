package cmd

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/cpf"
)

// phoneBook is a server that follows api.md alone, with many subscribers with an active service
// each. Writes change nothing.
type phoneBook struct{ *apitest.Server }

func (s *phoneBook) document(i int) string {
	return string(cpf.WithCheckDigits(fmt.Sprint(100000000 + i)))
}

func (s *phoneBook) phone(i int) string { return fmt.Sprint("+", 5561947204606+i) }

// newPhoneBook starts a server with these subscribers.
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

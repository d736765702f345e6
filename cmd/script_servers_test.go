package cmd

import (
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
)

// startMinimalServer starts a server that follows only api.md, under /api, and points the script
// at it: it takes suspensions and resends alone. A suspension is final after two reads.
func startMinimalServer(ts *testscript.TestScript, _ bool, _ []string) {
	s, reads := apitest.New(""), 0 // of the suspension
	s.Products = []api.Product{{ID: 25, Name: "P", Code: "p", Active: true, Can: api.List[string]{api.CanActivate, api.CanSuspend}}, {ID: 26, Name: "Q", Code: "q"}}
	s.Statuses = append(s.Statuses, api.Status{ID: 99, Name: "paused"})
	began := time.Date(2026, 1, 31, 12, 34, 56, 0, time.UTC)
	since := func(service api.Service, at time.Time) api.Service {
		service.TokenCreatedAt, service.StatusUpdatedAt = api.At(began), api.At(at)
		return service
	}
	one, other := s.Add("52998224725"), s.Add("11144477735")
	one.Name, one.Email, one.Phone, one.InternetSpeedID, one.CreatedAt = "Ana", "ana@example.com", "+5511987654321", 3, api.At(began)
	one.Services = []api.Service{since(s.Service(25, "active"), began.AddDate(0, 0, 1)), since(s.Service(26, "paused"), began.AddDate(0, 0, 1))}
	other.Name, other.Email, other.Phone, other.InternetSpeedID, other.CreatedAt = "Bia", "bia@example.com", "+5511987654322", 3, api.At(began)
	other.Services = []api.Service{since(s.Service(25, "checkout"), began.Add(time.Second))} // its requested activation begins in an unknown status
	s.Answer = func(w http.ResponseWriter, r apitest.Request) bool {
		if p := &one.Services[0]; r.N == 0 && p.StatusID == api.StatusWaitingSuspension {
			if reads++; reads > 2 {
				p.StatusID, p.Status = api.StatusSuspend, "suspend"
			}
		}
		if r.N == 0 || r.Path == api.PathSuspend || r.Path == api.PathResend {
			return false
		}
		http.Error(w, "404 page not found", http.StatusNotFound)
		return true
	}
	server := httptest.NewServer(http.StripPrefix("/api", s))
	ts.Defer(server.Close)
	ts.Setenv("ATIVA_SERVER", server.URL)
	ts.Setenv("ATIVA_ACCESS_TOKEN", "plain-token")
}

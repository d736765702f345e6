package api_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"ativa/internal/api"
)

// encode is what encoding/json writes with HTML escaping off.
func encode(t testing.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

func sample() api.Subscriber {
	at := api.At(time.Date(2026, 1, 31, 12, 34, 56, 123456000, time.UTC))
	return api.Subscriber{
		Name: `João "Zé" \ <b>&`, Email: "joao@example.com", Document: "52998224725", Phone: "+5511987654321",
		InternetSpeedID: 38, CustomerPlan: "100\tMega\x01\x7f\u2028\xff", CreatedAt: at,
		Services: api.List[api.Service]{
			{TokenCreatedAt: at, ProductName: "Vídeo", ProductCode: "V1", ProductID: 25, StatusUpdatedAt: at, StatusID: 1, Status: "active"},
			{ProductID: -1, Status: "what\nelse"},
		},
	}
}

func TestAppendedSubscriberIsWhatJSONWrites(t *testing.T) {
	full, bare := sample(), api.Subscriber{}
	for _, s := range []*api.Subscriber{&full, &bare} {
		if got, want := string(s.AppendJSON(nil)), encode(t, s); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestAppendedPageIsWhatJSONWrites(t *testing.T) {
	next := "https://example.com/api/subscribers?paginate=S&page=3&x=<y>"
	links := api.Links{First: "/1", Last: "/9", Next: &next}
	meta := api.Meta{CurrentPage: 2, LastPage: 9, PerPage: 500, Total: 4500}
	people := api.Page[api.Subscriber]{Data: api.List[api.Subscriber]{sample(), {}}, Links: links, Meta: meta, Response: api.ResponseSuccess}
	products := api.Page[api.Product]{Data: api.List[api.Product]{{ID: 1, Name: `"Play"`, Can: api.List[string]{api.CanActivate}}}, Links: links, Response: api.ResponseSuccess, Message: "success"}
	for _, p := range []interface{ AppendJSON([]byte) []byte }{people, products, api.Page[api.Product]{}} {
		if got, want := string(p.AppendJSON(nil)), encode(t, p); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestAppendedTokenUsageIsWhatJSONWrites(t *testing.T) {
	at := api.At(time.Date(2026, 1, 31, 12, 34, 56, 123456000, time.UTC))
	full := api.TokenUsage{Document: "52998224725", ProductID: 25, TokenCreatedAt: at, FirstEnabledAt: at, LastEnabledAt: at, EnabledDays: 31, Status: "active"}
	for _, u := range []*api.TokenUsage{&full, {}} {
		if got, want := string(u.AppendJSON(nil)), encode(t, u); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func FuzzAppendStringIsWhatJSONWrites(f *testing.F) {
	for _, s := range []string{"", "plain", "\x00\x1f\b\f\n\r\t\"\\/", "ção 日本 😀", "\xff\xfe", "\u2028\u2029", "\ufffd"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := string(api.AppendString(nil, s)), encode(t, s); got != want {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
	})
}

func TestAppendingIntoARoomyBufferAllocatesNothing(t *testing.T) {
	s, b := sample(), make([]byte, 0, 4096)
	s.Name, s.CustomerPlan, s.Services[1].Status = "João da Silva", "100 Mega", "error" // no character is escaped
	if got := testing.AllocsPerRun(100, func() { b = s.AppendJSON(b[:0]) }); got != 0 {
		t.Errorf("got %v allocations, want 0", got)
	}
}

func BenchmarkAppendSubscriber(b *testing.B) {
	s, buf := sample(), make([]byte, 0, 4096)
	for b.Loop() {
		buf = s.AppendJSON(buf[:0])
	}
	b.SetBytes(int64(len(buf)))
}

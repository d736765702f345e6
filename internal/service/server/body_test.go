package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/domain"
	"ativa/internal/service/store/pgtest"
)

func TestJSONIsReadStrictlyWhereItMattersAndKindlyElsewhere(t *testing.T) {
	f := newParallelFixture(t)
	f.register(1, 1)
	const name = `{"name":"Nova"}`
	for _, c := range []struct {
		body, header string
		status       int
		code         string
	}{
		{name, "Content-Type: application/json; charset=utf-8", 200, ""},
		{name, "Content-Type: APPLICATION/JSON", 200, ""},
		{name, "Content-Type", 200, ""},
		{name, "Content-Encoding: identity", 200, ""},
		{name, "Content-Type: application/problem+json", 415, api.CodeUnsupportedMediaType},
		{name, "Content-Type: ;", 415, api.CodeUnsupportedMediaType},
		{name, "Content-Encoding: br", 400, api.CodeUnsupportedEncoding},
		{strings.Repeat("x", api.MaxBodyBytes+1), "", 413, api.CodePayloadTooLarge},
		{`{"x":"` + strings.Repeat("x", api.MaxBodyBytes-8) + `"}`, "", 200, ""},
		{"\xef\xbb\xbf{\"name\":\"A\"}", "", 200, ""},
		{`{"Name":5,"NAME":[]}`, "", 200, ""},
		{`{"internet_speed_id":null,"customer_plan":null}`, "", 200, ""},
		{`{"name":"A","name":"A"}`, "", 400, api.CodeMalformedJSON},
		{`{"x":{"y":1,"y":1}}`, "", 400, api.CodeMalformedJSON},
		{`{"name":"A"} {}`, "", 400, api.CodeMalformedJSON},
		{"{\"name\":\"\xff\"}", "", 400, api.CodeMalformedJSON},
		{``, "Content-Type: application/json", 400, api.CodeMalformedJSON},
		{`{"x":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`, "", 400, api.CodeMalformedJSON},
		{`{"name":5,"x":}`, "", 400, api.CodeMalformedJSON},
	} {
		f.do("PUT", "/subscribers/"+doc(1), c.body, c.header).want(c.status, c.code)
	}
}

// Rows and fields bound the response, whatever is wrong in each row (docs/reliability.md).
func TestTheAnswerToWrongRowsIsBounded(t *testing.T) {
	f := newParallelFixture(t)
	const many = 1000
	wrong := `{"name":1,"email":[],"document":{},"phone":true,"internet_speed_id":"x","customer_plan":2,"products_ids":[` +
		strings.TrimSuffix(strings.Repeat(`"x",`, 50), ",") + `]}`
	body := rows(strings.TrimSuffix(strings.Repeat(wrong+",", many), ","))
	r := f.do("POST", "/subscribers/import", body).want(422, api.CodeBatchFailed).has(map[string]string{"summary.failed": "1000"})
	if len(r.body) > 4*len(body) {
		t.Errorf("got %d bytes for %d", len(r.body), len(body))
	}
	for _, row := range []int{0, many - 1} {
		fields := map[string]int{}
		for _, e := range r.get("results", row, "errors").([]any) {
			fields[e.(map[string]any)["field"].(string)]++
		}
		if len(fields) != 7 || fields["products_ids"] != 1 || fields["name"] != 1 {
			t.Errorf("row %d: got %v, want one error for each of seven fields", row, fields)
		}
	}
	r = f.do("POST", "/provision/suspend", `{"contentSupplierProduct":"x","documents":[`+strings.TrimSuffix(strings.Repeat("1,", 4_000), ",")+`]}`).want(422, api.CodeValidationFailed)
	if got := len(r.get("errors").([]any)); got != 2 || r.text("errors", 1, "pointer") != "/documents/0" {
		t.Errorf("got %d errors: %.300s, want one for each field", got, r.body)
	}
}

// Unfinished large bodies hold no more memory than two imports, and nothing that another provider
// needs.
func TestLargeBodiesAreBoundedForEachProvider(t *testing.T) {
	f := newParallelFixture(t)
	_, other := f.provider(domain.Provider{Name: "Outro", Limit: 10})
	addr := f.listen()
	// begin announces a body and returns the first line of the response, if it comes in time.
	begin := func(bearer string, size int, within time.Duration) (net.Conn, *bufio.Reader, string) {
		conn, in := f.dial(addr)
		_, err := fmt.Fprintf(conn, "POST /subscribers/import HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", bearer, size)
		f.must(err)
		f.must(conn.SetReadDeadline(time.Now().Add(within)))
		line, _ := in.ReadString('\n')
		return conn, in, strings.TrimSpace(line)
	}
	const large, read, soon, long = 15 << 20, "HTTP/1.1 100 Continue", 100 * time.Millisecond, time.Minute
	if _, _, got := begin(f.bearer, api.MaxImportBytes+1, long); got != "HTTP/1.1 413 Request Entity Too Large" {
		t.Errorf("a body that is too large: got %q", got)
	}
	first, _, got := begin(f.bearer, large, long)
	_, _, second := begin(f.bearer, large, long)
	if got != read || second != read {
		t.Fatalf("two large bodies: got %q and %q", got, second)
	}
	third, in, got := begin(f.bearer, large, soon)
	if got == read {
		t.Error("a third large body is read beside two")
	}
	if _, _, got := begin(f.login(other), large, long); got != read {
		t.Errorf("the large body of another provider has to wait: %q", got)
	}
	f.do("POST", "/subscribers", subscriber(1)).want(201) // a small one does not wait
	_ = first.Close()
	_ = third.SetReadDeadline(time.Now().Add(long))
	if line, err := in.ReadString('\n'); strings.TrimSpace(line) != read {
		t.Errorf("the third large body is not read when there is room: %q, %v", line, err)
	}
}

// A large body that waits too long for others is refused, which is no fault of the server.
func TestALargeBodyIsRefusedWhenOthersTakeTooLong(t *testing.T) {
	t.Parallel()
	pgtest.Only(t, "sqlite", "connections to PostgreSQL cannot be made in virtual time")
	f := newFixture(t)
	r := refusal{"POST", api.PathImport, "Authorization: Bearer " + f.bearer + "\r\n", 503, api.CodeUnavailable}
	head := r.head(15 << 20)
	synctest.Test(t, func(t *testing.T) {
		for range 2 {
			conn, stop := servePipe(f.server)
			defer stop()
			_, err := io.WriteString(conn, head)
			must(t, err)
		}
		synctest.Wait()
		got, _, err := slowRequest{head: head}.send(t, f)
		must(t, err)
		got.want(r.status, r.code)
	})
	if log := f.log.String(); !strings.Contains(log, `"code":"unavailable"`) || strings.Contains(log, "panic") {
		t.Errorf("got the log %s", log)
	}
}

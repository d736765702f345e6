package server_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"ativa/internal/api"
)

func zipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return b.String()
}

func TestBodiesSayWhatTheyAre(t *testing.T) {
	w := newWorld(t)
	w.register(1, 1)
	body := `{"name":"Nova"}`
	for _, c := range []struct {
		body, media, encoding string
		status                int
		code                  string
	}{
		{body, "application/json", "", 200, ""},
		{body, "application/json; charset=utf-8", "", 200, ""},
		{body, "APPLICATION/JSON", "", 200, ""},
		{body, "", "", 200, ""},
		{body, "", "identity", 200, ""},
		{zipped(body), "", "gzip", 200, ""},
		{zipped(body), "application/json", "GZIP", 200, ""},
		{body, "text/plain", "", 415, api.CodeUnsupportedMediaType},
		{body, "application/x-www-form-urlencoded", "", 415, api.CodeUnsupportedMediaType},
		{body, "application/problem+json", "", 415, api.CodeUnsupportedMediaType},
		{body, ";", "", 415, api.CodeUnsupportedMediaType},
		{body, "", "br", 400, api.CodeUnsupportedEncoding},
		{body, "", "gzip, gzip", 400, api.CodeUnsupportedEncoding},
		{body, "", "gzip", 400, api.CodeUnsupportedEncoding},
		{zipped(body)[:20], "", "gzip", 400, api.CodeMalformedJSON},
		{strings.Repeat("x", api.MaxBodyBytes+1), "", "", 413, api.CodePayloadTooLarge},
		{zipped(`{"x":"` + strings.Repeat("x", api.MaxBodyBytes) + `"}`), "", "gzip", 413, api.CodePayloadTooLarge},
		{`{"x":"` + strings.Repeat("x", api.MaxBodyBytes-8) + `"}`, "", "", 200, ""},
	} {
		w.do("PUT", "/subscribers/"+doc(1), c.body, "Content-Type: "+c.media, "Content-Encoding: "+c.encoding).want(c.status, c.code)
	}
	w.do("GET", "/subscribers/"+doc(1), "").want(200).has(map[string]string{"subscriber.name": "Nova"})
}

func TestJSONIsReadStrictlyWhereItMattersAndKindlyElsewhere(t *testing.T) {
	w := newWorld(t)
	w.register(1, 1)
	for _, c := range []struct {
		body   string
		status int
		code   string
	}{
		{`{"name":"A"}`, 200, ""},
		{`{"Name":5,"NAME":[]}`, 200, ""},
		{`{"unknown":{"deep":[{}]}}`, 200, ""},
		{`{"n\u0061me":"A"}`, 200, ""},
		{`{"internet_speed_id":"3"}`, 200, ""},
		{`{"internet_speed_id":null,"customer_plan":null}`, 200, ""},
		{`{}`, 200, ""},
		{`{"name":"A","name":"A"}`, 400, api.CodeMalformedJSON},
		{`{"name":"A","n\u0061me":"B"}`, 400, api.CodeMalformedJSON},
		{`{"x":{"y":1,"y":1}}`, 400, api.CodeMalformedJSON},
		{`{"name":"A"} {}`, 400, api.CodeMalformedJSON},
		{`{"name":"A",}`, 400, api.CodeMalformedJSON},
		{"{\"name\":\"\xff\"}", 400, api.CodeMalformedJSON},
		{"\xef\xbb\xbf{}", 400, api.CodeMalformedJSON},
		{``, 400, api.CodeMalformedJSON},
		{`{"name":`, 400, api.CodeMalformedJSON},
		{strings.Repeat("[", 30000), 400, api.CodeMalformedJSON},
		{`{"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, 400, api.CodeMalformedJSON},
		{`{"name":5}`, 422, api.CodeValidationFailed},
		{`{"name":5,"x":}`, 400, api.CodeMalformedJSON},
		{`{"internet_speed_id":"3.0"}`, 422, api.CodeValidationFailed},
		{`{"internet_speed_id":99999999999999999999}`, 422, api.CodeValidationFailed},
		{`null`, 422, api.CodeValidationFailed},
	} {
		w.do("PUT", "/subscribers/"+doc(1), c.body, "Content-Type: application/json").want(c.status, c.code)
	}
}

package render_test

import (
	"bytes"
	"testing"

	"ativa/internal/render"
)

func TestAnErrorIsOneLineWithAHintOrOneJSONObject(t *testing.T) {
	whole := render.ErrorInfo{Code: "subscriber_exists", Message: "create subscriber: <exists>\nforged", HTTPStatus: 409,
		RequestID: "req_1", Hint: "ativa subscribers get DOC"}
	bare := render.ErrorInfo{Code: "unavailable", Message: "no network", Retryable: true}
	for _, c := range []struct {
		format string
		e      render.ErrorInfo
		want   string
	}{
		{"", whole, "ativa: create subscriber: <exists>\\nforged\nativa subscribers get DOC\n"},
		{render.FormatCSV, bare, "ativa: no network\n"},
		{render.FormatJSON, whole, `{"code":"subscriber_exists","message":"create subscriber: <exists>\nforged","http_status":409,` +
			`"request_id":"req_1","retryable":false,"hint":"ativa subscribers get DOC"}` + "\n"},
		{render.FormatJSONL, bare, `{"code":"unavailable","message":"no network","http_status":null,"request_id":null,"retryable":true,"hint":null}` + "\n"},
	} {
		var out bytes.Buffer
		if err := render.WriteError(&out, c.format, c.e); err != nil || out.String() != c.want {
			t.Errorf("%q: got\n%s, %v\nwant\n%s", c.format, out.String(), err, c.want)
		}
	}
}

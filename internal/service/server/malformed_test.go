package server_test

import (
	"strings"
	"testing"

	"ativa/internal/api"
)

// malformedCode is the code of the refusal of a body; the route requires a member that
// none of the bodies has, so that a body that is good JSON is refused as incomplete.
func malformedCode(f *fixture, body string) string {
	f.t.Helper()
	return f.do("POST", "/subscribers/import/validate", body).text("code")
}

// A body is one JSON document as RFC 8259 has it, also where its members are ignored.
func TestBodiesAreReadAsStrictlyAsRFC8259(t *testing.T) {
	f := newFixture(t)
	for _, s := range []string{
		`{}`, ` [ ] `, `null`, `true`, `false`, `""`, `0`, `-0`, `-1.5e+10`, `12E3`, `"\u00e9\n\"\\"`, `{"a":{"a":1},"b":[{"a":1}]}`,
		`{"":1}`, "\t{\r\n}", `[1,2,[3]]`, `"😀"`, `"\ud800"`, strings.Repeat("[", 63) + strings.Repeat("]", 63),
	} {
		for _, body := range []string{`{"x":` + s + `}`, s} {
			if got := malformedCode(f, body); got != api.CodeValidationFailed {
				t.Errorf("%s: got %s, want %s", body, got, api.CodeValidationFailed)
			}
		}
	}
	for _, s := range []string{
		``, ` `, `{`, `}`, `{]`, `[1,]`, `{"a":1,}`, `{"a"}`, `{"a":}`, `{a:1}`, `{'a':1}`, `{} {}`, `{}x`, `nul`, `nullx`, `TRUE`,
		`01`, `-`, `+1`, `1.`, `.5`, `1e`, `1e+`, `0x1`, `NaN`, `"`, `"\"`, `"\x"`, `"\u12"`, "\"\n\"", "\"\x00\"", "\"\xff\"",
		`[1 2]`, `["a":1]`, `{"a":1 "b":2}`, `/* */{}`, `{1:2}`,
		`{"a":1,"a":1}`, `{"x":{"a":1,"\u0061":2}}`, `[{"a":1,"b":2,"a":3}]`,
		strings.Repeat("[", 65) + strings.Repeat("]", 65),
	} {
		for _, body := range []string{`{"x":` + s + `}`, `{"subscribers":[` + s + `,]}`, `{"subscribers":[{"name":` + s + `}],}`, s} {
			if got := malformedCode(f, body); got != api.CodeMalformedJSON {
				t.Errorf("%q: got %s, want %s", body, got, api.CodeMalformedJSON)
			}
		}
	}
}

func TestEqualKeysAreFoundAmongMany(t *testing.T) {
	f := newFixture(t)
	var b strings.Builder
	for i := range 1000 {
		b.WriteString(`"k` + strings.Repeat("x", i) + `":1,`)
	}
	if got := malformedCode(f, `{`+b.String()+`"last":1}`); got != api.CodeValidationFailed {
		t.Errorf("different keys: got %s", got)
	}
	if got := malformedCode(f, `{`+b.String()+`"kxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx":1}`); got != api.CodeMalformedJSON {
		t.Errorf("an equal key among a thousand: got %s", got)
	}
}

// PowerShell writes a byte order mark before the JSON that it saves, and no editor shows it.
func TestAByteOrderMarkIsAccepted(t *testing.T) {
	f := newFixture(t)
	for body, want := range map[string]string{
		"\ufeff{}": api.CodeValidationFailed, "\ufeff\ufeff{}": api.CodeMalformedJSON, "{}\ufeff": api.CodeMalformedJSON,
	} {
		if got := malformedCode(f, body); got != want {
			t.Errorf("%q: got %s, want %s", body, got, want)
		}
	}
}

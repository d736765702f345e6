package render_test

import (
	"testing"

	"ativa/internal/render"
)

// Only the text of an object's field response is replaced; the rest of a server's answer is
// unchanged.
func TestOnlyTheWordOfTheResponseIsReplaced(t *testing.T) {
	for doc, want := range map[string]string{
		`{"a":[1, 2],"response":"success"}`: `{"a":[1, 2],"response":"error"}`,
		`{"response":"success","b":null}`:   `{"response":"error","b":null}`,
		` {"response" : "success" , "é":1}`: ` {"response" : "error" , "é":1}`,
		`{"Response":"success"}`:            `{"Response":"success"}`,
		`{"response":7}`:                    `{"response":7}`,
		`["success"]`:                       `["success"]`,
		`{"response":"success"`:             `{"response":"success"`,
		``:                                  ``,
	} {
		if got, err := render.WithResponse([]byte(doc), "error"); err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v, want %s", doc, got, err, want)
		}
	}
}

package render_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"ativa/internal/failure"
	"ativa/internal/lang"
	"ativa/internal/render"
)

// The data may be personal or secret: an error of a filter or template says the kind of a value, not
// the value, whatever text is in it.
func TestAnErrorOfAQueryHoldsNoData(t *testing.T) {
	const document = `{"name":"Ana) and string (\"Bia) cannot be applied to: null: string","n":4711,"all":["Ana"],"one":{"k":"Ana"}}`
	jq, template := func(s string) render.Options { return render.Options{JQ: s} }, func(s string) render.Options { return render.Options{Template: s} }
	for _, c := range []struct {
		options render.Options
		want    string
	}{
		{jq(".name[]"), "cannot iterate over: string"},
		{jq(".name[{}]"), `expected "start" and "end" for slicing but got: object`},
		{jq(".name + .one"), "cannot add: string and object"},
		{jq(".n / (.n - .n)"), "cannot divide number by: number"},
		{jq(".name | tonumber"), "tonumber cannot be applied"},
		{jq(".name | @base64d"), "@base64d cannot be applied"},
		{jq("match(.name)"), "match cannot be applied to: object"},
		{jq(`.name | test("[" + .)`), "invalid regular expression"},
		{jq(".name * 1e10"), "repeat string result too large"},
		{jq("[.one] | @csv"), "@csv cannot format an array including: object"},
		{jq("format(.name)"), "format not defined"},
		{jq(`error("no name")`), "error: no name"},
		{template("{{range .name}}{{.}}{{end}}"), "range can't iterate over the value"},
		{template("{{eq .one .one}}"), "error calling eq: non-comparable type"},
	} {
		err := render.Raw(t.Context(), io.Discard, c.options, []byte(document))
		if err == nil {
			t.Errorf("%s%s: got no error", c.options.JQ, c.options.Template)
			continue
		}
		text := failure.Text(lang.English, err)
		if f, ok := errors.AsType[*failure.Failure](err); !ok || f.Code != "query_failed" || !strings.Contains(text, c.want) || strings.Contains(text, "Ana") || strings.Contains(text, "Bia") || strings.Contains(text, "4711") {
			t.Errorf("%s%s: got %q, want %q and no data", c.options.JQ, c.options.Template, text, c.want)
		}
	}
}

package server_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"html/template"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"ativa/internal/api"
	"ativa/internal/api/apicheck"
)

var update = flag.Bool("update", false, "write generated files anew")

func TestDocsMatchTheDescription(t *testing.T) {
	const file = "docs.html"
	want := docs(t)
	if *update {
		must(t, os.WriteFile(file, want, 0o644))
	}
	got, err := os.ReadFile(file)
	must(t, err)
	if !bytes.Equal(got, want) {
		t.Errorf("%s is stale; run go test ./internal/service/server -run Docs -update", file)
	}
}

func TestDocsLoadNothing(t *testing.T) {
	f := newParallelFixture(t)
	r := f.do("GET", "/docs", "", "Authorization").want(200)
	for _, bad := range []string{"src=", "href=\"http", "href=\"//", "<link", "@import", "url(", "fetch(", "eval(", ".innerHTML"} {
		if strings.Contains(string(r.body), bad) {
			t.Errorf("the page holds %s", bad)
		}
	}
	policy := regexp.MustCompile(`^default-src 'none'; style-src 'sha256-[^']{44}'; script-src 'sha256-[^']{44}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$`)
	if p := r.header.Get("Content-Security-Policy"); !policy.MatchString(p) {
		t.Errorf("policy: got %s", p)
	}
	for _, want := range []string{"/subscribers/import", "idempotency_key_reused", "Idempotency-Key"} {
		if !strings.Contains(string(r.body), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// docCall is a call of the page. A webhook has no path: the server calls the receiver.
type docCall struct {
	Method, Path string
	*openapi3.Operation
	All openapi3.Parameters // of the call and its path
}

// docField is a field of a shape.
type docField struct {
	Name     string
	Required bool
	Schema   *openapi3.SchemaRef
}

func docs(t *testing.T) []byte {
	t.Helper()
	d, err := apicheck.Description()
	must(t, err)
	asset := func(name string) string {
		text, err := os.ReadFile("testdata/" + name)
		must(t, err)
		return "\n" + string(text)
	}
	page := template.Must(template.New("docs.html.tmpl").Funcs(template.FuncMap{
		"calls": func(tag string) []docCall { return callsOf(d, tag) }, "typeOf": typeOf, "bodies": bodiesOf, "fields": fieldsOf, "prose": prose, "paragraphs": paragraphs,
	}).ParseFiles("testdata/docs.html.tmpl"))
	var b bytes.Buffer
	err = page.Execute(&b, map[string]any{
		"D": d, "Style": template.CSS(asset("docs.css")), "Script": template.JS(asset("docs.js")), "Login": login,
	})
	must(t, err)
	return b.Bytes()
}

// callsOf returns the calls of a tag in the order of the file.
func callsOf(d *openapi3.T, tag string) (all []docCall) {
	place := func(path string) int { return strings.Index(api.OpenAPI(), "\n  "+path+":\n") }
	paths := slices.SortedFunc(maps.Keys(d.Paths.Map()), func(a, b string) int { return place(a) - place(b) })
	for _, path := range paths {
		item := d.Paths.Value(path)
		for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
			if o := item.GetOperation(method); o != nil && slices.Contains(o.Tags, tag) {
				all = append(all, docCall{method, path, o, slices.Concat(item.Parameters, o.Parameters)})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Webhooks)) {
		if o := d.Webhooks[name].Post; slices.Contains(o.Tags, tag) {
			all = append(all, docCall{"POST", "", o, o.Parameters})
		}
	}
	return all
}

// Scope names the scopes that allow a call, or "" for a call without a token.
func (c docCall) Scope() string {
	var scopes []string
	if c.Security != nil {
		for _, alternative := range *c.Security {
			scopes = append(scopes, alternative["bearer"]...)
		}
	}
	return strings.Join(scopes, " or ")
}

// bodiesOf names the types of a body.
func bodiesOf(content openapi3.Content) template.HTML {
	var bodies []string
	for _, media := range slices.Sorted(maps.Keys(content)) {
		if strings.Contains(media, "json") {
			bodies = append(bodies, string(typeOf(content[media].Schema)))
		} else {
			bodies = append(bodies, template.HTMLEscapeString(media))
		}
	}
	return template.HTML(strings.Join(bodies, ", "))
}

// typeOf names the type of a value, with links to the shapes.
func typeOf(r *openapi3.SchemaRef) template.HTML {
	if name, ok := strings.CutPrefix(r.Ref, "#/components/schemas/"); ok {
		return template.HTML(`<a href="#` + name + `">` + name + `</a>`)
	}
	s := r.Value
	if s.Items != nil {
		return "array of " + typeOf(s.Items)
	}
	var parts []string
	for _, part := range slices.Concat(s.OneOf, s.AnyOf, s.AllOf) {
		parts = append(parts, string(typeOf(part)))
	}
	if parts != nil {
		return template.HTML(strings.Join(parts, " or "))
	}
	if s.Enum != nil {
		for _, v := range s.Enum {
			text, _ := json.Marshal(v)
			parts = append(parts, "<code>"+template.HTMLEscapeString(strings.Trim(string(text), `"`))+"</code>")
		}
		return template.HTML(strings.Join(parts, ", "))
	}
	if s.Type == nil {
		return "anything"
	}
	return template.HTML(template.HTMLEscapeString(strings.Join(s.Type.Slice(), " or ")))
}

// fieldsOf returns the fields of a shape, including those of its inline parts.
func fieldsOf(s *openapi3.Schema) (all []docField) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		all = append(all, docField{name, slices.Contains(s.Required, name), s.Properties[name]})
	}
	for _, part := range s.AllOf {
		if part.Ref == "" {
			all = append(all, fieldsOf(part.Value)...)
		}
	}
	return all
}

func paragraphs(s string) (all []template.HTML) {
	for p := range strings.SplitSeq(strings.TrimSpace(s), "\n\n") {
		if p != "" {
			all = append(all, prose(p))
		}
	}
	return all
}

var emphasis = regexp.MustCompile(`\*(\w+)\*`)

// prose returns a paragraph with its code marked, and a list as a list.
func prose(s string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(template.HTMLEscapeString(strings.TrimSpace(s)), "`") {
		if i%2 == 1 {
			part = "<code>" + part + "</code>"
		}
		b.WriteString(part)
	}
	text := emphasis.ReplaceAllString(b.String(), "<em>$1</em>")
	if list, ok := strings.CutPrefix(text, "- "); ok {
		return template.HTML("<ul><li>" + strings.ReplaceAll(list, "\n- ", "</li><li>") + "</li></ul>")
	}
	return template.HTML(text)
}

// login sets the bearer token of the page's requests.
const login = `BEARER=$(curl -sS "$SERVER/authenticate" -H 'Content-Type: application/json' \
  -d '{"access_token":"'"$ACCESS_TOKEN"'"}' | jq -r .authorization.token)`

// Success returns the status of a successful call, and an example of its response.
func (c docCall) Success() (status, example string) {
	for status, r := range c.Responses.Map() {
		if status[0] == '2' {
			return status, exampleOf(r.Value.Content)
		}
	}
	return "", ""
}

// Answer returns an example of the response of a call.
func (c docCall) Answer() string {
	_, example := c.Success()
	return example
}

// exampleOf returns the JSON example of a body, or "".
func exampleOf(content openapi3.Content) string {
	body := content.Get(api.MediaJSON)
	if body == nil || body.Example == nil {
		return ""
	}
	text, _ := json.MarshalIndent(body.Example, "", "  ")
	return string(text)
}

// Request returns a call as a shell command. A value without an example, or an example named like a
// variable, is a variable of the shell. A webhook is its body.
func (c docCall) Request() string {
	if c.Path == "" {
		return exampleOf(c.RequestBody.Value.Content)
	}
	target, query, headers := c.Path, url.Values{}, []string{}
	if c.Scope() != "" {
		headers = append(headers, `-H "Authorization: Bearer $BEARER"`)
	}
	var body string
	if c.RequestBody != nil {
		headers = append(headers, `-H 'Content-Type: application/json'`)
		body = "-d " + quotedBody(exampleOf(c.RequestBody.Value.Content))
	}
	for _, p := range c.All {
		variable := "$" + strings.ToUpper(strings.ReplaceAll(p.Value.Name, "-", "_"))
		switch {
		case p.Value.In == openapi3.ParameterInPath && p.Value.Example == nil:
			target = strings.Replace(target, "{"+p.Value.Name+"}", variable, 1)
		case p.Value.In == openapi3.ParameterInPath:
			target = strings.Replace(target, "{"+p.Value.Name+"}", fmt.Sprint(p.Value.Example), 1)
		case p.Value.In == openapi3.ParameterInQuery && p.Value.Example != nil:
			query.Set(p.Value.Name, fmt.Sprint(p.Value.Example))
		case p.Value.Name == api.HeaderIdempotencyKey:
			headers = append(headers, "-H '"+api.HeaderIdempotencyKey+": "+c.OperationID+"-1'")
		case p.Value.In == openapi3.ParameterInHeader && p.Value.Required:
			headers = append(headers, `-H "`+p.Value.Name+": "+variable+`"`)
		}
	}
	if len(query) > 0 {
		target += "?" + strings.NewReplacer("%24", "$", "%2F", "/").Replace(query.Encode())
	}
	command := `curl "$SERVER` + target + `"`
	if c.Method != "GET" {
		command = "curl -X " + c.Method + ` "$SERVER` + target + `"`
	}
	return strings.Join(slices.DeleteFunc(append(append([]string{command}, headers...), body), func(s string) bool { return s == "" }), " \\\n  ")
}

// quotedBody returns a body in single quotes, except for shell variables.
func quotedBody(example string) string {
	var short bytes.Buffer
	if _ = json.Compact(&short, []byte(example)); short.Len() <= 80 {
		example = short.String()
	}
	return "'" + regexp.MustCompile(`"(\$[A-Z_]+)"`).ReplaceAllString(example, `"'"$1"'"`) + "'"
}

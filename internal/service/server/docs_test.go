package server_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"html/template"
	"maps"
	"os"
	"path"
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
		"calls": func(tag string) []docCall { return callsOf(d, tag) },
		"shape": path.Base, "contains": slices.Contains[[]string],
		"prose": prose, "paragraphs": paragraphs,
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

// operations returns the calls that the server answers.
func operations(d *openapi3.T) (all []docCall) {
	for _, tag := range d.Tags {
		all = append(all, callsOf(d, tag.Name)...)
	}
	return slices.DeleteFunc(all, func(c docCall) bool { return c.Path == "" })
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

func paragraphs(s string) (all []template.HTML) {
	for p := range strings.SplitSeq(strings.TrimSpace(s), "\n\n") {
		if p != "" {
			all = append(all, prose(p))
		}
	}
	return all
}

var (
	emphasis = regexp.MustCompile(`\*(\w+)\*`)
	code     = regexp.MustCompile("`([^`]*)`")
)

// prose returns a paragraph with its code marked, and a list as a list.
func prose(s string) template.HTML {
	text := code.ReplaceAllString(template.HTMLEscapeString(strings.TrimSpace(s)), "<code>$1</code>")
	text = emphasis.ReplaceAllString(text, "<em>$1</em>")
	if list, ok := strings.CutPrefix(text, "- "); ok {
		text = "<ul><li>" + strings.ReplaceAll(list, "\n- ", "</li><li>") + "</li></ul>"
	}
	return template.HTML(text)
}

// login sets the bearer token of the page's requests.
const login = `BEARER=$(curl -sS "$SERVER/authenticate" -H 'Content-Type: application/json' \
  -d '{"access_token":"'"$ACCESS_TOKEN"'"}' | jq -r .authorization.token)`

// docResponse is the response to a successful call. Example is "" for a body that is not JSON.
type docResponse struct{ Status, Example string }

// Success returns the response to a successful call, or none for a webhook without one.
func (c docCall) Success() (success docResponse) {
	for status, r := range c.Responses.Map() {
		if status[0] == '2' {
			success = docResponse{status, exampleOf(r.Value.Content)}
		}
	}
	return success
}

// exampleOf returns the JSON example of a body, in one line if it is short, or "".
func exampleOf(content openapi3.Content) string {
	body := content.Get(api.MediaJSON)
	if body == nil || body.Example == nil {
		return ""
	}
	text, _ := json.Marshal(body.Example)
	if len(text) > 80 {
		text, _ = json.MarshalIndent(body.Example, "", "  ")
	}
	return string(text)
}

// docRequest is the example of a request, with variables of the shell.
type docRequest struct {
	method, target string
	headers        []string
	body           string
}

// Request returns the example of a call. A value without an example is a variable.
func (c docCall) Request() docRequest {
	r := docRequest{method: c.Method, target: c.Path}
	if c.Scope() != "" {
		r.headers = append(r.headers, "Authorization: Bearer $BEARER")
	}
	if c.RequestBody != nil {
		r.headers = append(r.headers, "Content-Type: "+api.MediaJSON)
		r.body = exampleOf(c.RequestBody.Value.Content)
	}
	var query []string
	for _, ref := range c.All {
		p, value := ref.Value, "$"+strings.ToUpper(strings.ReplaceAll(ref.Value.Name, "-", "_"))
		if p.Example != nil {
			value = fmt.Sprint(p.Example)
		}
		switch {
		case p.In == openapi3.ParameterInPath:
			r.target = strings.Replace(r.target, "{"+p.Name+"}", value, 1)
		case p.In == openapi3.ParameterInQuery && p.Example != nil:
			query = append(query, p.Name+"="+value)
		case p.Name == api.HeaderIdempotencyKey:
			r.headers = append(r.headers, p.Name+": "+c.OperationID+"-1")
		case p.In == openapi3.ParameterInHeader && p.Required:
			r.headers = append(r.headers, p.Name+": "+value)
		}
	}
	if query != nil {
		r.target += "?" + strings.Join(query, "&")
	}
	return r
}

var variable = regexp.MustCompile(`"(\$[A-Z_]+)"`)

// String returns a request as a shell command, and that of a webhook as its body.
func (r docRequest) String() string {
	if r.target == "" {
		return r.body
	}
	command := `curl "$SERVER` + r.target + `"`
	if r.method != "GET" {
		command = "curl -X " + r.method + ` "$SERVER` + r.target + `"`
	}
	for _, header := range r.headers {
		command += " \\\n  -H \"" + header + `"`
	}
	if r.body != "" {
		command += " \\\n  -d '" + variable.ReplaceAllString(r.body, `"'"$1"'"`) + "'"
	}
	return command
}

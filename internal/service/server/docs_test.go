package server_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"html/template"
	"maps"
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

func TestDocsAreThoseOfTheDescription(t *testing.T) {
	const file = "docs.html"
	want := docs(t)
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is stale; run go test ./internal/service/server -run Docs -update", file)
	}
}

func TestDocsNeedNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
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

// What the page shows of the description.
type (
	docTag struct {
		Name  string
		Text  template.HTML
		Calls []docCall
	}
	docCall struct {
		ID, Method, Path, Summary string
		Scope                     string
		Open                      bool
		Text                      []template.HTML
		Parameters                []docParameter
		Body                      template.HTML
		Examples                  []docExample
		Responses                 []docResponse
	}
	// docExample is a request as it is typed, and what it returns.
	docExample struct {
		Name, Request, Status, Answer string
	}
	docParameter struct {
		Name, In string
		Text     template.HTML
	}
	docResponse struct {
		Status     string
		Text, Body template.HTML
	}
	docShape struct {
		Name   string
		Text   []template.HTML
		Is     template.HTML
		Fields []docField
	}
	docField struct {
		Name     string
		Required bool
		Is, Text template.HTML
	}
)

func docs(t *testing.T) []byte {
	t.Helper()
	d, err := apicheck.Description()
	if err != nil {
		t.Fatal(err)
	}
	page := template.Must(template.ParseFiles("testdata/docs.html.tmpl"))
	var tags []docTag
	for _, tag := range d.Tags {
		tags = append(tags, docTag{tag.Name, prose(tag.Description), callsOf(d, tag.Name)})
	}
	var shapes []docShape
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		s := d.Components.Schemas[name].Value
		shapes = append(shapes, docShape{Name: name, Text: paragraphs(s.Description), Is: kind(s), Fields: fieldsOf(s)})
	}
	var b bytes.Buffer
	err = page.Execute(&b, map[string]any{
		"Title": d.Info.Title, "Summary": d.Info.Summary, "Intro": paragraphs(d.Info.Description), "Tags": tags, "Shapes": shapes,
		"Style": template.CSS(asset(t, "docs.css")), "Script": template.JS(asset(t, "docs.js")), "Login": login,
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asset(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return "\n" + string(text)
}

// callsOf are the calls of a tag in the order of the file.
func callsOf(d *openapi3.T, tag string) (all []docCall) {
	place := func(path string) int { return strings.Index(api.OpenAPI(), "\n  "+path+":\n") }
	paths := slices.SortedFunc(maps.Keys(d.Paths.Map()), func(a, b string) int { return place(a) - place(b) })
	for _, path := range paths {
		item := d.Paths.Value(path)
		for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
			if o := item.GetOperation(method); o != nil && slices.Contains(o.Tags, tag) {
				all = append(all, callOf(method, path, o, slices.Concat(item.Parameters, o.Parameters)))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Webhooks)) { // the calls that the receiver gets
		if o := d.Webhooks[name].Post; slices.Contains(o.Tags, tag) {
			call := callOf("POST", "your URL", o, o.Parameters)
			call.Examples = []docExample{{Name: "the body", Request: indented(exampleOf(o.RequestBody.Value.Content.Get(api.MediaJSON)))}}
			all = append(all, call)
		}
	}
	return all
}

func callOf(method, path string, o *openapi3.Operation, parameters openapi3.Parameters) docCall {
	out := docCall{
		ID: o.OperationID, Method: method, Path: path, Summary: o.Summary, Text: paragraphs(o.Description),
		Open: o.Security != nil && len(*o.Security) == 0, Examples: examplesOf(method, path, o, parameters),
	}
	if !out.Open {
		var scopes []string
		for _, alternative := range *o.Security {
			scopes = append(scopes, alternative["bearer"]...)
		}
		out.Scope = strings.Join(scopes, " or ")
	}
	for _, p := range parameters {
		out.Parameters = append(out.Parameters, docParameter{p.Value.Name, p.Value.In, prose(p.Value.Description)})
	}
	if o.RequestBody != nil {
		out.Body = typeOf(o.RequestBody.Value.Content.Get(api.MediaJSON).Schema)
	}
	for _, status := range slices.Sorted(maps.Keys(o.Responses.Map())) {
		r := o.Responses.Value(status).Value
		var bodies []string
		for _, media := range slices.Sorted(maps.Keys(r.Content)) {
			if body := string(typeOf(r.Content[media].Schema)); strings.Contains(media, "json") {
				bodies = append(bodies, body)
			} else {
				bodies = append(bodies, template.HTMLEscapeString(media))
			}
		}
		out.Responses = append(out.Responses, docResponse{status, prose(*r.Description), template.HTML(strings.Join(bodies, ", "))})
	}
	return out
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

// kind says what a shape is when it is no list of fields of its own.
func kind(s *openapi3.Schema) template.HTML {
	if len(s.Properties) > 0 {
		return ""
	}
	return typeOf(&openapi3.SchemaRef{Value: s})
}

// fieldsOf are the fields of a shape, those that its inline parts add included.
func fieldsOf(s *openapi3.Schema) (all []docField) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		text := ""
		if p.Ref == "" {
			text = p.Value.Description
		}
		all = append(all, docField{name, slices.Contains(s.Required, name), typeOf(p), prose(text)})
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

// prose is a paragraph with its code marked, and its list as a list.
var emphasis = regexp.MustCompile(`\*(\w+)\*`)

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

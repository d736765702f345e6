package server_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"ativa/internal/api"
)

// login is how the page gets the bearer token of its requests.
const login = `BEARER=$(curl -sS "$SERVER/authenticate" -H 'Content-Type: application/json' \
  -d '{"access_token":"'"$ACCESS_TOKEN"'"}' | jq -r .authorization.token)`

// examplesOf is the example of a call.
func examplesOf(method, path string, o *openapi3.Operation, parameters openapi3.Parameters) []docExample {
	status, answer := answerOf(o)
	return []docExample{{Request: requestOf(method, path, o, parameters), Status: status, Answer: indented(answer)}}
}

// successOf is the response of a call that did what it should.
func successOf(o *openapi3.Operation) *openapi3.Response {
	status, _ := successStatus(o)
	return o.Responses.Value(status).Value
}

func successStatus(o *openapi3.Operation) (string, bool) {
	for status := range o.Responses.Map() {
		if status[0] == '2' {
			return status, true
		}
	}
	return "", false
}

func answerOf(o *openapi3.Operation) (status string, answer any) {
	status, _ = successStatus(o)
	return status, exampleOf(successOf(o).Content.Get(api.MediaJSON))
}

func exampleOf(content *openapi3.MediaType) any {
	if content == nil {
		return nil
	}
	return content.Example
}

// requestOf is a call as it is typed into a shell. What has no example is a
// variable of the shell, and so is an example that is named like one.
func requestOf(method, path string, o *openapi3.Operation, parameters openapi3.Parameters) string {
	target, query, headers := path, url.Values{}, []string{}
	if o.Security == nil || len(*o.Security) > 0 {
		headers = append(headers, `-H "Authorization: Bearer $BEARER"`)
	}
	var body string
	if o.RequestBody != nil {
		headers = append(headers, `-H 'Content-Type: application/json'`)
		body = "-d " + quotedBody(exampleOf(o.RequestBody.Value.Content.Get(api.MediaJSON)))
	}
	for _, p := range parameters {
		variable := "$" + strings.ToUpper(strings.ReplaceAll(p.Value.Name, "-", "_"))
		switch {
		case p.Value.In == openapi3.ParameterInPath && p.Value.Example == nil:
			target = strings.Replace(target, "{"+p.Value.Name+"}", variable, 1)
		case p.Value.In == openapi3.ParameterInPath:
			target = strings.Replace(target, "{"+p.Value.Name+"}", fmt.Sprint(p.Value.Example), 1)
		case p.Value.In == openapi3.ParameterInQuery && p.Value.Example != nil:
			query.Set(p.Value.Name, fmt.Sprint(p.Value.Example))
		case p.Value.Name == api.HeaderIdempotencyKey:
			headers = append(headers, "-H '"+api.HeaderIdempotencyKey+": "+o.OperationID+"-1'")
		case p.Value.In == openapi3.ParameterInHeader && p.Value.Required:
			headers = append(headers, `-H "`+p.Value.Name+": "+variable+`"`)
		}
	}
	if len(query) > 0 {
		target += "?" + strings.NewReplacer("%24", "$", "%2F", "/").Replace(query.Encode())
	}
	command := `curl "$SERVER` + target + `"`
	if method != "GET" {
		command = "curl -X " + method + ` "$SERVER` + target + `"`
	}
	return strings.Join(slices.DeleteFunc(append(append([]string{command}, headers...), body), func(s string) bool { return s == "" }), " \\\n  ")
}

// quotedBody is a body between single quotes, but for variables of the shell.
func quotedBody(example any) string {
	text, _ := json.Marshal(example)
	if len(text) > 80 {
		text = []byte(indented(example))
	}
	return "'" + regexp.MustCompile(`"(\$[A-Z_]+)"`).ReplaceAllString(string(text), `"'"$1"'"`) + "'"
}

func indented(example any) string {
	if example == nil {
		return ""
	}
	text, _ := json.MarshalIndent(example, "", "  ")
	return string(text)
}

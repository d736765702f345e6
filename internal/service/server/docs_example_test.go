package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"ativa/internal/api"
)

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

package server

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"net/http"
	"strings"

	"ativa/internal/api"
)

// docsHTML is openapi.yaml as a page. `go test ./internal/service/server -run Docs
// -update` writes it, so that the server does not read YAML.
//
//go:embed docs.html
var docsHTML []byte

func (s *Server) docs(c *requestContext) error {
	c.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'sha256-"+hashOf(docsHTML, "style")+
		"'; script-src 'sha256-"+hashOf(docsHTML, "script")+"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	return c.send(http.StatusOK, "text/html; charset=utf-8", docsHTML)
}

// hashOf returns the hash with which a content security policy allows an element of the page.
func hashOf(page []byte, element string) string {
	_, rest, _ := strings.Cut(string(page), "<"+element+">")
	text, _, _ := strings.Cut(rest, "</"+element+">")
	return contentHash(text)
}

func (s *Server) openAPI(c *requestContext) error {
	return c.send(http.StatusOK, "application/yaml", []byte(api.OpenAPI()))
}

func contentHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

package server

import (
	_ "embed"
	"net/http"
	"strings"
)

// docsHTML is openapi.yaml for people. It is written by
// `go test ./internal/server -run Docs -update`, so that the server need not
// read YAML.
//
//go:embed docs.html
var docsHTML []byte

// docs answers with the description of the API as a page.
func (s *Server) docs(x *exchange) error {
	x.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'sha256-"+styleHash(styleOf(docsHTML))+
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	return x.send(http.StatusOK, "text/html; charset=utf-8", docsHTML)
}

// styleOf is the style sheet within a page.
func styleOf(page []byte) string {
	_, rest, _ := strings.Cut(string(page), "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	return style
}

package server

import (
	"ativa/internal/api"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
)

// docsHTML is openapi.yaml as a page. `go test ./internal/server -run Docs
// -update` writes it, so that the server does not read YAML.
//
//go:embed docs.html
var docsHTML []byte

func (s *Server) docs(c *requestContext) error {
	c.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'sha256-"+styleHash(styleOf(docsHTML))+
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	return c.send(http.StatusOK, "text/html; charset=utf-8", docsHTML)
}

func styleOf(page []byte) string {
	_, rest, _ := strings.Cut(string(page), "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	return style
}

func (s *Server) openAPI(c *requestContext) error {
	c.Header().Set("Content-Type", "application/yaml")
	_, _ = io.WriteString(c, api.OpenAPI())
	return nil
}

func styleHash(css string) string {
	sum := sha256.Sum256([]byte(css))
	return base64.StdEncoding.EncodeToString(sum[:])
}

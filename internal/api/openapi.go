// Package api is the wire contract of the subscriber and service provisioning
// API: paths, JSON types, constants, headers and limits, as api.md and
// decisions.md specify them.
//
// It decides how values are named and encoded. It refuses to know rules of
// provisioning, status transitions and HTTP statuses. The server writes exactly
// these types; the command line also reads other servers, so the small types
// ([Int], [Flag], [Time], [List]) decode more forms than they encode.
package api

import _ "embed"

//go:embed openapi.yaml
var openAPI string

// OpenAPI returns the description of the API as OpenAPI 3.1 in YAML.
func OpenAPI() string { return openAPI }

package api

import _ "embed"

//go:embed openapi.yaml
var openAPI string

// OpenAPI returns the description of the API, OpenAPI 3.1 in YAML.
func OpenAPI() string { return openAPI }

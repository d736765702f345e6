// Package server is the HTTP side of the service: it turns requests into calls
// of packages rules, accounts and reports, and their results into the shapes of
// package api.
//
// It decides what HTTP alone can decide: routes, authentication of a request,
// how strictly a body is read, status codes and headers, pages and their
// links, the response to a repeated Idempotency-Key, and the activation page.
// It does not know the rules of provisioning, SQL, or who delivers e-mails.
// The specification is api.md and decisions.md, cited by section.
package server

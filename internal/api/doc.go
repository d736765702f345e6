// Package api is the wire contract of the subscriber and service provisioning
// API: paths, JSON shapes, words, headers and limits, as api.md and
// decisions.md write them.
//
// It decides how things are spelt and encoded, and nothing else: it knows no
// rule of provisioning, no status transition and no HTTP status. The server
// writes exactly these shapes; the command line also reads servers that are
// not ours, so the small types ([Int], [Flag], [Time], [List]) decode more
// forms than they encode.
package api

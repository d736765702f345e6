// Package render writes rows and documents in the format that the user chose: a
// table on a terminal, TSV in a pipe, or JSON, JSON lines, CSV, YAML, names, a
// jq filter or a template (cli.md, Output).
//
// It decides how rows look and what is safe to show: every text from outside
// passes [Sanitise] before a terminal shows it. It refuses to know where rows
// come from and what a status means beyond its colour; titles are the caller's.
//
// Lists are streamed. JSON, JSON lines, CSV, TSV, YAML and names need constant
// memory; a table buffers at most a few hundred rows; sorting, jq and templates
// over one document need all rows.
package render

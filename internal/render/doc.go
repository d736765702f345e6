// Package render shows what the API answered: as a table on a terminal, as
// TSV where that is piped, and as JSON, JSON lines, CSV, YAML, names, a jq
// filter or a template where that is asked for (cli.md, Output).
//
// It decides how things look and what is safe to show: every text from outside
// passes the one sanitiser, [Safe], before a terminal sees it. It refuses to
// know where rows come from, what a status means beyond its colour, which flags
// exist, and any language: titles and messages are the caller's.
//
// Lists are streamed. JSON, JSON lines, CSV, TSV, YAML and names need constant
// memory; a table holds back at most a few hundred rows; sorting, jq and
// templates over one document need all of it.
package render

// Package csvfile turns a messy spreadsheet into checked rows with true line
// numbers (cli.md, Import). It decides how a file is encoded and delimited,
// which column is which field, what damage of Excel can be mended for certain
// and what must be refused, and which lines belong together.
//
// It refuses to know what happens to a row afterwards: it speaks to no server,
// keeps no journal and prints nothing. Memory does not grow with the file, a
// temporary file aside that keeps sixteen bytes a row to find duplicates.
//
// The order of work is [Open], [File.Check] over the whole file, then
// [File.Rows] as often as wanted.
package csvfile

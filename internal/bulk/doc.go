// Package bulk sends many rows: it decides how they are cut into batches, how
// many are under way at once, what is done when a batch is too large or gets
// no answer, and in which order the outcomes come back. It refuses to know how
// a spreadsheet is read, how a request travels and what is printed.
package bulk

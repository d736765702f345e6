// Package bulk sends many rows so that none is lost and none is done twice
// (cli.md, Import, points 3 and 4). It decides how rows are cut into batches,
// how many are under way at once and how fast they go, what is done when a
// batch is too large, refused as a whole or gets no answer, what the journal
// holds and how an interrupted run goes on, and in which order the outcomes
// come back.
//
// It refuses to know how a spreadsheet is read, how a request travels and what
// is printed.
package bulk

package store

import "testing"

// After the query has returned, the targets of scan belong to the caller.
func TestNoRowIsScannedForACallerThatReturned(t *testing.T) {
	scanned := 0
	read := &sharedRead{scan: func(row) error { scanned++; return nil }}
	if err := read.scanRow(nil); err != nil || scanned != 1 {
		t.Fatalf("got %d rows, %v, want 1", scanned, err)
	}
	read.abandon()
	if err := read.scanRow(nil); err == nil || scanned != 1 {
		t.Errorf("got %d rows, %v, want an error and no other row", scanned, err)
	}
}

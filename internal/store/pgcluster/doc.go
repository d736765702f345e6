// Package pgcluster starts a private PostgreSQL of the installed binaries, which
// is gone when the process is. Tests and the benchmark import it, the program
// does not.
package pgcluster

import "errors"

// ErrNotInstalled says that there is no PostgreSQL on this machine.
var ErrNotInstalled = errors.New("PostgreSQL is not installed (initdb is not in PATH, nor below /usr/lib/postgresql)")

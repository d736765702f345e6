package store_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// childDB is the variable with the database of a child: a test that another test runs as a process.
const childDB = "ATIVA_CHILD_DB"

// childPath returns the database of this child. It skips the test if it does not run as one.
func childPath(t *testing.T) string {
	t.Helper()
	path := os.Getenv(childDB)
	if path == "" {
		t.Skip("it is run by another test")
	}
	return path
}

// traced runs a child on a database under strace and returns its output. It skips the test if strace
// is missing or may not trace.
func traced(t *testing.T, child, path string, options ...string) string {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	options = append(options, os.Args[0], "-test.run", "^"+child+"$")
	c := exec.Command(strace, append([]string{"-f", "-qq"}, options...)...)
	c.Env = append(os.Environ(), childDB+"="+path, "ATIVA_TEST_ENGINE=sqlite")
	out, err := c.CombinedOutput()
	if err != nil && strings.Contains(string(out), "Operation not permitted") {
		t.Skip("strace may trace nothing here")
	}
	if err != nil {
		t.Fatalf("%s: %v: %s", options, err, out)
	}
	return string(out)
}

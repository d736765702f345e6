package store_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// childDB is the variable with the database of a child: a test that runs itself as a process.
const childDB = "ATIVA_CHILD_DB"

// asChild runs child on its database, and exits, if this process was started by traced.
func asChild(child func(path string)) {
	if path := os.Getenv(childDB); path != "" {
		child(path)
		os.Exit(0) // without closing the database: the next process finds what the disk holds
	}
}

// traced runs the child of this test on a database under strace and returns its output. It skips the
// test if strace is missing or may not trace.
func traced(t *testing.T, path string, options ...string) string {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	options = append(options, os.Args[0], "-test.run", "^"+t.Name()+"$")
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

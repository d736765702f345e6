//go:build !unix

package pgtest

import "context"

// cluster is not to be had here.
type cluster struct{}

func start() (*cluster, error)                             { return nil, errNotInstalled }
func (*cluster) url(string) string                         { return "" }
func (*cluster) run(context.Context, string, string) error { return errNotInstalled }

// Pooled skips the test.
func Pooled(t TB, _ string) string {
	t.Helper()
	t.Skip(errNotInstalled)
	return ""
}

//go:build !unix

package pgtest

import "ativa/internal/store/pgcluster"

// Pooled skips the test.
func Pooled(t TB, _ string) string {
	t.Helper()
	t.Skip(pgcluster.ErrNotInstalled)
	return ""
}

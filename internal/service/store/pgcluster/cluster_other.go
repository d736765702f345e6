//go:build !unix

package pgcluster

import "context"

// Cluster is not available on this system.
type Cluster struct{ Port int }

// Start returns [ErrNotInstalled].
func Start(...string) (*Cluster, error) { return nil, ErrNotInstalled }

// Standby returns [ErrNotInstalled].
func Standby(*Cluster, int, ...string) (*Cluster, error) { return nil, ErrNotInstalled }

// Kill returns [ErrNotInstalled].
func (*Cluster) Kill() error { return ErrNotInstalled }

// URL returns the URL of a database.
func (*Cluster) URL(string) string { return "" }

// Run executes statements in a database.
func (*Cluster) Run(context.Context, string, string) error { return ErrNotInstalled }

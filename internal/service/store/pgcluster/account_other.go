//go:build !unix

package pgcluster

import "syscall"

// Account returns [ErrNotInstalled].
func Account(string) (*syscall.SysProcAttr, error) { return nil, ErrNotInstalled }

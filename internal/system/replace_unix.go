//go:build !windows

package system

func whenClosed(_ string, do func() error) error { return do() }

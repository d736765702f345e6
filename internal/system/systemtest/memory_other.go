//go:build !linux

package systemtest

// UseMemory does nothing: there is no directory that lies in memory everywhere.
func UseMemory() error { return nil }

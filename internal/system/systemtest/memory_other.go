//go:build !linux

package systemtest

// UseMemory does nothing, because these systems have no standard directory in memory.
func UseMemory() error { return nil }

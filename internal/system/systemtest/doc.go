// Package systemtest contains what tests of any package need: to end on an error, and to break the
// guarantees of package system.
package systemtest

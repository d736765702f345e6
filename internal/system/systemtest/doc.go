// Package systemtest contains what tests need to break the guarantees of package system.
package systemtest

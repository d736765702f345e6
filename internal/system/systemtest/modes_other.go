//go:build !linux

package systemtest

import "errors"

// ObeyModes returns an error, because it works only on Linux.
func ObeyModes() error { return errors.New("root cannot be kept from ignoring modes here") }

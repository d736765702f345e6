//go:build !linux

package systemtest

import "errors"

// ObeyModes is for Linux alone.
func ObeyModes() error { return errors.New("root cannot be kept from ignoring modes here") }

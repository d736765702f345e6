package system

import "golang.org/x/sys/windows"

// HideAfterStop does nothing: Windows stops no process.
func HideAfterStop(int) (stop func()) { return func() {} }

// DiscardInput discards what was typed at a console and not read yet.
func DiscardInput(fd int) error { return windows.FlushConsoleInputBuffer(windows.Handle(fd)) }

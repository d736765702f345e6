package system

// HideAfterStop does nothing: Windows stops no process.
func HideAfterStop(int) (stop func()) { return func() {} }

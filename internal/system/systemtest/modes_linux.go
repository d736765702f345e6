package systemtest

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// ObeyModes makes the programs that the calling goroutine starts from now on obey file modes even
// as root. It removes the capabilities to ignore them from the goroutine's thread, which ends with
// the goroutine.
func ObeyModes() error {
	if os.Geteuid() != 0 {
		return nil
	}
	runtime.LockOSThread()
	for _, capability := range []uintptr{unix.CAP_DAC_OVERRIDE, unix.CAP_DAC_READ_SEARCH} {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0); err != nil {
			return os.NewSyscallError("prctl", err)
		}
	}
	return nil
}

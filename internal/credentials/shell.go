package credentials

import (
	"context"
	"os/exec"
	"runtime"
)

// ShellCommand is a command line as the user would type it. The end of ctx stops it.
func ShellCommand(ctx context.Context, line string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		return exec.CommandContext(ctx, "cmd", "/C", line)
	}
	return exec.CommandContext(ctx, "sh", "-c", line)
}

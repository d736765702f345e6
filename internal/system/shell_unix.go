//go:build !windows

package system

import (
	"context"
	"os/exec"
)

// Shell runs a command line as the user would type it.
func Shell(ctx context.Context, line string) *exec.Cmd {
	return exec.CommandContext(ctx, "sh", "-c", line)
}

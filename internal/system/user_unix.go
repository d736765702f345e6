//go:build !windows

package system

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// Locale is the language that the user has chosen for the system, as pt-BR; empty
// where only the environment says it.
func Locale() string {
	if runtime.GOOS != "darwin" {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "/usr/bin/defaults", "read", "-g", "AppleLocale").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// TakesColours reports whether a terminal understands the escape sequences of
// colours, after asking it to. All of Unix do.
func TakesColours(*os.File) bool { return true }

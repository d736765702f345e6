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

// Locale returns the language that the user has chosen for the system, such as pt-BR; empty if
// only the environment defines it.
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

// TakesColours reports whether a terminal understands the escape sequences of colours, and enables
// them if necessary. All Unix terminals do.
func TakesColours(*os.File) bool { return true }

package processtest

import (
	"context"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Build builds a program of this module as releases are. It returns its path, beside the build cache, where go build leaves
// alone what is up to date, for linking takes seconds. flags are further flags of go build.
func Build(name, source string, flags ...string) (path string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	clone, err := os.Getwd()
	if err != nil {
		return "", err
	}
	path = filepath.Join(cache, "ativa-test", fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(clone))), name)
	args := append([]string{"build", "-trimpath", "-ldflags", "-s -w", "-o", path}, append(flags, source)...)
	c := exec.CommandContext(context.Background(), "go", args...)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w", out, err)
	}
	return path, nil
}

// Install puts a copy of the built program into a folder and returns its path. A later build does
// not change it, and it starts as an installed program does: what the linker wrote through a
// mapping lies in memory in small pieces, which costs a start a quarter more.
func Install(dir, name, source string) (path string, err error) {
	built, err := Build(name, source)
	if err != nil {
		return "", err
	}
	program, err := os.ReadFile(built)
	if err != nil {
		return "", err
	}
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	path = filepath.Join(dir, name)
	return path, os.WriteFile(path, program, 0o700)
}

// PutInPath makes the built program the ativa that [Fixture.Command] starts, and returns the
// folder that it is in.
func PutInPath(source string) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "ativa-bin-"); err != nil {
		return "", err
	}
	if _, err := Install(dir, "ativa", source); err != nil {
		return "", err
	}
	return dir, os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

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

// Build builds a program of this module like a release, with further flags of go build. The returned
// path is beside the build cache, so that a program that is up to date is not linked again.
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

// Install copies the built program into a directory and returns its path. A later build does not
// change the copy, and it starts as fast as an installed program: pages that the linker has written
// through a mapping are slower to load.
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

// PutInPath makes [Fixture.Command] start the built program, and returns the new directory in PATH
// that has it.
func PutInPath(source string) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "ativa-bin-"); err != nil {
		return "", err
	}
	if _, err := Install(dir, "ativa", source); err != nil {
		return "", err
	}
	return dir, os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

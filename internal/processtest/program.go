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

// PutInPath makes the built program the ativa that [Fixture.Command] starts. It is a copy, so that
// an edit made meanwhile does not change it. PutInPath returns the copy's folder.
func PutInPath(source string) (dir string, err error) {
	path, err := Build("ativa", source)
	if err != nil {
		return "", err
	}
	program, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if dir, err = os.MkdirTemp("", "ativa-bin-"); err != nil {
		return "", err
	}
	name := "ativa"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if err := os.WriteFile(filepath.Join(dir, name), program, 0o700); err != nil {
		return "", err
	}
	return dir, os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

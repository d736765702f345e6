//go:build linux

package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// container is an unpacked image.
type container struct {
	root   string
	config v1.Config
}

// inRoot starts its arguments from the third on in the root $1 as user $2, where only /data is
// writable: a container except for its isolation.
const inRoot = `mount --bind "$1" "$1" && mount --bind "$1/data" "$1/data" && mount -o remount,bind,ro "$1" &&
	exec /usr/sbin/chroot --userspec="$2" --groups= "$1" "${@:3}"`

// command returns a program of the image with the image's settings and further ones.
func (c *container) command(t *testing.T, args []string, more ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "unshare", append([]string{"--mount", "bash", "-c", inRoot, "bash", c.root, c.config.User}, args...)...)
	cmd.Env = append(append([]string{}, c.config.Env...), more...)
	return cmd
}

func unpacked(t *testing.T, path string) *container {
	t.Helper()
	img, err := tarball.ImageFromPath(path, nil)
	must(t, err)
	file, err := img.ConfigFile()
	must(t, err)
	layers := mutate.Extract(img)
	defer layers.Close()
	c := &container{root: t.TempDir(), config: file.Config}
	untar := exec.CommandContext(t.Context(), "tar", "-xp", "--numeric-owner", "-C", c.root)
	untar.Stdin = layers
	if out, err := untar.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return c
}

// The image runs with its settings: not as root, on a file system that is read-only except for
// /data. The health check reports its state, SIGTERM stops it cleanly, and the operator's
// commands work at the same time.
func TestReleaseImageServesAndStops(t *testing.T) {
	r := snapshot(t)
	c := unpacked(t, filepath.Join(r.dir, "ativa_"+r.version+"_linux_"+runtime.GOARCH+".image.tar"))
	checkFiles(t, c.root, "etc/ssl/certs/ca-certificates.crt", "usr/share/doc/ativa/copyright")

	serve := c.command(t, append(c.config.Entrypoint, c.config.Cmd...), "ATIVA_LISTEN=127.0.0.1:0") // not 0.0.0.0: it uses this machine's network
	said, err := serve.StdoutPipe()
	must(t, err)
	var log bytes.Buffer
	serve.Stderr = &log
	must(t, serve.Start())
	first, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		_ = serve.Wait()
		t.Fatalf("serve: got %q, %v: %s", first, err, log.String())
	}
	listen := "ATIVA_LISTEN=" + strings.TrimPrefix(strings.TrimSpace(first), "ativa serves http://")
	health := c.config.Healthcheck.Test[1:]
	if out, err := c.command(t, health, listen).CombinedOutput(); err != nil {
		t.Errorf("health check of %s: got %v, %s", listen, err, out)
	}
	admin := []string{"/usr/bin/ativa", "admin", "providers", "create", "Azul", "--limit", "5"}
	if out, err := c.command(t, admin).CombinedOutput(); err != nil {
		t.Errorf("%q: got %v, %s", admin, err, out)
	}

	must(t, serve.Process.Signal(syscall.SIGTERM))
	_, _ = io.Copy(io.Discard, said)
	if err := serve.Wait(); err != nil {
		t.Errorf("SIGTERM: got %v, want exit 0: %s", err, log.String())
	}
	if out, err := c.command(t, health, listen).CombinedOutput(); exitCode(err) != 9 {
		t.Errorf("health check when it has stopped: got %v, want exit 9: %s", err, out)
	}
	checkWritten(t, c.root)
}

func exitCode(err error) int {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	return 0
}

// checkWritten checks the owner of the database, and that only /data was written.
func checkWritten(t *testing.T, root string) {
	t.Helper()
	info, err := os.Stat(filepath.Join(root, "data/ativa.db"))
	must(t, err)
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || stat.Uid != user {
		t.Errorf("the database is the file of %v, want of user %d", stat.Uid, user)
	}
	entries, err := os.ReadDir(root)
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != "data etc usr" {
		t.Errorf("the image has %q, want data, etc and usr", got)
	}
}

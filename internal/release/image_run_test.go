//go:build linux

package main

import (
	"bufio"
	"bytes"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
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
	after := c.command(t, health, listen)
	if out, err := after.CombinedOutput(); after.ProcessState.ExitCode() != 9 {
		t.Errorf("health check when it has stopped: got %v, want exit 9: %s", err, out)
	}
	if got := command(t, "stat", "--format=%u", filepath.Join(c.root, "data/ativa.db")); got != strconv.Itoa(user)+"\n" {
		t.Errorf("the database is the file of user %s, want of %d", got, user)
	}
	if got := command(t, "ls", c.root); got != "data\netc\nusr\n" {
		t.Errorf("the image has %q, want data, etc and usr", got)
	}
}

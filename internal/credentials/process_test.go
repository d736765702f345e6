package credentials_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ativa/internal/credentials"
)

// helperVariable makes the test binary run one helper in a process of its own: the mock
// of the keyring library cannot be removed.
const helperVariable = "ATIVA_TEST_HELPER"

func TestMain(m *testing.M) {
	switch os.Getenv(helperVariable) {
	case "":
		os.Exit(m.Run())
	case "keyring":
		helpKeyring()
	}
}

// helper runs a helper with only the given environment.
func helper(name string, env ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = slices.Concat(env, []string{
		helperVariable + "=" + name, "GORACE=atexit_sleep_ms=0", "PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"),
	})
	return cmd
}

// helpKeyring loads twice from the real keyring, each time with the time-out of TIMEOUT, then until
// it answers in time, and prints the results.
func helpKeyring() {
	timeout, err := time.ParseDuration(os.Getenv("TIMEOUT"))
	if err != nil {
		fmt.Println(err)
	}
	k := &credentials.Keyring{Timeout: timeout}
	load := func() credentials.Reason {
		_, err := k.Load(context.Background(), account())
		return reasonOf(err)
	}
	fmt.Println(load())
	why := load()
	fmt.Println(why)
	for n := 0; n == 0 || n < 600 && why == credentials.TimedOut; n++ {
		why = load()
		<-time.After(50 * time.Millisecond)
	}
	fmt.Println(why)
}

func onlyWhereDBus(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the keyring of this system does not use D-Bus")
	}
}

// A keyring that is silent is left after the time-out, and called again once it has answered, as
// after the person has unlocked it.
func TestASilentKeyringIsCalledAgainOnceItAnswers(t *testing.T) {
	onlyWhereDBus(t)
	socket, answers := filepath.Join(t.TempDir(), "bus"), make(chan struct{})
	var asked atomic.Int32
	bus, err := net.Listen("unix", socket)
	must(t, err)
	defer bus.Close()
	go func() {
		for c, err := bus.Accept(); err == nil; c, err = bus.Accept() {
			asked.Add(1)
			go func() {
				<-answers
				_ = c.Close()
			}()
		}
	}()
	cmd := helper("keyring", "TIMEOUT=300ms", "DBUS_SESSION_BUS_ADDRESS=unix:path="+socket)
	out, err := cmd.StdoutPipe()
	must(t, errors.Join(err, cmd.Start()))
	lines := bufio.NewScanner(out)
	for range 2 {
		if lines.Scan(); lines.Text() != "timed_out" {
			t.Errorf("got %q, want that it timed out", lines.Text())
		}
	}
	if n := asked.Load(); n > 1 {
		t.Errorf("the bus was asked %d times, want once: the second call does not wait at all", n)
	}
	close(answers)
	if lines.Scan(); lines.Text() != "unavailable" {
		t.Errorf("got %q, want what the next call says", lines.Text())
	}
	must(t, cmd.Wait())
}

func TestWithoutBusTheKeyringIsNotCalled(t *testing.T) {
	onlyWhereDBus(t)
	if _, err := os.Stat(fmt.Sprintf("/run/user/%d/bus", os.Getuid())); err == nil {
		t.Skip("this user has a session bus")
	}
	// A dbus-launch that creates a file instead of starting a daemon.
	dir := t.TempDir()
	launched := filepath.Join(dir, "launched")
	must(t, os.WriteFile(filepath.Join(dir, "dbus-launch"), []byte("#!/bin/sh\ntouch "+launched+"\n"), 0o700))
	for _, address := range []string{"", "autolaunch:"} {
		cmd := helper("keyring", "TIMEOUT=1h", "DBUS_SESSION_BUS_ADDRESS="+address)
		cmd.Env = append(cmd.Env, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		out, err := cmd.Output()
		if want := strings.Repeat("no_session_bus\n", 3); err != nil || string(out) != want {
			t.Errorf("%q: got %q, %v; want %q", address, out, err, want)
		}
	}
	if _, err := os.Stat(launched); err == nil {
		t.Error("dbus-launch was called")
	}
}

// Parallel processes, and those that follow, run the command of the token and authenticate once. Each
// source locks a file that it has opened itself, like a process.
func TestParallelProcessesAuthenticateOnce(t *testing.T) {
	f := newFixture(t)
	log := filepath.Join(t.TempDir(), "log")
	wantBearer := func() {
		f.wants(f.of(credentials.Sources{Account: account(), Command: "echo token>>" + log + "&& echo access"}), "bearer-1", "a process")
	}
	var group sync.WaitGroup
	for range 10 {
		group.Go(wantBearer)
	}
	group.Wait()
	wantBearer()
	lines, err := os.ReadFile(log)
	if n := f.issued.Load(); err != nil || len(strings.Fields(string(lines))) != 1 || n != 1 {
		t.Errorf("got %q of the command, %v, and authenticated %d times, want each once", lines, err, n)
	}
}

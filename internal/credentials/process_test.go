package credentials_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/credentials"
)

// helperVariable makes the test binary run one helper in a process of its own: the mock
// of the keyring library cannot be removed, and file locks need processes.
const helperVariable = "ATIVA_TEST_HELPER"

func TestMain(m *testing.M) {
	switch os.Getenv(helperVariable) {
	case "":
		os.Exit(m.Run())
	case "real keyring":
		helpRealKeyring()
	case "keyring":
		helpKeyring()
	case "late keyring":
		helpLateKeyring()
	case "session":
		helpBearerSource()
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

// helpKeyring loads twice from the real keyring, each time with the time-out of
// TIMEOUT, and prints the results.
func helpKeyring() {
	timeout, err := time.ParseDuration(os.Getenv("TIMEOUT"))
	if err != nil {
		fmt.Println(err)
	}
	k := &credentials.Keyring{Timeout: timeout}
	for range 2 {
		_, err := k.Load(context.Background(), account())
		fmt.Println(reasonOf(err))
	}
}

// helpLateKeyring loads until the keyring answers, and prints the result.
func helpLateKeyring() {
	k := &credentials.Keyring{Timeout: 100 * time.Millisecond}
	var why credentials.Reason
	for range 300 {
		_, err := k.Load(context.Background(), account())
		if why = reasonOf(err); why != credentials.TimedOut {
			break
		}
		<-time.After(100 * time.Millisecond)
	}
	fmt.Println(why)
}

func onlyWhereDBus(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the keyring of this system does not use D-Bus")
	}
}

// serve listens until the test ends, and returns its address.
func serve(t *testing.T, network, address string, each func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen(network, address)
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			each(c)
		}
	}()
	return l.Addr().String()
}

func TestSilentBusIsLeftAfterTheTimeout(t *testing.T) {
	onlyWhereDBus(t)
	// Accepts every connection and never responds.
	socket := filepath.Join(t.TempDir(), "bus")
	var asked atomic.Int32
	serve(t, "unix", socket, func(c net.Conn) {
		asked.Add(1)
		t.Cleanup(func() { _ = c.Close() })
	})
	out, err := helper("keyring", "TIMEOUT=300ms", "DBUS_SESSION_BUS_ADDRESS=unix:path="+socket).Output()
	if want := "timed_out\ntimed_out\n"; err != nil || string(out) != want {
		t.Errorf("got %q, %v; want %q", out, err, want)
	}
	for range 6000 { // the listener may see the connection later
		if asked.Load() > 0 {
			break
		}
		<-time.After(10 * time.Millisecond)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the bus was asked %d times, want once: the second call does not wait at all", n)
	}
}

// A keyring that is unlocked after the time-out is called again.
func TestAKeyringThatAnswersLateIsCalledAgain(t *testing.T) {
	onlyWhereDBus(t)
	socket := filepath.Join(t.TempDir(), "bus")
	wait := time.Second
	serve(t, "unix", socket, func(c net.Conn) {
		<-time.After(wait)
		wait = 0
		_ = c.Close()
	})
	out, err := helper("late keyring", "DBUS_SESSION_BUS_ADDRESS=unix:path="+socket).Output()
	if err != nil || string(out) != "unavailable\n" {
		t.Errorf("got %q, %v, want what the second call says", out, err)
	}
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
		if want := strings.Repeat("no_session_bus\n", 2); err != nil || string(out) != want {
			t.Errorf("%q: got %q, %v; want %q", address, out, err, want)
		}
	}
	if _, err := os.Stat(launched); err == nil {
		t.Error("dbus-launch was called")
	}
}

// helpBearerSource gets a bearer like a command, from the server at the address.
func helpBearerSource() {
	s := credentials.BearerSource{
		Cache: &credentials.Cache{Dir: os.Getenv("CACHE")},
		Authenticate: func(context.Context, string) (api.Bearer, error) {
			c, err := net.Dial("tcp", os.Getenv("SERVER"))
			if err != nil {
				return api.Bearer{}, err
			}
			defer c.Close()
			token, err := io.ReadAll(c)
			return api.Bearer{Token: string(token), IssuedAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour)}, err
		},
	}
	s.Sources.Account = account()
	if token := os.Getenv(credentials.TokenVariable); token != "" {
		s.Sources.Getenv = os.Getenv
	} else {
		s.Sources.Command = "echo asked>>" + os.Getenv("ASKED") + "&& echo access"
	}
	b, err := s.Bearer(context.Background())
	fmt.Print(b.Token, err)
}

func TestParallelProcessesAuthenticateOnce(t *testing.T) {
	for _, c := range []struct{ name, access string }{{"variable", "access"}, {"command", ""}} {
		t.Run(c.name, func(t *testing.T) {
			var asked atomic.Int32
			address := serve(t, "tcp", "127.0.0.1:0", func(c net.Conn) {
				_, _ = fmt.Fprintf(c, "bearer-%d", asked.Add(1))
				_ = c.Close()
			})
			dir := t.TempDir()
			env := []string{
				"SERVER=" + address, "CACHE=" + filepath.Join(dir, "cache"),
				"ASKED=" + filepath.Join(dir, "asked"), credentials.TokenVariable + "=" + c.access,
			}
			// Ten at once, then ten in turn.
			var running []*exec.Cmd
			outs := make([]bytes.Buffer, 20)
			for i := range outs {
				cmd := helper("session", env...)
				cmd.Stdout = &outs[i]
				if i >= 10 {
					if err := cmd.Run(); err != nil {
						t.Error(err)
					}
					continue
				}
				must(t, cmd.Start())
				running = append(running, cmd)
			}
			for _, cmd := range running {
				if err := cmd.Wait(); err != nil {
					t.Error(err)
				}
			}
			for i := range outs {
				if got, want := outs[i].String(), "bearer-1<nil>"; got != want {
					t.Errorf("%d: got %q, want %q", i, got, want)
				}
			}
			if n := asked.Load(); n != 1 {
				t.Errorf("authenticated %d times, want 1", n)
			}
			if lines, _ := os.ReadFile(filepath.Join(dir, "asked")); c.access == "" && strings.TrimSpace(string(lines)) != "asked" {
				t.Errorf("the command ran as %q, want once", lines)
			}
		})
	}
}

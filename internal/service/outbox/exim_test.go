package outbox_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"testing"
	"time"

	"ativa/internal/service/outbox"
	"ativa/internal/service/store/pgcluster"
)

// eximConfig configures a mail server that passes all e-mails to another one.
const eximConfig = `
primary_hostname = mail.example.com
exim_user = %[2]s
exim_group = %[3]s
deliver_drop_privilege
spool_directory = %[1]s
log_file_path = %[1]s/%%slog
local_interfaces = 127.0.0.1
daemon_smtp_ports = %[4]d
acl_smtp_rcpt = accept
acl_smtp_data = accept

begin routers
all:
  driver = manualroute
  route_data = 127.0.0.1
  self = send
  transport = next

begin transports
next:
  driver = smtp
  port = %[5]d
  allow_localhost
`

// behindExim starts the server behind Debian's mail server, and returns a mailer that reaches this
// one. It skips the test if exim is not installed.
func (m *mailServer) behindExim(t *testing.T) *outbox.SMTPMailer {
	t.Helper()
	exim, err := exec.LookPath("/usr/sbin/exim4")
	if err != nil {
		t.Skip("no exim4: e-mails are not sent through a mail server that others wrote")
	}
	me, err := user.Current()
	must(t, err)
	if me.Uid == "0" { // it delivers nothing as root
		if me, err = user.Lookup("Debian-exim"); err != nil {
			t.Skip("the user of exim4 does not exist: ", err)
		}
	}
	group, err := user.LookupGroupId(me.Gid)
	must(t, err)
	next, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	go m.server.Serve(next)
	port, err := pgcluster.FreePort(t.Context())
	must(t, err)
	dir, err := os.MkdirTemp("", "ativa-exim-") // t.TempDir is closed to other users
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o777)) //nolint:gosec // the server works in it as another user
	conf := filepath.Join(dir, "conf")
	text := fmt.Appendf(nil, eximConfig, dir, me.Username, group.Name, port, next.Addr().(*net.TCPAddr).Port)
	must(t, os.WriteFile(conf, text, 0o644)) //nolint:gosec // as above
	server := exec.Command(exim, "-C", conf, "-bdf")
	server.Stdout, server.Stderr = t.Output(), t.Output()
	must(t, server.Start())
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", fmt.Sprint("127.0.0.1:", port))
	}
	eventually(t, "exim", func() bool {
		c, err := dial(t.Context(), "", "")
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return mailerOver(t, "smtp://127.0.0.1", dial)
}

// eventually waits until done, in real time.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(testTimeout); !done(); <-time.After(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not come in %v", what, testTimeout)
		}
	}
}

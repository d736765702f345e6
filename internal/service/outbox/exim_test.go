package outbox_test

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/mail"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ativa/internal/service/store/pgcluster"
)

// eximConfig configures a mail server that requires STARTTLS and PLAIN, and stores all e-mails in one
// Maildir.
const eximConfig = `
primary_hostname = mail.example.com
exim_user = %[2]s
exim_group = %[3]s
deliver_drop_privilege
spool_directory = %[1]s/spool
log_file_path = %[1]s/%%slog
pid_file_path = %[1]s/pid
local_interfaces = 127.0.0.1
daemon_smtp_ports = %[4]d
tls_advertise_hosts = *
tls_certificate = %[1]s/cert.pem
tls_privatekey = %[1]s/key.pem
auth_advertise_hosts = ${if eq{$tls_in_cipher}{}{}{*}}
acl_smtp_mail = mail
acl_smtp_rcpt = rcpt
acl_smtp_data = data

begin acl
mail:
  deny !authenticated = *
       message = authentication required
  accept
rcpt:
  accept
data:
  accept

begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_condition = ${if and{{eq{$auth2}{%[5]s}}{eq{$auth3}{%[6]s}}}}
  server_set_id = $auth2

begin routers
all:
  driver = accept
  transport = box

begin transports
box:
  driver = appendfile
  maildir_format
  directory = %[1]s/box
  envelope_to_add
  return_path_add
`

// startExim runs Debian's mail server on a free port with all its files in one directory. It skips
// the test if exim is not installed.
func startExim(t *testing.T) (addr net.Addr, ca, box string) {
	t.Helper()
	exim, err := exec.LookPath("exim4")
	if err != nil {
		exim, err = exec.LookPath("/usr/sbin/exim4")
	}
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
	dir, err := os.MkdirTemp("", "ativa-exim-") // t.TempDir is closed to other users
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	cert, ca := certificate(t, time.Hour)
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	must(t, err)
	port, err := pgcluster.FreePort(t.Context())
	must(t, err)
	addr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}
	group, err := user.LookupGroupId(me.Gid)
	must(t, err)
	for name, text := range map[string]string{
		"cert.pem": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]})),
		"key.pem":  string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})),
		"conf":     fmt.Sprintf(eximConfig, dir, me.Username, group.Name, port, mailUser, mailPassword),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil { //nolint:gosec // the server reads them as another user
			t.Fatal(err)
		}
	}
	for _, d := range []string{dir, filepath.Join(dir, "box"), filepath.Join(dir, "spool")} {
		_ = os.Mkdir(d, 0o755)
		if err := os.Chmod(d, 0o777); err != nil { //nolint:gosec // as above
			t.Fatal(err)
		}
	}
	server := exec.Command(exim, "-C", filepath.Join(dir, "conf"), "-bdf")
	output := &strings.Builder{}
	server.Stdout, server.Stderr = output, output
	must(t, server.Start())
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	for deadline := time.Now().Add(testTimeout); ; <-time.After(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", addr.String()); err == nil {
			c.Close()
			return addr, ca, filepath.Join(dir, "box")
		}
		if time.Now().After(deadline) {
			log, _ := os.ReadFile(filepath.Join(dir, "mainlog"))
			panics, _ := os.ReadFile(filepath.Join(dir, "paniclog"))
			_ = server.Process.Kill()
			_ = server.Wait()
			t.Fatalf("exim does not listen: %s%s%s", output, log, panics)
		}
	}
}

// readMaildir waits for n e-mails in a Maildir and returns them by recipient.
func readMaildir(t *testing.T, box string, n int) map[string]*mail.Message {
	t.Helper()
	for deadline := time.Now().Add(testTimeout); ; <-time.After(20 * time.Millisecond) {
		paths, err := filepath.Glob(filepath.Join(box, "new", "*"))
		must(t, err)
		if len(paths) == n {
			all := map[string]*mail.Message{}
			for _, path := range paths {
				text, err := os.ReadFile(path)
				must(t, err)
				m, err := mail.ReadMessage(strings.NewReader(string(text)))
				must(t, err)
				all[m.Header.Get("Envelope-To")] = m
			}
			return all
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d e-mails arrived, want %d", len(paths), n)
		}
	}
}

package outbox_test

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"mime"
	"net"
	"net/mail"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/store/pgcluster"
)

// eximConfig configures a mail server that requires STARTTLS and PLAIN, has no mailbox a2, refuses a3
// temporarily and stores all other e-mails in one Maildir.
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
  deny local_parts = a2
       message = no such mailbox
  defer local_parts = a3
       message = mailbox busy
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
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
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

// E-mails reach a mailbox through a real mail server: TLS, authentication, a missing mailbox, a busy
// one, and accepted e-mails.
func TestEMailsGoThroughTheMailServerOfDebian(t *testing.T) {
	addr, ca, box := startExim(t)
	f := newFixture(t, manual)
	wrong := mailerTo(t, "smtp://"+mailUser+":wrong@mail.example.com:587?ca="+ca, "", addr)
	if err := wrong.Send(t.Context(), testEmail(1)); !isDown(err) || !strings.Contains(err.Error(), "535") {
		t.Errorf("with a wrong password: got %v, want 535", err)
	}
	f.options.Mailer = mailerTo(t, "smtp://"+mailUser+":"+mailPassword+"@mail.example.com:587?ca="+ca, "", addr)
	documents := f.register(f.defaultProvider, 5, 1)
	f.start()
	emails := readMaildir(t, box, 3)
	f.waitForStatus(documents[1], domain.InError)
	if got := f.lastReason(f.defaultProvider, documents[1]); got != domain.ReasonUndeliverable {
		t.Errorf("the mailbox that does not exist: got the reason %q", got)
	}
	f.wantStatus(f.defaultProvider, documents[2], domain.InProgress)
	f.stop()
	if due := f.jobs(domain.EmailJob, domain.JobDue); len(due) != 1 || due[0].Document != documents[2] || due[0].Attempts == 0 || !strings.Contains(due[0].LastError, "451") {
		t.Errorf("the busy mailbox: got %+v, want it to be tried again", due)
	}
	for _, to := range []string{"a1@example.com.br", "a4@example.com.br", "a5@example.com.br"} {
		m := emails[to]
		if m == nil {
			t.Errorf("no e-mail for %s", to)
			continue
		}
		subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
		if err != nil || !strings.Contains(subject, "Play 1") {
			t.Errorf("got the subject %q, %v", subject, err)
		}
		media, parameters, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
		body, _ := io.ReadAll(m.Body)
		if err != nil || media != "multipart/alternative" || strings.Count(string(body), "--"+parameters["boundary"]) != 3 {
			t.Errorf("got %q, %v, want text and HTML", m.Header.Get("Content-Type"), err)
		}
		if received := m.Header["Received"]; !slices.ContainsFunc(received, func(r string) bool { return strings.Contains(r, "esmtpsa") }) {
			t.Errorf("it did not come encrypted and authenticated: %s", received)
		}
		if got := m.Header.Get("Return-Path"); got != "<ativacao@provedor.example>" {
			t.Errorf("got the envelope sender %s", got)
		}
	}
}

// waitForStatus waits, in real time, until the service has the status.
func (f *fixture) waitForStatus(document string, want domain.Status) {
	f.t.Helper()
	for deadline := time.Now().Add(testTimeout); f.service(f.defaultProvider, document).Status != want; {
		if time.Now().After(deadline) {
			f.t.Fatalf("got %s, want %s", f.service(f.defaultProvider, document).Status, want)
		}
		<-time.After(5 * time.Millisecond)
	}
}

package doctor

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/failure"
	"ativa/internal/lang"
)

// connectionTrace records the connection to the server. The transport may write to it
// after the request has ended.
type connectionTrace struct {
	mu        sync.Mutex
	name      string // the looked-up name
	addresses []string
	nameErr   error
	connected string
	state     *tls.ConnectionState
}

// hooks returns the functions that record a connection.
func (t *connectionTrace) hooks() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		DNSStart: func(i httptrace.DNSStartInfo) { t.update(func() { t.name = i.Host }) },
		DNSDone: func(i httptrace.DNSDoneInfo) {
			t.update(func() {
				t.nameErr = i.Err
				for _, a := range i.Addrs {
					t.addresses = append(t.addresses, a.String())
				}
			})
		},
		ConnectDone: func(_, address string, err error) {
			if err == nil {
				t.update(func() { t.connected = address })
			}
		},
		TLSHandshakeDone: func(s tls.ConnectionState, err error) {
			if err == nil {
				t.update(func() { t.state = &s })
			}
		},
	}
}

func (t *connectionTrace) update(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
}

// proxy reports the proxy in use and its source.
func (d *checker) proxy(server *url.URL) {
	all, _, err := d.Values()
	if err != nil {
		return // the context check has reported it
	}
	if v := all["proxy"]; v.Text != "" {
		d.ok("proxy", cli.Msg("%s (%s)", v.Shown(), v.Source))
		return
	}
	err = client.CheckEnvironmentProxy(server)
	proxy, _ := http.ProxyFromEnvironment(&http.Request{URL: server})
	switch {
	case err != nil:
		d.failWith("proxy", err)
	case proxy != nil:
		d.ok("proxy", cli.Msg("%s (HTTPS_PROXY or HTTP_PROXY)", proxy.Redacted()))
	default:
		d.ok("proxy", cli.Msg("none"))
	}
}

// name reports the look-up of the server's name, or of the proxy's.
func (d *checker) name(server *url.URL, trace *connectionTrace) {
	trace.mu.Lock()
	defer trace.mu.Unlock()
	_, err := netip.ParseAddr(server.Hostname())
	switch {
	case trace.nameErr != nil:
		d.fail(cli.ExitUnavailable, "name", cli.Msg("%s: %s", trace.name, lang.Cause(dnsReason(trace.nameErr))), cli.Msg("check its spelling, and the DNS servers of this machine"))
	case len(trace.addresses) > 0:
		d.ok("name", cli.Msg("%s is %s", trace.name, strings.Join(trace.addresses, ", ")))
	case err == nil:
		d.ok("name", cli.Msg("%s is an address", server.Hostname()))
	case trace.connected != "":
		d.ok("name", cli.Msg("found"))
	default:
		d.skip(cli.Msg("not looked up"), "name")
	}
}

func dnsReason(err error) string {
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		return e.Err
	}
	return err.Error()
}

func (d *checker) connection(server *url.URL, trace *connectionTrace, err error) {
	trace.mu.Lock()
	defer trace.mu.Unlock()
	exit := cli.ExitOK
	if err != nil {
		exit = failure.OutcomeOf(err).Exit
	}
	switch {
	case err == nil:
		d.ok("connection", cli.Msg("%s answers", cmp.Or(trace.connected, server.Host)))
	case trace.nameErr != nil:
		d.fail(exit, "connection", cli.Msg("the name was not found"), cli.Msg("see name"))
	case isTLSError(err):
		d.fail(exit, "connection", cli.Msg("%s answers, but TLS failed", cmp.Or(trace.connected, server.Host)), cli.Msg("see tls"))
	case trace.connected != "":
		d.fail(exit, "connection", cli.Msg("%s takes connections and gives no answer: %s", trace.connected, err), cli.Msg("look at the server and the proxy before it; is the port right?"))
	case exit == cli.ExitUsage:
		d.fail(exit, "connection", cli.Msg("%s", err), cli.Msg("fix the server's URL or the option that is named"))
	default:
		d.fail(exit, "connection", cli.Msg("%s", err), cli.Msg("is the server running, the port right, and a firewall or proxy between?"))
	}
}

func isTLSError(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	return errors.Is(err, http.ErrSchemeMismatch) || isAlert(err)
}

// isAlert reports whether the server ended the handshake with a TLS alert.
func isAlert(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "remote error"
}

func (d *checker) tls(server *url.URL, trace *connectionTrace, err error) {
	trace.mu.Lock()
	defer trace.mu.Unlock()
	switch {
	case isTLSError(err):
		d.fail(failure.OutcomeOf(err).Exit, "tls", tlsReason(err), tlsRemedy(err))
	case server.Scheme == "http" && client.IsLoopback(server.Hostname()):
		d.ok("tls", cli.Msg("not needed on this machine"))
	case server.Scheme == "http":
		d.warn("tls", cli.Msg("the connection is not protected: anybody on the way can read the token"), cli.Msg("use https"))
	case trace.state == nil:
		d.skip(cli.Msg("no connection"), "tls")
	default:
		end := trace.state.PeerCertificates[0].NotAfter
		what := cli.Msg("%s, certificate until %s", tls.VersionName(trace.state.Version), end.In(d.Location()).Format(time.DateOnly))
		if end.Sub(d.Now()) < cli.ExpiryWarning {
			d.warn("tls", what, cli.Msg("tell whoever runs the server that its certificate ends soon"))
			return
		}
		d.ok("tls", what)
	}
}

func tlsReason(err error) cli.Message {
	if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return cli.Msg("%s", e.Err)
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok || errors.Is(err, http.ErrSchemeMismatch) {
		return cli.Msg("the server does not speak TLS on this port")
	}
	return cli.Msg("%s", err)
}

func tlsRemedy(err error) cli.Message {
	if remedy := client.CertificateRemedy(err); !remedy.IsEmpty() {
		return remedy
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		own := cli.Msg("when the server's authority is your own: --ca-cert FILE, or ativa config set ca_cert FILE")
		if sent, ok := errors.AsType[*tls.CertificateVerificationError](err); ok && isAlone(sent.UnverifiedCertificates) {
			return cli.Msg("%s; if that is set, or the authority is a public one, the server lacks certificates in between: its --tls-cert needs the whole chain", own)
		}
		return own
	}
	if isAlert(err) {
		return cli.Msg("the server may want a client certificate: --client-cert and --client-key")
	}
	return cli.Msg("check the server's URL and port")
}

// isAlone reports whether a server sent a certificate without that of its authority.
func isAlone(sent []*x509.Certificate) bool {
	return len(sent) == 1 && !bytes.Equal(sent[0].RawIssuer, sent[0].RawSubject)
}

// maxClockSkew is the clock difference that causes a warning.
const maxClockSkew = time.Minute

// clock compares this machine's clock with the server's, which has a resolution of one second.
func (d *checker) clock(date string, before, after time.Time) {
	theirs, err := http.ParseTime(date)
	if err != nil {
		why := cli.Msg("the server does not send its time")
		if d.failed("connection") {
			why = cli.Msg("no answer")
		}
		d.skip(why, "clock")
		return
	}
	off := before.Add(after.Sub(before) / 2).Sub(theirs).Round(time.Second)
	if off.Abs() <= maxClockSkew {
		d.ok("clock", cli.Msg("within a minute of the server's"))
		return
	}
	what := cli.Msg("this machine is %s ahead of the server", off)
	if off < 0 {
		what = cli.Msg("this machine is %s behind the server", -off)
	}
	d.warn("clock", what, cli.Msg("set the clock; on Linux: timedatectl set-ntp true"))
}

// extensionsMessage lists the extensions of the server.
func extensionsMessage(h http.Header) cli.Message {
	if value := h.Get(api.HeaderExtensions); value != "" {
		return cli.Msg("extensions: %s", value)
	}
	return cli.Msg("no extensions: history, events, dry runs and keys are not there")
}

package cmd

import (
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
	"ativa/internal/client"
)

// journey is what happened on the way to the server. The transport may still
// write to it when the request has given up.
type journey struct {
	mu        sync.Mutex
	asked     string // the name that was looked up
	addresses []string
	nameErr   error
	connected string
	state     *tls.ConnectionState
}

func (j *journey) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		DNSStart: func(i httptrace.DNSStartInfo) { j.note(func() { j.asked = i.Host }) },
		DNSDone: func(i httptrace.DNSDoneInfo) {
			j.note(func() {
				j.nameErr = i.Err
				for _, a := range i.Addrs {
					j.addresses = append(j.addresses, a.String())
				}
			})
		},
		ConnectDone: func(_, address string, err error) {
			if err == nil {
				j.note(func() { j.connected = address })
			}
		},
		TLSHandshakeDone: func(s tls.ConnectionState, err error) {
			if err == nil {
				j.note(func() { j.state = &s })
			}
		},
	}
}

func (j *journey) note(f func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	f()
}

// proxy says which proxy is used, and where that is set.
func (d *doctor) proxy(server *url.URL) {
	all, _, err := d.values()
	if err != nil {
		return // told by the context already
	}
	if v := all["proxy"]; v.text != "" {
		d.ok("proxy", say("%s (%s)", v.shown(v.text), v.source))
		return
	}
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: server})
	switch {
	case err != nil:
		d.wrong(exitUsage, "proxy", say("the proxy of the environment is not a URL"), say("mend HTTPS_PROXY, or give --proxy"))
	case proxy != nil:
		d.ok("proxy", say("%s (HTTPS_PROXY or HTTP_PROXY)", proxy.Redacted()))
	default:
		d.ok("proxy", say("none"))
	}
}

// name tells of the look-up of the server's name, or of the proxy's.
func (d *doctor) name(server *url.URL, j *journey) {
	j.mu.Lock()
	defer j.mu.Unlock()
	_, err := netip.ParseAddr(server.Hostname())
	switch {
	case j.nameErr != nil:
		d.wrong(exitUnavailable, "name", say("%s: %s", j.asked, dnsReason(j.nameErr)), say("check its spelling, and the DNS servers of this machine"))
	case len(j.addresses) > 0:
		d.ok("name", say("%s is %s", j.asked, strings.Join(j.addresses, ", ")))
	case err == nil:
		d.ok("name", say("%s is an address", server.Hostname()))
	case j.connected != "":
		d.ok("name", say("found"))
	default:
		d.skip(say("not looked up"), "name")
	}
}

func dnsReason(err error) string {
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		return e.Err
	}
	return err.Error()
}

func (d *doctor) connection(server *url.URL, j *journey, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	exit := exitOK
	if err != nil {
		exit = explain(err).exit
	}
	switch {
	case err == nil:
		d.ok("connection", say("%s answers", cmp.Or(j.connected, server.Host)))
	case j.nameErr != nil:
		d.wrong(exit, "connection", say("the name was not found"), say("see name"))
	case isTLSError(err):
		d.wrong(exit, "connection", say("%s answers, but TLS failed", cmp.Or(j.connected, server.Host)), say("see tls"))
	case j.connected != "":
		d.wrong(exit, "connection", say("%s takes connections and gives no answer: %s", j.connected, err), say("look at the server and what stands before it; is the port right?"))
	case exit == exitUsage:
		d.wrong(exit, "connection", say("%s", err), say("mend the server's URL or the option that is named"))
	default:
		d.wrong(exit, "connection", say("%s", err), say("is the server running, the port right, and a firewall or proxy between?"))
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

// isAlert tells of a server that ended the handshake by itself.
func isAlert(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "remote error"
}

// soon is how long before its end a certificate is worth a warning.
const soon = 14 * 24 * time.Hour

func (d *doctor) tls(server *url.URL, j *journey, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case isTLSError(err):
		d.wrong(exitUnavailable, "tls", tlsReason(err), tlsRemedy(err))
	case server.Scheme == "http" && client.IsLoopback(server.Hostname()):
		d.ok("tls", say("not needed on this machine"))
	case server.Scheme == "http":
		d.warn("tls", say("the connection is not protected: anybody on the way can read the token"), say("use https"))
	case j.state == nil:
		d.skip(say("no connection"), "tls")
	default:
		end := j.state.PeerCertificates[0].NotAfter
		what := say("%s, certificate until %s", tls.VersionName(j.state.Version), end.Format(time.DateOnly))
		if time.Until(end) < soon {
			d.warn("tls", what, say("tell whoever runs the server that its certificate ends soon"))
			return
		}
		d.ok("tls", what)
	}
}

func tlsReason(err error) phrase {
	if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return say("%s", e.Err)
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok || errors.Is(err, http.ErrSchemeMismatch) {
		return say("the server does not speak TLS on this port")
	}
	return say("%s", err)
}

func tlsRemedy(err error) phrase {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return say("when the server's authority is your own: --ca-cert FILE, or ativa config set ca_cert FILE")
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return say("use the name that the certificate is for")
	}
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok && e.Reason == x509.Expired {
		return say("check the clock of this machine; if it is right, the server needs a new certificate")
	}
	if isAlert(err) {
		return say("the server may want a client certificate: --client-cert and --client-key")
	}
	return say("check the server's URL and port")
}

// skew is how much a clock may be wrong before it is worth a warning.
const skew = time.Minute

// clock compares with the server's, which tells whole seconds.
func (d *doctor) clock(date string, before, after time.Time) {
	theirs, err := http.ParseTime(date)
	if err != nil {
		why := say("the server does not tell its time")
		if d.failed("connection") {
			why = say("no answer")
		}
		d.skip(why, "clock")
		return
	}
	off := before.Add(after.Sub(before) / 2).Sub(theirs).Round(time.Second)
	if off.Abs() <= skew {
		d.ok("clock", say("within a minute of the server's"))
		return
	}
	what := say("this machine is %s ahead of the server", off)
	if off < 0 {
		what = say("this machine is %s behind the server", -off)
	}
	d.warn("clock", what, say("set the clock; on Linux: timedatectl set-ntp true"))
}

// extensionsOf says what the server has beyond the API.
func extensionsOf(h http.Header) phrase {
	if value := h.Get(api.HeaderExtensions); value != "" {
		return say("extensions: %s", value)
	}
	return say("no extensions: history, events, dry runs and keys are not there")
}

package operator

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"

	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/service/server"
	"ativa/internal/system"
)

func scheme(o ServeOptions) string {
	if o.tlsCert != "" {
		return "https"
	}
	return "http"
}

// checkListener refuses settings that expose access tokens on a network: plain http is only for
// this machine and declared proxies.
func (o *ServeOptions) checkListener() error {
	if (o.tlsCert == "") != (o.tlsKey == "") {
		return cli.Usage("--tls-cert and --tls-key go together")
	}
	var err error
	if o.proxies, err = parseProxies(o.trustedProxies); err != nil {
		return err
	}
	elsewhere := func(proxy netip.Prefix) bool { return !proxy.Addr().IsLoopback() } // one of this machine reaches loopback
	if o.tlsCert == "" && !slices.ContainsFunc(o.proxies, elsewhere) && !o.insecure && !onThisMachine(o.Listen) {
		return cli.Usage("--listen %s without TLS: access tokens would cross the network in the clear", o.Listen).
			WithHint("give --tls-cert and --tls-key, or name the proxy that ends TLS with --trusted-proxy, or say --insecure-http")
	}
	return nil
}

// parseProxies parses addresses and networks.
func parseProxies(all []string) (proxies []netip.Prefix, err error) {
	for _, s := range all {
		p, err := netip.ParsePrefix(s)
		if a, plain := netip.ParseAddr(s); plain == nil {
			p, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil {
			return nil, err
		}
		proxies = append(proxies, p)
	}
	return proxies, nil
}

// onThisMachine reports whether only programs of this machine can reach an address. An invalid
// address is refused later, when it is opened.
func onThisMachine(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	return err != nil || client.IsLoopback(host)
}

// listen opens the address, with TLS if there is a certificate, which it returns.
func listen(ctx context.Context, o ServeOptions, log *slog.Logger) (net.Listener, *server.Certificate, error) {
	var certificate *server.Certificate
	if o.tlsCert != "" {
		var err error
		certificate, err = cli.Await(ctx, func() (*server.Certificate, error) { return server.LoadCertificate(o.tlsCert, o.tlsKey, log) })
		if errors.Is(err, context.Canceled) {
			return nil, nil, err
		}
		if err != nil {
			return nil, nil, &cli.Failure{Exit: cli.ExitUsage, Code: "tls", Message: cli.Msg("%s", err), Hint: cli.Msg("check --tls-cert and --tls-key: PEM files that belong together")}
		}
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", o.Listen)
	if system.IsAddressInUse(err) {
		return nil, nil, &cli.Failure{Exit: cli.ExitError, Code: "address_in_use", Message: cli.Msg("address %s is in use", o.Listen),
			Hint: cli.Msg("another program listens there; choose another address with --listen")}
	}
	if err != nil {
		return nil, nil, &cli.Failure{Exit: cli.ExitUsage, Code: "listen", Message: cli.Msg("--listen %s: %s", o.Listen, lang.Cause(err.Error())),
			Hint: cli.Msg("choose another address with --listen; on Unix a port below 1024 needs the right to it")}
	}
	l = server.LimitConnections(l, o.proxies, log)
	if certificate != nil {
		l = tls.NewListener(l, certificate.Config())
	}
	return l, certificate, nil
}

// Values of --metrics-listen that are not addresses.
const (
	metricsPublic = "public"
	metricsOff    = "off"
)

// serveMetrics serves /metrics at its own address. An address that cannot be opened causes only a
// warning: the service works without metrics, and another server of this machine may use the
// address (decisions.md 8).
func (s *Service) serveMetrics(ctx context.Context, addr string) {
	if addr == "" || addr == metricsPublic || addr == metricsOff {
		return
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		s.log.Warn("no metrics: choose another address with --metrics-listen, or off", "address", addr, "error", err)
		return
	}
	s.log.Info("serving metrics", "address", l.Addr().String())
	s.metrics = server.NewHTTPServer(s.api.MetricsHandler(), s.log)
	s.workers.Go(func() {
		if err := s.metrics.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.log.Warn("no metrics any more", "address", addr, "error", err)
		}
	})
}

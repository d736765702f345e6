package cmd

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"syscall"

	"ativa/internal/server"
)

func scheme(o serveOptions) string {
	if o.tlsCert != "" {
		return "https"
	}
	return "http"
}

// listen opens the address, with TLS where there is a certificate.
func listen(ctx context.Context, o serveOptions, log *slog.Logger) (net.Listener, error) {
	var config *tls.Config
	if o.tlsCert != "" {
		certificate, err := server.LoadCertificate(o.tlsCert, o.tlsKey, log, nil)
		if err != nil {
			return nil, &failure{exit: exitUsage, code: "tls", message: err.Error(), hint: "check --tls-cert and --tls-key: PEM files that belong together"}
		}
		config = certificate.Config()
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", o.listen)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, &failure{exit: exitError, code: "address_in_use", message: "address " + o.listen + " is in use",
			hint: "another program listens there; choose another address with --listen"}
	}
	if err != nil {
		return nil, &failure{exit: exitUsage, code: "listen", message: "--listen " + o.listen, err: err}
	}
	l = server.Limit(l, server.MaxConnections)
	if config != nil {
		l = tls.NewListener(l, config)
	}
	return l, nil
}

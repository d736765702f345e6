package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"ativa/internal/failure"
	"ativa/internal/lang"
)

// maxHeaderBytes limits the header of a response.
const maxHeaderBytes = 64 << 10

// pingAfter is the silence after which an HTTP/2 connection is tested, and how long the test may take.
// A request that times out leaves the connection open: its repetition would use a dead one.
const pingAfter = 15 * time.Second

func newTransport(o Options, server *url.URL) (*http.Transport, error) {
	config, err := newTLSConfig(o)
	if err != nil {
		return nil, err
	}
	proxy, err := newProxy(o.Proxy, server)
	if err != nil {
		return nil, err
	}
	return &http.Transport{
		Proxy:                  proxy,
		DialContext:            (&net.Dialer{Timeout: o.ConnectTimeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:        config,
		TLSHandshakeTimeout:    o.ConnectTimeout,
		ResponseHeaderTimeout:  o.IdleTimeout,
		ExpectContinueTimeout:  time.Second,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConnsPerHost:    32,
		MaxResponseHeaderBytes: maxHeaderBytes,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingAfter},
		OnProxyConnectResponse: checkProxyResponse,
	}, nil
}

func newTLSConfig(o Options) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.CAFile != "" {
		pem, err := os.ReadFile(o.CAFile)
		if err != nil {
			return nil, wrongOption(lang.Msg("CA file"), lang.Msg("cannot be read"), err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, wrongOption(lang.Msg("CA file"), lang.Msg("%s holds no certificate in PEM form", o.CAFile), nil)
		}
	}
	if (o.CertFile == "") != (o.KeyFile == "") {
		return nil, wrongOption(lang.Msg("client certificate"), lang.Msg("--%s and --%s go together", "client-cert", "client-key"), nil)
	}
	if o.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(o.CertFile, o.KeyFile)
		if err != nil {
			return nil, wrongOption(lang.Msg("client certificate"), lang.Msg("cannot be used"), err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

func newProxy(proxy string, server *url.URL) (func(*http.Request) (*url.URL, error), error) {
	if proxy == "" {
		return http.ProxyFromEnvironment, CheckEnvironmentProxy(server)
	}
	u, err := parseProxy(proxy)
	if err != nil {
		return nil, err
	}
	return http.ProxyURL(u), nil
}

// CheckEnvironmentProxy returns a usage error if the variable with the proxy for a server holds no
// URL and no address. [http.ProxyFromEnvironment] would use no proxy then.
func CheckEnvironmentProxy(server *url.URL) error {
	name := "HTTP_PROXY"
	if server.Scheme == "https" {
		name = "HTTPS_PROXY"
	}
	proxy := cmp.Or(os.Getenv(name), os.Getenv(strings.ToLower(name)))
	if proxy != "" && !strings.Contains(proxy, "://") {
		proxy = "http://" + proxy
	}
	if proxy == "" || IsLoopback(server.Hostname()) || CheckProxy(proxy) == nil {
		return nil
	}
	return failure.Usage("the proxy of the environment is not a URL").WithHint("fix %s, or give --proxy", name)
}

// checkProxyResponse returns an error that names the proxy if it refuses a connection.
func checkProxyResponse(_ context.Context, proxy *url.URL, _ *http.Request, res *http.Response) error {
	if res.StatusCode == http.StatusOK {
		return nil
	}
	return &ProxyError{Proxy: proxy.Host, Status: res.StatusCode, Err: errors.New(res.Status)}
}

// explainProxy returns the error of a request without a connection, as a *ProxyError if the proxy is
// at fault, or makes none in time.
func (c *Client) explainProxy(req *http.Request, err error) error {
	dial, ok := errors.AsType[*net.OpError](err)
	if failed := ok && (dial.Op == "proxyconnect" || dial.Op == "socks connect"); !failed && !isTimeout(err) {
		return err
	}
	proxy, _ := c.proxy(req)
	if proxy == nil {
		return err
	}
	return &ProxyError{Proxy: proxy.Host, Err: err}
}

// CheckProxy checks the URL of a proxy as [New] does. The error is a usage error.
func CheckProxy(proxy string) error {
	_, err := parseProxy(proxy)
	return err
}

// parseProxy parses and checks the URL of a proxy. Its errors never contain the URL,
// which may hold a password.
func parseProxy(proxy string) (*url.URL, error) {
	u, err := url.Parse(proxy)
	if err != nil || u.Hostname() == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) {
		return nil, wrongOption(lang.Msg("proxy"), lang.Msg("not a URL like http://host:port"), nil)
	}
	return u, nil
}

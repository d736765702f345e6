package apicheck

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"

	"ativa/internal/system/systemtest"
)

// Proxy returns a proxy of a server that reports every response not described in openapi.yaml.
// report may be called concurrently. The caller must close the proxy; its address is then dead.
func Proxy(server string, report func(error)) (*httptest.Server, error) {
	to, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	l, err := systemtest.Listen(context.Background())
	if err != nil {
		return nil, err
	}
	proxy := &httptest.Server{Listener: l, Config: &http.Server{Handler: &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Host = r.In.Host // links in pages point to the proxy
		},
		ModifyResponse: func(r *http.Response) error {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return err
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			if err := CheckResponse(r.Request.Method, r.Request.URL.RequestURI(), r.StatusCode, r.Header, body); err != nil {
				report(err)
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { panic(http.ErrAbortHandler) }, // as the server would do
	}}}
	proxy.Start()
	return proxy, nil
}

package apicheck

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
)

// Proxy returns a proxy of a server that reports every response not described in openapi.yaml.
// report may be called concurrently. The caller must close the proxy.
func Proxy(server string, report func(error)) (*httptest.Server, error) {
	to, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	return httptest.NewServer(&httputil.ReverseProxy{
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
	}), nil
}

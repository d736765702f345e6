package apicheck

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
)

// Proxy stands before a server and reports every response that is not as
// described; report may be called by several goroutines. The caller closes it.
func Proxy(server string, report func(error)) (*httptest.Server, error) {
	to, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	return httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Host = r.In.Host // links in pages lead back here
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
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { panic(http.ErrAbortHandler) }, // as the server would
	}), nil
}

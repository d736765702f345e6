package client_test

import (
	"net/http"

	"ativa/internal/system/systemtest"
)

// respond responds with a status and a JSON body.
func respond(w http.ResponseWriter, status int, body string) { answer(status, body)(w, nil) }

// answer responds to every request alike; header holds names and values.
func answer(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// status responds to every request like a server that has no statuses.
func status(code int, header ...string) http.HandlerFunc {
	return answer(code, `{"response":"success","status":[]}`, header...)
}

var must = systemtest.Must

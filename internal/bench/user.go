//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// user is a provider's client of one server.
type user struct {
	url    string
	token  string // its access token
	bearer string
}

// environment tells the command line which server and as whom.
func (u *user) environment() []string {
	return []string{"ATIVA_SERVER=" + u.url, "ATIVA_ACCESS_TOKEN=" + u.token}
}

// authenticate exchanges the access token, once.
func (u *user) authenticate(ctx context.Context) error {
	if u.bearer != "" {
		return nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.url+"/authenticate", strings.NewReader(`{"access_token":"`+u.token+`"}`))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var answer struct {
		Authorization struct {
			Token string `json:"token"`
		} `json:"authorization"`
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return err
	}
	u.bearer = answer.Authorization.Token
	return nil
}

// send posts JSON to a path.
func (u *user) send(ctx context.Context, path, body string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.url+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+u.bearer)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if text, err := io.ReadAll(res.Body); err != nil || res.StatusCode >= 300 {
		return errors.Join(err, fmt.Errorf("POST %s: %s: %s", path, res.Status, tail(text)))
	}
	return nil
}

// answered is how long an answer took to its first byte and to its last.
type answered struct{ first, all time.Duration }

// get reads a path to its end.
func (u *user) get(ctx context.Context, path string) (a answered, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.url+path, nil)
	if err != nil {
		return a, err
	}
	req.Header.Set("Authorization", "Bearer "+u.bearer)
	began := time.Now()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return a, err
	}
	defer res.Body.Close()
	if _, err := io.ReadFull(res.Body, make([]byte, 1)); err != nil {
		return a, err
	}
	a.first = time.Since(began)
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return a, err
	}
	a.all = time.Since(began)
	if res.StatusCode != http.StatusOK {
		return a, fmt.Errorf("GET %s: %s", path, res.Status)
	}
	return a, nil
}

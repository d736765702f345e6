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

func (u *user) authenticate(ctx context.Context) error {
	if u.bearer != "" {
		return nil
	}
	res, err := u.do(ctx, http.MethodPost, "/authenticate", `{"access_token":"`+u.token+`"}`)
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

func (u *user) send(ctx context.Context, path, body string) error {
	res, err := u.do(ctx, http.MethodPost, path, body)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if text, err := io.ReadAll(res.Body); err != nil || res.StatusCode >= 300 {
		return errors.Join(err, fmt.Errorf("POST %s: %s: %s", path, res.Status, tail(text)))
	}
	return nil
}

// do sends a request with the bearer, if there is one, and JSON, if there is any.
func (u *user) do(ctx context.Context, method, path, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, u.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if u.bearer != "" {
		req.Header.Set("Authorization", "Bearer "+u.bearer)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return http.DefaultClient.Do(req)
}

// answered is how long an answer took to its first byte and to its last.
type answered struct{ first, all time.Duration }

func (u *user) get(ctx context.Context, path string) (a answered, err error) {
	began := time.Now()
	res, err := u.do(ctx, http.MethodGet, path, "")
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

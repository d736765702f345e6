package server

import (
	"errors"
	"net/http"

	"ativa/internal/api"
	"ativa/internal/provision"
)

// response is the whole response to a write: what is sent and, under an
// Idempotency-Key, stored.
type response struct {
	status   int
	location string
	body     []byte
	// failed means that the write had no effect. Such a response is not
	// stored: repeating the request runs it again.
	failed bool
}

func (c *requestContext) respond(res response) error {
	media := api.MediaJSON
	if res.status >= http.StatusBadRequest {
		media = api.MediaProblem
	}
	if res.location != "" {
		c.Header().Set("Location", res.location)
	}
	return c.send(res.status, media, res.body)
}

// write runs a use case and sends the response that build makes of its result.
// Under an Idempotency-Key the use case runs at most once, and a repetition of
// the request gets the stored response. build runs inside the transaction and
// must not read the database.
func write[T any](c *requestContext, run func(provision.Call) (T, error), build func(T) (response, error)) error {
	call := provision.Call{Provider: c.provider, Token: c.token}
	key, err := readIdempotencyKey(c)
	if err != nil {
		return err
	}
	var built *response
	if key != nil {
		done, err := c.s.running.start(c.provider, key)
		if err != nil {
			return err
		}
		defer done()
		encode := func(result any) ([]byte, error) {
			var v T
			if p, ok := result.(*T); ok {
				v = *p
			}
			res, err := build(v)
			if built = &res; err != nil || res.failed {
				return nil, err
			}
			return key.seal(res)
		}
		call.IdempotencyKey = &provision.IdempotencyKey{
			Key: key.hash, Fingerprint: key.fingerprint, Encode: encode,
			Seal: func(results []byte) ([]byte, error) { return key.seal(response{body: results}) },
			Open: func(sealed []byte) ([]byte, error) { res, err := key.open(sealed); return res.body, err },
		}
	}
	result, err := run(call)
	if stored, ok := errors.AsType[*provision.RepeatedRequestError](err); ok {
		return c.replay(key, stored)
	}
	if err != nil {
		return err
	}
	if built == nil {
		res, err := build(result)
		if err != nil {
			return err
		}
		built = &res
	}
	return c.respond(*built)
}

func (c *requestContext) replay(key *idempotencyKey, stored *provision.RepeatedRequestError) error {
	res, err := key.open(stored.Response)
	if err != nil {
		return err
	}
	c.Header().Set(api.HeaderIdempotencyReplayed, "true")
	return c.respond(res)
}

// dryRun sends the response that the write would get, and changes nothing.
func dryRun[T any](c *requestContext, run func(provision.Call) (T, error), build func(T) (response, error)) error {
	result, err := run(provision.Call{Provider: c.provider, Token: c.token, DryRun: true})
	if err != nil {
		return err
	}
	res, err := build(result)
	if err != nil {
		return err
	}
	return c.respond(res)
}

func jsonResponse(status int, v any) (response, error) {
	body, err := encode(v)
	return response{status: status, body: body}, err
}

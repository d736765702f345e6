package server

import (
	"errors"

	"ativa/internal/api"
	"ativa/internal/provision"
)

// answer is a whole answer of a write, as it is sent and, under an
// Idempotency-Key, stored.
type answer struct {
	status   int
	location string
	body     []byte
	// refused: nothing took effect, so there is nothing to repeat and
	// nothing is stored.
	refused bool
}

func (x *exchange) answer(a answer) error {
	media := api.MediaJSON
	if a.status >= 400 {
		media = api.MediaProblem
	}
	if a.location != "" {
		x.Header().Set("Location", a.location)
	}
	return x.send(a.status, media, a.body)
}

// write runs a use case and answers with what tell makes of its result. Under
// an Idempotency-Key it runs at most once, and the answer of the first time is
// repeated. tell runs inside the transaction and must not read the database.
func write[T any](x *exchange, do func(provision.Call) (T, error), tell func(T) (answer, error)) error {
	call := provision.Call{Provider: x.provider}
	o, err := newOnce(x)
	if err != nil {
		return err
	}
	var told *answer
	if o != nil {
		done, err := x.s.flights.begin(x, o)
		if err != nil {
			return err
		}
		defer done()
		call.IdempotencyKey = &provision.IdempotencyKey{Key: o.key, Fingerprint: o.fingerprint, Seal: o.sealPart, Open: o.openPart, Encode: func(result any) ([]byte, error) {
			var v T
			if p, ok := result.(*T); ok {
				v = *p
			}
			a, err := tell(v)
			if told = &a; err != nil || a.refused {
				return nil, err
			}
			return o.seal(a)
		}}
	}
	result, err := do(call)
	if r, ok := errors.AsType[*provision.RepeatedRequestError](err); ok {
		return x.repeat(o, r)
	}
	if err != nil {
		return err
	}
	if told == nil {
		a, err := tell(result)
		if err != nil {
			return err
		}
		told = &a
	}
	return x.answer(*told)
}

// repeat sends a stored answer again.
func (x *exchange) repeat(o *once, r *provision.RepeatedRequestError) error {
	a, err := o.open(r.Response)
	if err != nil {
		return err
	}
	x.Header().Set(api.HeaderIdempotencyReplayed, "true")
	return x.answer(a)
}

// dryRun answers what a use case would do.
func dryRun[T any](x *exchange, do func(provision.Call) (T, error), tell func(T) (answer, error)) error {
	result, err := do(provision.Call{Provider: x.provider, DryRun: true})
	if err != nil {
		return err
	}
	a, err := tell(result)
	if err != nil {
		return err
	}
	return x.answer(a)
}

// tellJSON makes an answer of v.
func tellJSON(status int, v any) (answer, error) {
	body, err := encode(v)
	return answer{status: status, body: body}, err
}

package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
)

// maxItem limits one element of a streamed list, in bytes.
const maxItem = 8 << 20

// streamList yields the elements of the list in a field of the response in constant
// memory. It puts the other members of the response into rest, unless that is nil. The
// sequence ends after the first error.
func streamList[T any](ctx context.Context, c *Client, cl call, field string, rest map[string]json.RawMessage) iter.Seq2[Item[T], error] {
	return func(yield func(Item[T], error) bool) {
		body, err := c.stream(ctx, cl)
		if err != nil {
			yield(Item[T]{}, err)
			return
		}
		defer body.Close()
		r := &itemLimitReader{r: body, left: maxItem}
		stopped := errors.New("stopped")
		err = walkList(r, field, rest, func(raw json.RawMessage) error {
			r.left = maxItem
			var v T
			if err := json.Unmarshal(raw, &v); err != nil {
				return err
			}
			if !yield(Item[T]{v, raw}, nil) {
				return stopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, stopped) {
			yield(Item[T]{}, streamError(ctx, cl, err))
		}
	}
}

func getList[T any](ctx context.Context, c *Client, cl call, field string) ([]Item[T], error) {
	a, err := c.do(ctx, cl)
	if err != nil {
		return nil, err
	}
	return decodeList[T](cl, field, a)
}

func decodeList[T any](cl call, field string, a response) ([]Item[T], error) {
	out := []Item[T]{}
	err := walkList(bytes.NewReader(a.body), field, nil, func(raw json.RawMessage) error {
		var v T
		if err := json.Unmarshal(raw, &v); err != nil {
			return err
		}
		out = append(out, Item[T]{v, raw})
		return nil
	})
	if err != nil {
		return nil, &UnexpectedResponseError{Route: cl.name(), Err: err}
	}
	return out, nil
}

// streamError classifies an error within the body of a list.
func streamError(ctx context.Context, cl call, err error) error {
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, kind := errors.AsType[*json.UnmarshalTypeError](err)
	why, shape := errors.AsType[constError](err)
	switch {
	case syntax, kind, shape && why != errSilent:
		return &UnexpectedResponseError{Route: cl.name(), Err: err}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("the list was cut short: %w", io.ErrUnexpectedEOF)
	}
	return cl.unavailable(contextCause(ctx, err))
}

// walkList calls record for each element of a list response: an object with an
// array in the field, or in `data` as in a page, or a bare array. It puts the other
// members of the object into rest, unless that is nil.
func walkList(r io.Reader, field string, rest map[string]json.RawMessage, record func(json.RawMessage) error) error {
	d := json.NewDecoder(r)
	token, err := d.Token()
	if err != nil {
		begun, _ := io.ReadAll(io.LimitReader(d.Buffered(), 64))
		return explainMarkup(begun, err)
	}
	switch token {
	case json.Delim('['):
		return walkArray(d, record)
	case json.Delim('{'):
	default:
		return constError("no list")
	}
	found := false
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		if name != field && name != "data" {
			var raw json.RawMessage
			if err := d.Decode(&raw); err != nil {
				return err
			}
			if name, ok := name.(string); ok && rest != nil {
				rest[name] = raw
			}
			continue
		}
		found = true
		switch token, err := d.Token(); {
		case err != nil:
			return err
		case token == nil: // null, as some servers write an empty list
			continue
		case token != json.Delim('['):
			return constError("no list")
		}
		if err := walkArray(d, record); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	if !found {
		return constError("no list")
	}
	return nil
}

func walkArray(d *json.Decoder, record func(json.RawMessage) error) error {
	for d.More() {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return err
		}
		if err := record(raw); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// itemLimitReader returns errTooLarge after left bytes. Its user sets left again
// for each element.
type itemLimitReader struct {
	r    io.Reader
	left int
}

func (r *itemLimitReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, errTooLarge
	}
	n, err := r.r.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, err
}

// Collect returns the elements of a sequence, or its error.
func Collect[T any](seq iter.Seq2[Item[T], error]) ([]Item[T], error) {
	out := []Item[T]{}
	for r, err := range seq {
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return slices.Clip(out), nil
}

// Values returns the values of items, without the JSON that the server sent.
func Values[T any](all []Item[T]) []T {
	values := make([]T, len(all))
	for i, r := range all {
		values[i] = r.Value
	}
	return values
}

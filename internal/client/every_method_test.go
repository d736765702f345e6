package client_test

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
)

// called calls a method with zero values, a non-empty text for each string and one element for each
// slice, and returns its error. A sequence is read to its end.
func called(ctx context.Context, method reflect.Value) error {
	var in []reflect.Value
	for of := range method.Type().Ins() {
		v := reflect.New(of).Elem()
		switch of.Kind() {
		case reflect.Interface:
			v.Set(reflect.ValueOf(ctx))
		case reflect.String:
			v.SetString("52998224725")
		case reflect.Slice:
			v.Set(reflect.MakeSlice(of, 1, 1))
		case reflect.Pointer:
			v.Set(reflect.New(of.Elem()))
		}
		in = append(in, v)
	}
	out := method.Call(in)
	last := out[len(out)-1]
	if last.Kind() == reflect.Func {
		for _, v := range last.Seq2() {
			last = v
		}
	}
	err, _ := last.Interface().(error)
	return err
}

// otherTypes has the fields of every answer to a read, with values that they cannot have.
const otherTypes = `{"subscriber":1,"subscribers":[1],"content_supplier_products":[1],"products":[1],"status":[1],"internet_speeds":[1],
	"events":[1],"next_cursor":"evt_1","history":[1],"deliveries":[1],"schedules":[1],"schedule":[1],"tokens":[1],"extensions":[]}`

func isUnavailable(err error) bool { return client.KindOf(err) == client.KindUnavailable }

func isUnexpected(err error) bool {
	_, ok := errors.AsType[*client.UnexpectedResponseError](err)
	return ok
}

// No method takes a failed request, or an answer to a read that cannot be read, for a result or for
// another error. A write whose answer cannot be read may have been done: it is judged by its status.
func TestEveryMethodReturnsTheErrorOfItsRequest(t *testing.T) {
	all := reflect.TypeFor[*client.Client]()
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		write  bool // whether a write fails, too
		is     func(error) bool
	}{
		"unavailable":           {answer(http.StatusServiceUnavailable, ""), true, isUnavailable},
		"a text that is cut":    {answer(http.StatusOK, `{"events":[`), false, isUnavailable},
		"a list of other types": {answer(http.StatusOK, `[[]]`), false, isUnexpected},
		"fields of other types": {answer(http.StatusOK, otherTypes), false, isUnexpected},
	} {
		for method := range all.Methods() {
			switch method.Name {
			case "Close", "ClockOffset", "HasExtension", "AccessToken", "Do": // make no request, or give its answer as it is
				continue
			}
			reads := false
			server := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				reads = r.Method == http.MethodGet
				c.answer(w, r)
			})
			cl := apitest.Serve(t, server, client.Options{Retry: apitest.Once()})
			err := called(t.Context(), reflect.ValueOf(cl).MethodByName(method.Name))
			if (reads || c.write) && !c.is(err) {
				t.Errorf("%s, %s: got %v", method.Name, name, err)
			}
		}
	}
}

func TestACursorOrSecretOfAnotherTypeIsAnError(t *testing.T) {
	for body, do := range map[string]func(*client.Client) error{
		`{"events":[],"next_cursor":1}`:       func(c *client.Client) error { return errorOf(c.Events(t.Context(), "", 0, 0)) },
		`{"token":{},"access_token":1}`:       func(c *client.Client) error { _, _, err := c.CreateToken(t.Context(), api.TokenCreate{}); return err },
		`{"token":[],"access_token":"ativa"}`: func(c *client.Client) error { _, _, err := c.CreateToken(t.Context(), api.TokenCreate{}); return err },
	} {
		if err := do(apitest.Serve(t, answer(http.StatusOK, body), client.Options{})); !isUnexpected(err) {
			t.Errorf("%s: got %v, want an unexpected response", body, err)
		}
	}
}

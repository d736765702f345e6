package api_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"ativa/internal/api"
)

// encode returns v as the API writes it.
func encode(t testing.TB, v any) string {
	t.Helper()
	b, err := api.Marshal(v)
	must(t, err)
	return string(b)
}

// Commands print with encoding/json values that the server wrote with Marshal: both encode every type
// to the same bytes, except for HTML escapes.
func TestMarshalWritesWhatTheStandardLibraryWrites(t *testing.T) {
	for _, v := range []any{
		api.ImportRequest{}, filled[api.ImportRequest](2), api.BatchRequest{}, filled[api.BatchRequest](2), filled[api.SubscriberUpdate](1),
		api.ImportResponse{}, filled[api.ImportResponse](1), filled[api.ImportProblem](2), api.BatchResponse{}, filled[api.BatchResponse](2), filled[api.BatchProblem](1),
		api.Page[api.Subscriber]{}, filled[api.Page[api.Subscriber]](2), filled[api.Page[api.Product]](1), filled[api.ChangeResponse](1), filled[api.ResendResponse](1),
		api.UsageResponse{}, filled[api.UsageResponse](1), api.EventsResponse{Events: api.List[api.Event]{{}}}, filled[api.EventsResponse](2),
		filled[api.DeliveriesResponse](1), api.AuthenticateResponse{}, filled[api.AuthenticateResponse](1), filled[api.AccessToken](1), filled[api.Problem](2),
	} {
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		must(t, e.Encode(v))
		if got := encode(t, v) + "\n"; got != want.String() {
			t.Errorf("%T: got  %s\nwant %s", v, got, &want)
		}
	}
}

// filled returns a value with all fields set, including future ones. Its lists have n elements and a
// zero one.
func filled[T any](n int) *T {
	var v T
	fill(reflect.ValueOf(&v).Elem(), n)
	return &v
}

func fill(v reflect.Value, n int) {
	if v.Type() == reflect.TypeFor[api.Time]() {
		v.Set(reflect.ValueOf(api.At(time.Date(2026, 1, 31, 12, 34, 56, 123456000, time.UTC))))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), n+1, n+1))
		for i := range n {
			fill(v.Index(i), n)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.String:
		v.SetString("é \"<b>\" &\n\\\x01\x7f")
	case reflect.Bool:
		v.SetBool(v.Type() != reflect.TypeFor[bool]() || n > 1) // an Optional is null or has a value
	default:
		v.SetInt(-42)
	}
}

// Invalid UTF-8 never keeps a response from being sent.
func TestTextThatIsNotUTF8IsWritten(t *testing.T) {
	if got, want := encode(t, api.Product{Name: "a\xff"}), `{"id":0,"name":"a`+"\ufffd"+`","code":"","active":false,"can":[]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

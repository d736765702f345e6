package api_test

import (
	"reflect"
	"testing"

	"ativa/internal/api"
)

func TestAppendedResponsesAreWhatJSONWrites(t *testing.T) {
	for _, v := range []interface{ AppendJSON([]byte) []byte }{
		&api.ImportResponse{}, &api.BatchResponse{},
		filled[api.ImportResponse](1), filled[api.BatchResponse](1),
		filled[api.ImportResponse](2), filled[api.BatchResponse](2),
	} {
		if got, want := string(v.AppendJSON(nil)), encode(t, v); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// filled is a value all of whose fields are set, also those that will be added. Its
// lists have n elements and one that is zero.
func filled[T any](n int) *T {
	var v T
	fill(reflect.ValueOf(&v).Elem(), n)
	return &v
}

func fill(v reflect.Value, n int) {
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
		v.SetString("é \"<b>\" &\n\\")
	default:
		v.SetInt(-42)
	}
}

package api_test

import (
	"encoding/json"
	"testing"

	"ativa/internal/api"
)

// Values of the wire from any server: a decoded value is encoded and decoded again to itself.
func FuzzValues(f *testing.F) {
	for _, text := range []string{
		`"2026-01-31T12:34:56.123456Z"`, `"2026-01-31 12:34:56"`, `"2026-01-31"`, `"9999-12-31T23:59:59-12:00"`, `"0000-01-01T00:00:00Z"`, `"0001-01-01T00:00:00+14:00"`, `"x"`,
		`25`, `"25"`, `-0`, `1.5`, `1e3`, `null`, `true`, `"1"`, `""`, `9223372036854775808`, `"2026-01-31T12:34:56.999999999Z"`, `"\u0032"`, `[1]`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			return
		}
		readsAgain[api.Time](t, text)
		readsAgain[api.Int](t, text)
		readsAgain[api.Flag](t, text)
		readsAgain[api.NullableInt](t, text)
		readsAgain[api.NullableString](t, text)
	})
}

func readsAgain[T any](t *testing.T, text []byte) {
	t.Helper()
	var first, second T
	if json.Unmarshal(text, &first) != nil {
		return
	}
	once, err := json.Marshal(first)
	if err != nil || json.Unmarshal(once, &second) != nil {
		t.Fatalf("%s is %v, which is written as %s, %v, and cannot be read", text, first, once, err)
	}
	if twice, err := json.Marshal(second); err != nil || string(twice) != string(once) {
		t.Errorf("%s is written as %s and then as %s, %v", text, once, twice, err)
	}
}

package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ativa/internal/api"
)

// readJSON reads a whole document, and says what is wrong with it.
func readJSON(s string) error {
	r, err := api.NewJSONReader(s)
	if err != nil {
		return err
	}
	if err := r.Skip(); err != nil {
		return err
	}
	return r.End()
}

func TestBodiesAreReadAsStrictlyAsRFC8259(t *testing.T) {
	for _, s := range []string{
		`{}`, ` [ ] `, `null`, `true`, `false`, `""`, `0`, `-0`, `-1.5e+10`, `12E3`, `"\u00e9\n\"\\"`, `{"a":{"a":1},"b":[{"a":1}]}`,
		`{"":1}`, "\t{\r\n}", `[1,2,[3]]`, `"😀"`,
	} {
		if err := readJSON(s); err != nil {
			t.Errorf("%s: got %v, want no error", s, err)
		}
	}
	for _, s := range []string{
		``, ` `, `{`, `}`, `{]`, `[1,]`, `{"a":1,}`, `{"a"}`, `{"a":}`, `{a:1}`, `{'a':1}`, `{} {}`, `{}x`, `nul`, `nullx`, `TRUE`,
		`01`, `-`, `+1`, `1.`, `.5`, `1e`, `1e+`, `0x1`, `NaN`, `"`, `"\"`, `"\x"`, `"\u12"`, "\"\n\"", "\"\x00\"", "\"\xff\"",
		`[1 2]`, `["a":1]`, `{"a":1 "b":2}`, `/* */{}`,
		`{"a":1,"a":1}`, `{"x":{"a":1,"\u0061":2}}`, `[{"a":1,"b":2,"a":3}]`,
		strings.Repeat("[", 65) + strings.Repeat("]", 65),
	} {
		if readJSON(s) == nil {
			t.Errorf("%q: got no error, want one", s)
		}
	}
}

func TestEqualKeysAreFoundAmongMany(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		b.WriteString(`"k` + strings.Repeat("x", i) + `":1,`)
	}
	if err := readJSON(`{` + b.String() + `"last":1}`); err != nil {
		t.Errorf("different keys: %v", err)
	}
	if readJSON(`{`+b.String()+`"kxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx":1}`) == nil {
		t.Error("an equal key among a thousand: got no error, want one")
	}
}

// What the standard library reads, a body may be, but for equal keys and deep nesting.
func FuzzBodiesAreJSONExactlyWhenTheStandardLibrarySaysSo(f *testing.F) {
	for _, s := range []string{`{"a":[1,-2.5e3,"\u00e9",null,true,false,{}]}`, `[]`, `{"a":1,"a":2}`, `"\ud800"`, `1e5`, `{"a"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		err := readJSON(s)
		valid := json.Valid([]byte(s))
		switch {
		case err == nil && !valid:
			t.Errorf("%q: got no error, and the standard library refuses it", s)
		case err != nil && valid && !isStricter(err):
			t.Errorf("%q: got %v, and the standard library reads it", s, err)
		}
	})
}

// isStricter reports whether err is for a body that only the standard library
// accepts.
func isStricter(err error) bool {
	return strings.Contains(err.Error(), "same key twice") || strings.Contains(err.Error(), "too deeply") ||
		strings.Contains(err.Error(), "not UTF-8")
}

func BenchmarkReadingAnImport(b *testing.B) {
	row := `{"name":"Maria da Silva","email":"maria@example.com","document":"52998224725","phone":"+5511987654321","internet_speed_id":10,"customer_plan":"Fibra","products_ids":[1,2]}`
	body := `{"subscribers":[` + strings.Repeat(row+",", 999) + row + `]}`
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if err := readJSON(body); err != nil {
			b.Fatal(err)
		}
	}
}

// PowerShell writes a byte order mark before the JSON that it saves, and no editor shows it.
func TestAByteOrderMarkIsAccepted(t *testing.T) {
	for doc, valid := range map[string]bool{"\ufeff{}": true, "\ufeff\ufeff{}": false, "{}\ufeff": false} {
		r, err := api.NewJSONReader(doc)
		if err == nil {
			err = r.Skip()
		}
		if err == nil {
			err = r.End()
		}
		if (err == nil) != valid {
			t.Errorf("%q: got %v, want valid: %t", doc, err, valid)
		}
	}
}

package render_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"unicode/utf8"

	"ativa/internal/api"
	"ativa/internal/formula"
	"ativa/internal/render"
)

// unsafeTexts returns all 65 control characters, all characters that change the
// direction of text, other invisible ones, and invalid UTF-8.
func unsafeTexts() []string {
	var out []string
	for r := rune(0); r < 0xa0; r++ {
		if r < 0x20 || r >= 0x7f {
			out = append(out, string(r))
		}
	}
	for _, r := range "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069" +
		"\u00ad\u200b\u2028\u2029\ufeff\U000e0001\U000e0041" {
		out = append(out, string(r))
	}
	return append(out, "\x9b", "\xff", "\xe2\x80", "\xed\xa0\x80")
}

// firstRaw returns the first character in s that must not reach a terminal.
func firstRaw(s string) string {
	hostile := strings.Join(unsafeTexts(), "")
	for i, r := range s {
		broken := r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd")
		if broken || r != '\n' && r != utf8.RuneError && strings.ContainsRune(hostile, r) {
			return s[i:min(len(s), i+4)]
		}
	}
	return ""
}

func terminalFormats() map[string]render.Options {
	all := []string{"document", "name", "status", "internet_speed_id", "phone", "customer_plan", "created_at"}
	out := map[string]render.Options{
		"live":           {Columns: all, Live: true},
		"colour":         {Columns: all},
		"excel":          {Excel: true, Columns: all},
		"jq":             {JQ: ".subscribers[] | ., .name, (.name|@json|fromjson), (.|tojson|@base64|@base64d)"},
		"jq lines":       {Format: render.FormatJSONL, JQ: "keys[], .[]"},
		"template":       {Template: "{{range .subscribers}}{{.name}}|{{.}}{{end}}"},
		"template lines": {Format: render.FormatJSONL, Template: "{{.name}} {{.status}}"},
	}
	for _, f := range render.Formats() {
		o := render.Options{Format: f}
		if f == render.FormatCSV || f == render.FormatTSV || f == render.FormatTable {
			o.Columns = all
		}
		out[f] = o
	}
	return out
}

// poisoned returns a person with the text in every field and as a field's name.
func poisoned(text string) person {
	s := "a" + text + "b"
	p := person{Document: s, Name: s, Phone: s, Plan: s, Status: s, CreatedAt: s}
	p.raw, _ = json.Marshal(map[string]any{"name": s, "status": s, s: s})
	if !utf8.ValidString(text) {
		// Marshal would escape it; a hostile server does not.
		p.raw = json.RawMessage(`{"name":"` + s + `","status":"` + s + `","` + s + `":"` + s + `"}`)
	}
	return p
}

func TestNoUnsafeCharacterReachesATerminalInAnyFormatOrColumn(t *testing.T) {
	for name, o := range terminalFormats() {
		o.Screen = screenOf(200, 24) // an escape wraps no row
		o.Screen.Colour = name == "colour"
		harmless := strings.Count(list(t, o, []person{poisoned("x")}), "\n")
		for _, text := range unsafeTexts() {
			rows := []person{poisoned(text)}
			got := list(t, o, rows)
			one := ""
			if o.JQ == "" && o.Template == "" {
				one = printed(t, o, personSchema(), func(p *render.Printer[person]) error { return p.One(t.Context(), nil, rows[0]) })
			}
			for _, s := range []string{got, one} {
				s = strings.NewReplacer("\x1b[1m", "", "\x1b[0m", "").Replace(strings.TrimPrefix(s, "\ufeff")) // ours
				if name == render.FormatTSV {
					s = strings.ReplaceAll(s, "\t", " ") // the one between cells
				}
				if bad := firstRaw(s); bad != "" {
					t.Errorf("%s, %q: got %q in\n%q", name, text, bad, s)
				}
			}
			// YAML writes a key with a line end in it, escaped, in two lines.
			if lines := strings.Count(got, "\n"); lines != harmless && name != render.FormatYAML {
				t.Errorf("%s, %q: got %d lines, want %d: a text forged a line", name, text, lines, harmless)
			}
		}
	}
}

func TestNoUnsafeCharacterReachesAnErrorLine(t *testing.T) {
	for _, format := range append(render.Formats(), "", "nonsense") {
		for _, text := range unsafeTexts() {
			var out bytes.Buffer
			err := render.WriteError(&out, format, render.ErrorInfo{
				Code: "c" + text, Message: "m" + text, RequestID: api.NullableString("r" + text), Hint: api.NullableString("h" + text), HTTPStatus: 409})
			if bad := firstRaw(out.String()); err != nil || bad != "" {
				t.Errorf("%s: got %q, %v", format, out.String(), err)
			}
		}
	}
}

func TestSanitiseShowsWhatItEscapes(t *testing.T) {
	for in, want := range map[string]string{
		"João 李 👩‍👧":           "João 李 👩‍👧",
		"\x1b[2J":              `\x1b[2J`,
		"a\tb\r\n":             `a\tb\r\n`,
		"\u202eevil":           `\u202eevil`,
		"\U000e0041":           `\U000e0041`,
		"bad \x9b":             `bad \x9b`,
		"\u0085":               `\u0085`,
		"":                     "",
		"\ufffd is not broken": "\ufffd is not broken",
	} {
		if got := render.Sanitise(in); got != want {
			t.Errorf("Safe(%q): got %q, want %q", in, got, want)
		}
	}
}

// Machines read back every text exactly; a spreadsheet reads no formula.
func TestPipedMachineFormatsKeepEveryTextExactly(t *testing.T) {
	for _, text := range append(unsafeTexts(), "=", "+", "-", "@", "'=", "''+", "'", " ", ";", ",", "\"") {
		if !utf8.ValidString(text) {
			continue
		}
		p := poisoned(text)
		var doc struct{ Subscribers []map[string]string }
		must(t, json.Unmarshal([]byte(list(t, render.Options{Format: render.FormatJSON}, []person{p})), &doc))
		if got := doc.Subscribers[0]; !maps.Equal(got, map[string]string{"name": p.Name, "status": p.Name, p.Name: p.Name}) {
			t.Errorf("json, %q: got %q", text, got)
		}
		p.Name = text + "1;2,\"3\"" + strings.ReplaceAll(text, "\r", "") // encoding/csv reads CR LF in quotes as LF
		for _, excel := range []bool{false, true} {
			o := render.Options{Format: render.FormatCSV, Excel: excel, Columns: []string{"name"}, NoHeader: true}
			reader := csv.NewReader(strings.NewReader(strings.TrimPrefix(list(t, o, []person{p}), "\ufeff")))
			if excel {
				reader.Comma = ';'
			}
			records, err := reader.ReadAll()
			if err != nil || len(records) != 1 || formula.Unescape(records[0][0]) != p.Name || strings.ContainsAny(records[0][0][:1], "=+-@\t\r") {
				t.Errorf("csv, Excel %t, %q: got %q, %v", excel, p.Name, records, err)
			}
		}
	}
}

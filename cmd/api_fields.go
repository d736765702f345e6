package cmd

import (
	"encoding/json"
	"strings"

	"ativa/internal/cli"
)

// fields builds the object that -f and -F describe.
func (o apiOptions) fields(e *cli.Env) (map[string]any, error) {
	out := map[string]any{}
	for _, f := range o.texts {
		name, text, ok := strings.Cut(f, "=")
		if !ok {
			return nil, cli.Usage("-f %q is not NAME=VALUE", f)
		}
		if err := setField(out, name, text); err != nil {
			return nil, err
		}
	}
	for _, f := range o.typed {
		name, text, ok := strings.Cut(f, "=")
		if !ok {
			return nil, cli.Usage("-F %q is not NAME=VALUE", f)
		}
		if file, ok := strings.CutPrefix(text, "@"); ok {
			b, err := readAll(e, file)
			if err != nil {
				return nil, err
			}
			text = string(b)
		}
		if err := setField(out, name, typedValue(text)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// typedValue parses text as JSON. Text that is not valid JSON, such as 05299822472, and quoted
// strings stay as they are.
func typedValue(text string) any {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if !json.Valid([]byte(text)) || d.Decode(&v) != nil {
		return text
	}
	if _, quoted := v.(string); quoted {
		return text
	}
	return v
}

// setField sets NAME, appends to NAME[], or sets NAME[KEY], nested to any depth.
func setField(object map[string]any, name string, v any) error {
	first, rest, nested := strings.Cut(name, "[")
	if first == "" {
		return cli.Usage("%q is not the name of a field", name)
	}
	if !nested {
		object[first] = v
		return nil
	}
	key, after, closed := strings.Cut(rest, "]")
	if !closed {
		return cli.Usage("%q: a bracket is not closed", name)
	}
	if key == "" {
		list, ok := object[first].([]any)
		if object[first] != nil && !ok || after != "" {
			return cli.Usage("%q: not a list of values", name)
		}
		object[first] = append(list, v)
		return nil
	}
	inner, ok := object[first].(map[string]any)
	if object[first] != nil && !ok {
		return cli.Usage("%q: %s is no object", name, first)
	}
	if inner == nil {
		inner = map[string]any{}
		object[first] = inner
	}
	return setField(inner, key+after, v)
}

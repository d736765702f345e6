package cli

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"ativa/internal/credentials"
	"ativa/internal/csvfile"
	"ativa/internal/render"
)

// Key is one thing that can be set: by a flag, in the environment, in the
// configuration file (cli.md, Configuration).
type Key struct {
	Name string
	// flag and variables are empty where there is none.
	Flag      string
	Variables []string
	fallback  string
	// inContext tells that it belongs to a context of the file.
	InContext bool
	// secret hides the value in lists.
	secret bool
	// check says what is wrong with a value, in words; nil takes any.
	check   func(string) Message
	Meaning string
}

// Keys are all that there is to set, in the order of `ativa config list`.
func Keys() []Key {
	return []Key{
		{Name: "context", Flag: "context", Variables: []string{"ATIVA_CONTEXT"}, Meaning: "the context to use"},
		{Name: "output", Flag: "output", Variables: []string{"ATIVA_OUTPUT"}, check: oneOf(render.Formats()...), Meaning: "format of the output"},
		{Name: "color", Flag: "color", Variables: []string{"ATIVA_COLOR"}, fallback: render.ColourAuto,
			check: oneOf(render.ColourAuto, render.ColourAlways, render.ColourNever), Meaning: "auto, always or never"},
		{Name: "timeout", Flag: "timeout", Variables: []string{"ATIVA_TIMEOUT"}, check: isDuration, Meaning: "limit of one request, and of --wait"},
		{Name: "pager", Variables: []string{"ATIVA_PAGER", "PAGER"}, Meaning: "command that shows long output"},
		{Name: "server", Flag: "server", Variables: []string{"ATIVA_SERVER"}, InContext: true, Meaning: "base URL of the server"},
		{Name: "token_command", InContext: true, secret: true, Meaning: "shell command that prints the access token"},
		{Name: "token_file", InContext: true, Meaning: "file with the access token"},
		{Name: "storage", InContext: true, check: oneOf(string(credentials.StorageKeyring), string(credentials.StorageFile)),
			Meaning: "where login keeps the token: keyring or file"},
		{Name: "ca_cert", Flag: "ca-cert", Variables: []string{"ATIVA_CA_CERT"}, InContext: true, Meaning: "PEM file of authorities to trust"},
		{Name: "client_cert", Flag: "client-cert", Variables: []string{"ATIVA_CLIENT_CERT"}, InContext: true, Meaning: "PEM file of a client certificate"},
		{Name: "client_key", Flag: "client-key", Variables: []string{"ATIVA_CLIENT_KEY"}, InContext: true, Meaning: "PEM file of its key"},
		{Name: "proxy", Flag: "proxy", Variables: []string{"ATIVA_PROXY"}, InContext: true, Meaning: "URL of a proxy; without it HTTPS_PROXY and NO_PROXY count"},
		{Name: "insecure_http", Flag: "insecure-http", InContext: true, fallback: "false", check: isBool, Meaning: "permit plain http to another machine"},
		{Name: "read_only", InContext: true, fallback: "false", check: isBool, Meaning: "refuse every change"},
		{Name: "protected", InContext: true, fallback: "false", check: isBool, Meaning: "ask before every change"},
		{Name: "import_columns", InContext: true, check: checkMappings, Meaning: "which columns of a spreadsheet hold a field: field=column;field=column"},
		{Name: "import_values", InContext: true, check: checkValues, Meaning: "what values of a spreadsheet mean: products:VALUE=PRODUCT;speed:VALUE=SPEED"},
	}
}

func keyNames() []string { return Map(Keys(), func(k Key) string { return k.Name }) }

// FindKey refuses a key that does not exist.
func FindKey(name string) (Key, error) {
	all := Keys()
	i := slices.IndexFunc(all, func(k Key) bool { return k.Name == name })
	if i < 0 {
		return Key{}, Usage("unknown key %q", name).WithHintMessage(DidYouMean(name, keyNames()))
	}
	return all[i], nil
}

// Wrong says what is wrong with a value, if anything is.
func (k Key) Wrong(value string) Message {
	if k.check == nil {
		return Message{}
	}
	return k.check(value)
}

// isBool tells of a key that is true or false; what is neither is never set.
func (k Key) isBool() bool { return k.fallback == "true" || k.fallback == "false" }

// Shown is the value as a list may show it.
func (k Key) Shown(value string) string {
	if k.secret && value != "" {
		return "***"
	}
	if k.Name != "proxy" {
		return value
	}
	if u, err := url.Parse(value); err == nil && u.User != nil {
		return u.Redacted()
	}
	return value
}

func oneOf(words ...string) func(string) Message {
	return func(value string) Message {
		if slices.Contains(words, value) {
			return Message{}
		}
		return Msg("is one of %s; not %q", strings.Join(words, ", "), value)
	}
}

func isBool(value string) Message { return oneOf("true", "false")(value) }

func isDuration(value string) Message {
	if d, err := time.ParseDuration(value); err != nil || d < 0 {
		return Msg("is a time such as 30s or 2m; not %q", value)
	}
	return Message{}
}

// checkMappings says what is wrong with a list of mappings, or "".
func checkMappings(text string) Message {
	if _, err := ParseMappings(text); err != nil {
		return Msg("is field=column;field=column: %s", err)
	}
	return Message{}
}

// ParseMappings reads "field=column;field=column".
func ParseMappings(text string) ([]csvfile.Mapping, error) {
	var all []csvfile.Mapping
	for _, part := range Split(text) {
		m, err := csvfile.ParseMapping(part)
		if err != nil {
			return nil, err
		}
		if m.Column == "" {
			return nil, errors.New("a mapping is field=column")
		}
		all = append(all, m)
	}
	return all, nil
}

// Split cuts a list of the configuration file.
func Split(text string) []string {
	var parts []string
	for part := range strings.SplitSeq(text, ";") {
		if strings.TrimSpace(part) != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// ParseValues reads mappings of values, each "field:value=meaning".
func ParseValues(texts []string) ([]csvfile.ValueMapping, error) {
	var all []csvfile.ValueMapping
	for _, text := range texts {
		m, err := csvfile.ParseValueMapping(text)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// checkValues says what is wrong with a list of value mappings, or "".
func checkValues(text string) Message {
	if _, err := ParseValues(Split(text)); err != nil {
		return Msg("is a list of what --map-value takes, with semicolons between: %s", err)
	}
	return Message{}
}

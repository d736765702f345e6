package cmd

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"ativa/internal/credentials"
	"ativa/internal/render"
)

// key is one thing that can be set: by a flag, in the environment, in the
// configuration file (cli.md, Configuration).
type key struct {
	name string
	// flag and variables are empty where there is none.
	flag      string
	variables []string
	fallback  string
	// inContext tells that it belongs to a context of the file.
	inContext bool
	// secret hides the value in lists.
	secret bool
	// check says what is wrong with a value, in words; nil takes any.
	check   func(string) phrase
	meaning string
}

// keys are all that there is to set, in the order of `ativa config list`.
func keys() []key {
	return []key{
		{name: "context", flag: "context", variables: []string{"ATIVA_CONTEXT"}, meaning: "the context to use"},
		{name: "output", flag: "output", variables: []string{"ATIVA_OUTPUT"}, check: oneOf(render.Formats()...), meaning: "format of the output"},
		{name: "color", flag: "color", variables: []string{"ATIVA_COLOR"}, fallback: render.ColourAuto,
			check: oneOf(render.ColourAuto, render.ColourAlways, render.ColourNever), meaning: "auto, always or never"},
		{name: "timeout", flag: "timeout", variables: []string{"ATIVA_TIMEOUT"}, check: isDuration, meaning: "limit of one request, and of --wait"},
		{name: "pager", variables: []string{"ATIVA_PAGER", "PAGER"}, meaning: "command that shows long output"},
		{name: "server", flag: "server", variables: []string{"ATIVA_SERVER"}, inContext: true, meaning: "base URL of the server"},
		{name: "token_command", inContext: true, secret: true, meaning: "shell command that prints the access token"},
		{name: "token_file", inContext: true, meaning: "file with the access token"},
		{name: "storage", inContext: true, check: oneOf(string(credentials.StorageKeyring), string(credentials.StorageFile)),
			meaning: "where login keeps the token: keyring or file"},
		{name: "ca_cert", flag: "ca-cert", variables: []string{"ATIVA_CA_CERT"}, inContext: true, meaning: "PEM file of authorities to trust"},
		{name: "client_cert", flag: "client-cert", variables: []string{"ATIVA_CLIENT_CERT"}, inContext: true, meaning: "PEM file of a client certificate"},
		{name: "client_key", flag: "client-key", variables: []string{"ATIVA_CLIENT_KEY"}, inContext: true, meaning: "PEM file of its key"},
		{name: "proxy", flag: "proxy", variables: []string{"ATIVA_PROXY"}, inContext: true, meaning: "URL of a proxy; without it HTTPS_PROXY and NO_PROXY count"},
		{name: "insecure_http", flag: "insecure-http", inContext: true, fallback: "false", check: isBool, meaning: "permit plain http to another machine"},
		{name: "read_only", inContext: true, fallback: "false", check: isBool, meaning: "refuse every change"},
		{name: "protected", inContext: true, fallback: "false", check: isBool, meaning: "ask before every change"},
		{name: "import_columns", inContext: true, check: areMappings, meaning: "which columns of a spreadsheet hold a field: field=column;field=column"},
		{name: "import_values", inContext: true, check: areValues, meaning: "what values of a spreadsheet mean: products:VALUE=PRODUCT;speed:VALUE=SPEED"},
	}
}

func keyNames() []string { return mapped(keys(), func(k key) string { return k.name }) }

// findKey refuses a key that does not exist.
func findKey(name string) (key, error) {
	all := keys()
	i := slices.IndexFunc(all, func(k key) bool { return k.name == name })
	if i < 0 {
		return key{}, usage("unknown key %q", name).hinting(didYouMean(name, keyNames()))
	}
	return all[i], nil
}

// wrong says what is wrong with a value, if anything is.
func (k key) wrong(value string) phrase {
	if k.check == nil {
		return phrase{}
	}
	return k.check(value)
}

// isBool tells of a key that is true or false; what is neither is never set.
func (k key) isBool() bool { return k.fallback == "true" || k.fallback == "false" }

// shown is the value as a list may show it.
func (k key) shown(value string) string {
	if k.secret && value != "" {
		return "***"
	}
	if k.name != "proxy" {
		return value
	}
	if u, err := url.Parse(value); err == nil && u.User != nil {
		return u.Redacted()
	}
	return value
}

func oneOf(words ...string) func(string) phrase {
	return func(value string) phrase {
		if slices.Contains(words, value) {
			return phrase{}
		}
		return say("is one of %s; not %q", strings.Join(words, ", "), value)
	}
}

func isBool(value string) phrase { return oneOf("true", "false")(value) }

func isDuration(value string) phrase {
	if d, err := time.ParseDuration(value); err != nil || d < 0 {
		return say("is a time such as 30s or 2m; not %q", value)
	}
	return phrase{}
}

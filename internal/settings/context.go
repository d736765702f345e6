package settings

import (
	"maps"
	"slices"
	"strings"

	"ativa/internal/failure"
	"ativa/internal/lang"
)

// AllContexts is the name that means every context at once, in commands that accept it (cli.md,
// Selecting). No context may have it.
const AllContexts = "all"

// Context is a server with its connection settings, an entry of the list "contexts" in the
// configuration file.
type Context struct {
	Name         string `yaml:"name"`
	Server       string `yaml:"server"`
	TokenCommand string `yaml:"token_command,omitempty"`
	TokenFile    string `yaml:"token_file,omitempty"`
	// TokenFileFirst means that a flag names the token file.
	TokenFileFirst bool   `yaml:"-"`
	Storage        string `yaml:"storage,omitempty"`
	CACert         string `yaml:"ca_cert,omitempty"`
	ClientCert     string `yaml:"client_cert,omitempty"`
	ClientKey      string `yaml:"client_key,omitempty"`
	Proxy          string `yaml:"proxy,omitempty"`
	InsecureHTTP   bool   `yaml:"insecure_http,omitempty"`
	ReadOnly       bool   `yaml:"read_only,omitempty"`
	Protected      bool   `yaml:"protected,omitempty"`
	Columns        string `yaml:"import_columns,omitempty"`
	Values         string `yaml:"import_values,omitempty"`
	// ResendProduct means that the server resends for one service by a body field outside
	// api.md. Headers are sent with every call.
	ResendProduct bool              `yaml:"resend_product,omitempty"`
	Headers       map[string]string `yaml:"headers,omitempty"`
}

// SameServer reports whether two server addresses are equal, except for a slash at the end.
func SameServer(a, b string) bool { return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/") }

// ServedBy returns the first context with the server, if there is one.
func (f *File) ServedBy(server string) (Context, bool) {
	return f.first(func(c Context) bool { return SameServer(c.Server, server) })
}

// Find returns the named context, if it exists.
func (f *File) Find(name string) (Context, bool) {
	return f.first(func(c Context) bool { return c.Name == name })
}

func (f *File) first(match func(Context) bool) (Context, bool) {
	i := slices.IndexFunc(f.Contexts, match)
	if i < 0 {
		return Context{}, false
	}
	return f.Contexts[i], true
}

// ContextNamed returns the named context. A missing one is an error with the code not_found.
func (f *File) ContextNamed(name string) (Context, error) {
	c, ok := f.Find(name)
	if ok {
		return c, nil
	}
	var known []string
	for _, c := range f.Contexts {
		known = append(known, c.Name)
	}
	hint := failure.DidYouMean(name, known)
	if len(known) == 0 {
		hint = lang.Msg("add it: ativa context add %s --server URL", name)
	}
	return Context{}, failure.NotFound("context %q does not exist", name).WithHint("%s", hint)
}

// newContext returns the context with these values of the keys.
func newContext(name string, of map[string]string) Context {
	return Context{Name: name, Server: of["server"],
		TokenCommand: of["token_command"], TokenFile: of["token_file"], Storage: of["storage"],
		CACert: of["ca_cert"], ClientCert: of["client_cert"], ClientKey: of["client_key"], Proxy: of["proxy"],
		InsecureHTTP: of["insecure_http"] == "true", ReadOnly: of["read_only"] == "true", Protected: of["protected"] == "true",
		Columns: of["import_columns"], Values: of["import_values"],
		ResendProduct: of["resend_product"] == "true", Headers: Entries(of["headers"])}
}

// General returns the values of the keys outside contexts.
func (f *File) General(in Inputs) (map[string]Value, error) {
	return resolve(f.keysOf(false), in, f.Path, f.fields)
}

// Values returns the values of all keys and their context. If flags or environment name
// another server than the current context's, the context has no name, and its keys, above all
// the token, come from flags and environment alone.
func (f *File) Values(in Inputs) (map[string]Value, Context, error) {
	values, err := f.General(in)
	if err != nil {
		return nil, Context{}, err
	}
	server := f.givenServer(in)
	if chosen := values["context"]; chosen.Source == FromFile && server != "" {
		if current, ok := f.Find(chosen.Text); !ok || !SameServer(current.Server, server) {
			values["context"] = Value{Key: chosen.Key, Source: FromDefault}
		}
	}
	own, c, err := f.ValuesIn(in, values["context"].Text)
	maps.Copy(values, own)
	return values, c, err
}

// ValuesIn returns the values of the keys that belong to a context, and the context with these
// values. Without a name they come from flags and environment alone.
func (f *File) ValuesIn(in Inputs, name string) (map[string]Value, Context, error) {
	stored := map[string]string{}
	if name != "" {
		c, err := f.ContextNamed(name)
		if err != nil {
			return nil, c, err
		}
		stored = fields(f.contextNode(name))
		if server := f.givenServer(in); server != "" && !SameServer(server, c.Server) {
			// A token or a certificate is never sent to another server, nor anything unencrypted. How
			// one server is reached does not apply to another.
			general := []string{"read_only", "protected", "import_columns", "import_values"}
			maps.DeleteFunc(stored, func(key, _ string) bool { return !slices.Contains(general, key) })
		}
	}
	values, err := resolve(f.keysOf(true), in, f.Path, stored)
	if err != nil {
		return nil, Context{}, err
	}
	texts := map[string]string{}
	for key, v := range values {
		texts[key] = v.Text
	}
	c := newContext(name, texts)
	c.Server = strings.TrimSuffix(c.Server, "/")
	c.TokenFileFirst = values["token_file"].Source == FromFlag
	if values["token_file"].Source == FromEnvironment { // precedes the configuration file
		c.TokenCommand = ""
	}
	return values, c, nil
}

// givenServer returns the server given by a flag or the environment.
func (f *File) givenServer(in Inputs) string {
	k, _ := Named(f.Keys, "server") // without the key there is none
	if given := in.flag(k); given != nil && given.Changed {
		return given.Value.String()
	}
	_, text := in.variable(k)
	return text
}

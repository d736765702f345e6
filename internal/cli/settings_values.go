package cli

import (
	"cmp"
	"strings"
	"time"

	"ativa/internal/render"
)

// value is what a key is set to and where that comes from.
type value struct {
	Key
	Text   string
	Source string
	Place  string // which flag, variable or file
}

// Where a value can come from, in the order of precedence.
const (
	fromFlag        = "flag"
	fromEnvironment = "environment"
	fromFile        = "file"
	fromDefault     = "default"
)

// lookUp finds the value of a key: flag, environment, file, default, in this
// order. The file's own context is c.
func (e *Env) lookUp(k Key, s *Config, c Context) value {
	if e.flags != nil {
		if f := e.flags.Lookup(k.Flag); f != nil && f.Changed {
			return value{k, f.Value.String(), fromFlag, "--" + k.Flag}
		}
	}
	for _, name := range k.Variables {
		if text := e.Getenv(name); text != "" {
			return value{k, text, fromEnvironment, name}
		}
	}
	if text := s.inFile(k, c); text != "" {
		return value{k, text, fromFile, s.Path}
	}
	return value{k, k.fallback, fromDefault, ""}
}

// Values are all keys for the chosen context. Its name is empty when there is
// none, as when a server is given that is not the current context's; then what belongs to a context, and
// above all its token, comes from flags and environment alone.
func (e *Env) Values() (map[string]value, Context, error) {
	s, err := e.LoadSettings()
	if err != nil {
		return nil, Context{}, err
	}
	out := map[string]value{}
	for _, k := range Keys() {
		if !k.InContext {
			out[k.Name] = e.lookUp(k, s, Context{})
		}
	}
	byServer := cmp.Or(e.Global.Server, e.Getenv("ATIVA_SERVER"))
	if out["context"].Source == fromFile && byServer != "" {
		if current, ok := s.Find(s.Context); !ok || !SameServer(current.Server, byServer) {
			out["context"] = value{out["context"].Key, "", fromDefault, ""}
		}
	}
	var c Context
	if name := out["context"].Text; name != "" {
		if c, err = s.ContextNamed(name); err != nil {
			return nil, c, err
		}
	}
	if byServer != "" && !SameServer(byServer, c.Server) {
		// A token is never sent to another server, nor without protection there.
		c.Storage, c.TokenCommand, c.TokenFile, c.InsecureHTTP = "", "", "", false
	}
	for _, k := range Keys() {
		if k.InContext {
			out[k.Name] = e.lookUp(k, s, c)
		}
	}
	return out, c, nil
}

// ChosenContext is the context that flags, environment and file agree on. One that
// only a server was given for has no name.
func (e *Env) ChosenContext() (Context, error) {
	all, c, err := e.Values()
	if err != nil {
		return c, err
	}
	c.Server = all["server"].Text
	c.CACert, c.Proxy = all["ca_cert"].Text, all["proxy"].Text
	c.ClientCert, c.ClientKey = all["client_cert"].Text, all["client_key"].Text
	c.InsecureHTTP = all["insecure_http"].Text == "true"
	if c.Server == "" {
		return c, Usage("no server is set").WithHint("use --server URL or ATIVA_SERVER, or add a context: ativa context add NAME --server URL --use")
	}
	return c, nil
}

// ApplySettings gives the flags that were not given the values of environment and
// file. A file that cannot be read is left to those who need more of it.
func (e *Env) ApplySettings() error {
	s, err := e.LoadSettings()
	if err != nil {
		s = &Config{}
	}
	for _, k := range Keys() {
		v := e.lookUp(k, s, Context{})
		checked := v.Source != fromFlag || k.Name == "timeout" // output and colour are checked by who uses them
		if k.InContext || v.Source == fromDefault || !checked {
			continue
		}
		if why := k.Wrong(v.Text); !why.IsEmpty() {
			return Usage("%s %s", v.Place, why)
		}
		switch k.Name {
		case "output":
			e.Global.Output.Format = v.Text
		case "timeout":
			if e.Global.Timeout, err = time.ParseDuration(v.Text); err != nil {
				return err
			}
		case "color":
			if v.Source == fromEnvironment || e.Getenv("NO_COLOR") == "" && e.Getenv("CLICOLOR_FORCE") == "" {
				e.Global.color = v.Text
			}
		case "pager":
			e.Global.pager = v.Text
		}
	}
	return nil
}

// pagerCommand is the command that shows long output, "" for none.
func (e *Env) pagerCommand() string {
	command := strings.TrimSpace(e.Global.pager)
	return render.PagerCommand(func(string) string { return command })
}

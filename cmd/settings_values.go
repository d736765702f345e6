package cmd

import (
	"cmp"
	"strings"
	"time"

	"ativa/internal/render"
)

// value is what a key is set to and where that comes from.
type value struct {
	key
	text   string
	source string
	place  string // which flag, variable or file
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
func (e *env) lookUp(k key, s *settings, c contextSettings) value {
	if e.flags != nil {
		if f := e.flags.Lookup(k.flag); f != nil && f.Changed {
			return value{k, f.Value.String(), fromFlag, "--" + k.flag}
		}
	}
	for _, name := range k.variables {
		if text := e.getenv(name); text != "" {
			return value{k, text, fromEnvironment, name}
		}
	}
	if text := s.inFile(k, c); text != "" {
		return value{k, text, fromFile, s.path}
	}
	return value{k, k.fallback, fromDefault, ""}
}

// values are all keys for the chosen context. Its name is empty when there is
// none, as when a server is given that is not the current context's; then what belongs to a context, and
// above all its token, comes from flags and environment alone.
func (e *env) values() (map[string]value, contextSettings, error) {
	s, err := e.loadSettings()
	if err != nil {
		return nil, contextSettings{}, err
	}
	out := map[string]value{}
	for _, k := range keys() {
		if !k.inContext {
			out[k.name] = e.lookUp(k, s, contextSettings{})
		}
	}
	byServer := cmp.Or(e.global.server, e.getenv("ATIVA_SERVER"))
	if out["context"].source == fromFile && byServer != "" {
		if current, ok := s.find(s.Context); !ok || !sameServer(current.Server, byServer) {
			out["context"] = value{out["context"].key, "", fromDefault, ""}
		}
	}
	var c contextSettings
	if name := out["context"].text; name != "" {
		if c, err = s.context(name); err != nil {
			return nil, c, err
		}
	}
	if byServer != "" && !sameServer(byServer, c.Server) {
		// A token is never sent to another server, nor without protection there.
		c.Storage, c.TokenCommand, c.TokenFile, c.InsecureHTTP = "", "", "", false
	}
	for _, k := range keys() {
		if k.inContext {
			out[k.name] = e.lookUp(k, s, c)
		}
	}
	return out, c, nil
}

// chosen is the context that flags, environment and file agree on. One that
// only a server was given for has no name.
func (e *env) chosen() (contextSettings, error) {
	all, c, err := e.values()
	if err != nil {
		return c, err
	}
	c.Server = all["server"].text
	c.CACert, c.Proxy = all["ca_cert"].text, all["proxy"].text
	c.ClientCert, c.ClientKey = all["client_cert"].text, all["client_key"].text
	c.InsecureHTTP = all["insecure_http"].text == "true"
	if c.Server == "" {
		return c, usage("no server is set").withHint("use --server URL or ATIVA_SERVER, or add a context: ativa context add NAME --server URL --use")
	}
	return c, nil
}

// settle gives the flags that were not given the values of environment and
// file. A file that cannot be read is left to those who need more of it.
func (e *env) settle() error {
	s, err := e.loadSettings()
	if err != nil {
		s = &settings{}
	}
	for _, k := range keys() {
		v := e.lookUp(k, s, contextSettings{})
		checked := v.source != fromFlag || k.name == "timeout" // output and colour are checked by who uses them
		if k.inContext || v.source == fromDefault || !checked {
			continue
		}
		if why := k.wrong(v.text); !why.isEmpty() {
			return usage("%s %s", v.place, why)
		}
		switch k.name {
		case "output":
			e.global.output.format = v.text
		case "timeout":
			if e.global.timeout, err = time.ParseDuration(v.text); err != nil {
				return err
			}
		case "color":
			if v.source == fromEnvironment || e.getenv("NO_COLOR") == "" && e.getenv("CLICOLOR_FORCE") == "" {
				e.global.color = v.text
			}
		case "pager":
			e.global.pager = v.text
		}
	}
	return nil
}

// pagerCommand is the command that shows long output, "" for none.
func (e *env) pagerCommand() string {
	command := strings.TrimSpace(e.global.pager)
	return render.PagerCommand(func(string) string { return command })
}

package cmd

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"
)

// contextSettings is one server with what is needed to speak to it, an entry
// of the list "contexts" in the configuration file.
type contextSettings struct {
	Name         string `mapstructure:"name" yaml:"name"`
	Server       string `mapstructure:"server" yaml:"server"`
	TokenCommand string `mapstructure:"token_command" yaml:"token_command,omitempty"`
	TokenFile    string `mapstructure:"token_file" yaml:"token_file,omitempty"`
	Storage      string `mapstructure:"storage" yaml:"storage,omitempty"`
	CACert       string `mapstructure:"ca_cert" yaml:"ca_cert,omitempty"`
	ClientCert   string `mapstructure:"client_cert" yaml:"client_cert,omitempty"`
	ClientKey    string `mapstructure:"client_key" yaml:"client_key,omitempty"`
	Proxy        string `mapstructure:"proxy" yaml:"proxy,omitempty"`
	InsecureHTTP bool   `mapstructure:"insecure_http" yaml:"insecure_http,omitempty"`
	ReadOnly     bool   `mapstructure:"read_only" yaml:"read_only,omitempty"`
	Protected    bool   `mapstructure:"protected" yaml:"protected,omitempty"`
	Columns      string `mapstructure:"import_columns" yaml:"import_columns,omitempty"`
	Values       string `mapstructure:"import_values" yaml:"import_values,omitempty"`
}

// settings is the configuration file: its values, and the text they stand in.
type settings struct {
	Context  string            `mapstructure:"context"`
	Output   string            `mapstructure:"output"`
	Color    string            `mapstructure:"color"`
	Timeout  string            `mapstructure:"timeout"`
	Pager    string            `mapstructure:"pager"`
	Contexts []contextSettings `mapstructure:"contexts"`

	path     string
	homeless error // why there is no path
	text     []byte
	root     *yaml.Node // the mapping of the file, for edits that keep its comments
}

// configPath is where the configuration file is, or would be.
func (e *env) configPath() (string, error) {
	dir, err := e.configDir()
	return filepath.Join(dir, "config.yaml"), err
}

// loadSettings reads the configuration file once; an absent one is empty, and
// an unknown key or a wrong value is an error that names its line.
func (e *env) loadSettings() (*settings, error) {
	if e.settings != nil {
		return e.settings, nil
	}
	s := &settings{root: &yaml.Node{Kind: yaml.MappingNode}}
	if s.path, s.homeless = e.configPath(); s.homeless == nil { // else no file; only writing one needs it
		if err := s.read(); err != nil {
			return nil, err
		}
	}
	e.settings = s
	return s, nil
}

// read takes what the file holds now. The error is a failure.
func (s *settings) read() error {
	text, err := os.ReadFile(s.path)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
	case len(text) == 0: // most starts without a file, and all of a cron job's
		*s = settings{path: s.path, root: &yaml.Node{Kind: yaml.MappingNode}}
		return nil
	default:
		err = s.parse(text)
	}
	if err == nil {
		return nil
	}
	f := &failure{exit: exitUsage, code: "config", message: say("configuration file %s", s.path), err: err, hint: say("mend that line with an editor")}
	if wrong, ok := errors.AsType[*fileError](err); ok && !wrong.hint.isEmpty() {
		f.hint = wrong.hint
	}
	return f
}

// parse takes the text of a file as the settings.
func (s *settings) parse(text []byte) error {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return err
	}
	s.text, s.root = text, &yaml.Node{Kind: yaml.MappingNode}
	if doc.Kind != 0 && !(doc.Content[0].Kind == yaml.ScalarNode && doc.Content[0].Tag == "!!null") {
		s.root = doc.Content[0]
		s.root.HeadComment = cmp.Or(s.root.HeadComment, doc.HeadComment)
		s.root.FootComment = cmp.Or(s.root.FootComment, doc.FootComment)
	}
	if err := checkFile(s.root); err != nil {
		return err
	}
	v := viper.NewWithOptions(viper.KeyDelimiter("::"))
	v.SetConfigType("yaml")
	if err := v.ReadConfig(bytes.NewReader(text)); err != nil {
		return err
	}
	*s = settings{path: s.path, text: s.text, root: s.root}
	return v.UnmarshalExact(s)
}

// servedBy is find by the address of the server.
func (s *settings) servedBy(server string) (contextSettings, bool) {
	i := slices.IndexFunc(s.Contexts, func(c contextSettings) bool { return sameServer(c.Server, server) })
	if i < 0 {
		return contextSettings{}, false
	}
	return s.Contexts[i], true
}

// sameServer compares two addresses of servers.
func sameServer(a, b string) bool { return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/") }

func (s *settings) find(name string) (contextSettings, bool) {
	i := slices.IndexFunc(s.Contexts, func(c contextSettings) bool { return c.Name == name })
	if i < 0 {
		return contextSettings{}, false
	}
	return s.Contexts[i], true
}

// context is find for a context that must exist.
func (s *settings) context(name string) (contextSettings, error) {
	if c, ok := s.find(name); ok {
		return c, nil
	}
	missing := notFound("context %q does not exist", name)
	if len(s.Contexts) == 0 {
		return contextSettings{}, missing.withHint("add it: ativa context add %s --server URL", name)
	}
	return contextSettings{}, missing.hinting(didYouMean(name, s.names()))
}

// inFile is the value of a key in the file, "" if it is not there.
func (s *settings) inFile(k key, c contextSettings) string {
	if k.inContext {
		return c.value(k.name)
	}
	switch k.name {
	case "context":
		return s.Context
	case "output":
		return s.Output
	case "color":
		return s.Color
	case "timeout":
		return s.Timeout
	default:
		return s.Pager
	}
}

// value is the value of a key of a context, "" where it is not set.
func (c contextSettings) value(name string) string {
	switch name {
	case "server":
		return c.Server
	case "token_command":
		return c.TokenCommand
	case "token_file":
		return c.TokenFile
	case "storage":
		return c.Storage
	case "ca_cert":
		return c.CACert
	case "client_cert":
		return c.ClientCert
	case "client_key":
		return c.ClientKey
	case "proxy":
		return c.Proxy
	case "import_columns":
		return c.Columns
	case "import_values":
		return c.Values
	}
	if map[string]bool{"insecure_http": c.InsecureHTTP, "read_only": c.ReadOnly, "protected": c.Protected}[name] {
		return "true"
	}
	return ""
}

func (s *settings) names() []string {
	return mapped(s.Contexts, func(c contextSettings) string { return c.Name })
}

// fileError is what is wrong in a line of the configuration file.
type fileError struct {
	line int
	what phrase
	hint phrase
}

func (e *fileError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.what) }

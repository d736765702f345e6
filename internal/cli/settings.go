package cli

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

// Context is one server with what is needed to speak to it, an entry
// of the list "contexts" in the configuration file.
type Context struct {
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

// Config is the configuration file: its values, and the text they stand in.
type Config struct {
	Context  string    `mapstructure:"context"`
	Output   string    `mapstructure:"output"`
	Color    string    `mapstructure:"color"`
	Timeout  string    `mapstructure:"timeout"`
	Pager    string    `mapstructure:"pager"`
	Contexts []Context `mapstructure:"contexts"`

	Path     string
	homeless error // why there is no path
	text     []byte
	root     *yaml.Node // the mapping of the file, for edits that keep its comments
}

// ConfigPath is where the configuration file is, or would be.
func (e *Env) ConfigPath() (string, error) {
	dir, err := e.ConfigDir()
	return filepath.Join(dir, "config.yaml"), err
}

// LoadSettings reads the configuration file once; an absent one is empty, and
// an unknown key or a wrong value is an error that names its line.
func (e *Env) LoadSettings() (*Config, error) {
	if e.settings != nil {
		return e.settings, nil
	}
	s := &Config{root: &yaml.Node{Kind: yaml.MappingNode}}
	if s.Path, s.homeless = e.ConfigPath(); s.homeless == nil { // else no file; only writing one needs it
		if err := s.read(); err != nil {
			return nil, err
		}
	}
	e.settings = s
	return s, nil
}

// read takes what the file holds now. The error is a failure.
func (s *Config) read() error {
	text, err := os.ReadFile(s.Path)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
	case len(text) == 0: // most starts without a file, and all of a cron job's
		*s = Config{Path: s.Path, root: &yaml.Node{Kind: yaml.MappingNode}}
		return nil
	default:
		err = s.parse(text)
	}
	if err == nil {
		return nil
	}
	f := &Failure{Exit: ExitUsage, Code: "config", Message: Msg("configuration file %s", s.Path), Err: err, Hint: Msg("mend that line with an editor")}
	if wrong, ok := errors.AsType[*fileError](err); ok && !wrong.hint.IsEmpty() {
		f.Hint = wrong.hint
	}
	return f
}

// parse takes the text of a file as the settings.
func (s *Config) parse(text []byte) error {
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
	*s = Config{Path: s.Path, text: s.text, root: s.root}
	return v.UnmarshalExact(s)
}

// ServedBy is find by the address of the server.
func (s *Config) ServedBy(server string) (Context, bool) {
	i := slices.IndexFunc(s.Contexts, func(c Context) bool { return SameServer(c.Server, server) })
	if i < 0 {
		return Context{}, false
	}
	return s.Contexts[i], true
}

// SameServer compares two addresses of servers.
func SameServer(a, b string) bool { return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/") }

// Find is the context of the name, if there is one.
func (s *Config) Find(name string) (Context, bool) {
	i := slices.IndexFunc(s.Contexts, func(c Context) bool { return c.Name == name })
	if i < 0 {
		return Context{}, false
	}
	return s.Contexts[i], true
}

// ContextNamed is find for a context that must exist.
func (s *Config) ContextNamed(name string) (Context, error) {
	if c, ok := s.Find(name); ok {
		return c, nil
	}
	missing := NotFound("context %q does not exist", name)
	if len(s.Contexts) == 0 {
		return Context{}, missing.WithHint("add it: ativa context add %s --server URL", name)
	}
	return Context{}, missing.WithHintMessage(DidYouMean(name, s.names()))
}

// inFile is the value of a key in the file, "" if it is not there.
func (s *Config) inFile(k Key, c Context) string {
	if k.InContext {
		return c.value(k.Name)
	}
	switch k.Name {
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
func (c Context) value(name string) string {
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

func (s *Config) names() []string {
	return Map(s.Contexts, func(c Context) string { return c.Name })
}

// fileError is what is wrong in a line of the configuration file.
type fileError struct {
	line int
	what Message
	hint Message
}

func (e *fileError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.what) }

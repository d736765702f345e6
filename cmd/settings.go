package cmd

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/natefinch/atomic"
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
	Proxy        string `mapstructure:"proxy" yaml:"proxy,omitempty"`
	ReadOnly     bool   `mapstructure:"read_only" yaml:"read_only,omitempty"`
	Protected    bool   `mapstructure:"protected" yaml:"protected,omitempty"`
}

// settings is the configuration file.
type settings struct {
	Context  string            `mapstructure:"context" yaml:"context,omitempty"`
	Contexts []contextSettings `mapstructure:"contexts" yaml:"contexts,omitempty"`

	path string
}

// loadSettings reads the configuration file once; an absent one is empty, and
// an unknown key is an error.
func (e *env) loadSettings() (*settings, error) {
	if e.settings != nil {
		return e.settings, nil
	}
	dir, err := e.configDir()
	if err != nil {
		return nil, err
	}
	s := &settings{path: filepath.Join(dir, "config.yaml")}
	if err := s.read(); err != nil {
		return nil, &failure{exit: exitUsage, code: "config", message: "configuration file " + s.path, err: err}
	}
	e.settings = s
	return s, nil
}

func (s *settings) read() error {
	v := viper.NewWithOptions(viper.KeyDelimiter("::"))
	v.SetConfigFile(s.path)
	err := v.ReadInConfig()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return v.UnmarshalExact(s)
}

// write replaces the file, readable by its owner only.
func (s *settings) write() error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	text, err := yaml.Marshal(s)
	if err != nil {
		return err
	}
	return atomic.WriteFile(s.path, bytes.NewReader(text)) // a new file has mode 0600
}

func (s *settings) find(name string) (contextSettings, bool) {
	i := slices.IndexFunc(s.Contexts, func(c contextSettings) bool { return c.Name == name })
	if i < 0 {
		return contextSettings{}, false
	}
	return s.Contexts[i], true
}

// put adds a context or replaces the one of its name.
func (s *settings) put(c contextSettings) {
	i := slices.IndexFunc(s.Contexts, func(have contextSettings) bool { return have.Name == c.Name })
	if i < 0 {
		s.Contexts = append(s.Contexts, c)
		return
	}
	s.Contexts[i] = c
}

// chosen is the context that flags, environment and file agree on, in this
// order. One that only a server was given for has no name.
func (e *env) chosen() (contextSettings, error) {
	s, err := e.loadSettings()
	if err != nil {
		return contextSettings{}, err
	}
	name := firstOf(e.global.context, e.getenv("ATIVA_CONTEXT"))
	server := firstOf(e.global.server, e.getenv("ATIVA_SERVER"))
	if name == "" && server == "" {
		name = s.Context
	}
	var c contextSettings
	if name != "" {
		var ok bool
		if c, ok = s.find(name); !ok {
			return c, notFound("context %q does not exist", name).withHint("known contexts: " + strings.Join(s.names(), ", "))
		}
	}
	if server != "" && server != c.Server {
		c.Server, c.Storage, c.TokenCommand, c.TokenFile = server, "", "", ""
	}
	if c.Server == "" {
		return c, usage("no server is set").withHint("use --server URL or ATIVA_SERVER, or add a context: ativa context add NAME --server URL --use")
	}
	c.CACert, c.Proxy = firstOf(e.global.caCert, c.CACert), firstOf(e.global.proxy, c.Proxy)
	return c, nil
}

func (s *settings) names() []string {
	names := []string{}
	for _, c := range s.Contexts {
		names = append(names, c.Name)
	}
	return names
}

func firstOf(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}

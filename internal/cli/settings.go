package cli

import (
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/credentials"
	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/settings"
	"ativa/internal/sheet"
)

// Keys returns all configuration keys of the command line, in the order of `ativa config list`.
func Keys() []settings.Key {
	return []settings.Key{
		{Name: "context", Flag: "context", Variables: []string{"ATIVA_CONTEXT"}, Meaning: "the context to use"},
		{Name: "output", Flag: "output", Variables: []string{"ATIVA_OUTPUT"}, Words: render.Formats(), Meaning: "format of the output"},
		{Name: "color", Flag: "color", Variables: []string{"ATIVA_COLOR"}, Default: render.ColourAuto,
			Words: []string{render.ColourAuto, render.ColourAlways, render.ColourNever}, Meaning: "auto, always or never"},
		{Name: "timeout", Flag: "timeout", Variables: []string{"ATIVA_TIMEOUT"}, Check: settings.IsDuration, Meaning: "limit of one request, and of --wait"},
		{Name: "pager", Variables: []string{"ATIVA_PAGER"}, Meaning: "command that shows long output; less if it is installed, cat for none"},
		{Name: "show_documents", Flag: "show-documents", Default: "false", Words: []string{"true", "false"}, Meaning: "show documents whole in tables"},
		{Name: "lang", Flag: "lang", Variables: []string{"ATIVA_LANG"}, Words: []string{string(lang.Portuguese), string(lang.English)}, Check: checkLanguage, Meaning: "language of messages: pt or en"},
		{Name: "tz", Variables: []string{"ATIVA_TZ"}, Default: "America/Sao_Paulo", Check: checkZone, Meaning: "time zone of the times that are shown and typed, and of the days of a report"},
		{Name: "server", Flag: "server", Variables: []string{"ATIVA_SERVER"}, InContext: true, Meaning: "base URL of the server"},
		{Name: "token_command", InContext: true, Secret: true, Meaning: "shell command that prints the access token"},
		{Name: "token_file", Flag: "token-file", Variables: []string{"ATIVA_TOKEN_FILE"}, InContext: true, IsFile: true, Meaning: "file with the access token"},
		{Name: "storage", InContext: true, Words: []string{credentials.StorageKeyring, credentials.StorageFile},
			Meaning: "where login keeps the token: keyring or file"},
		{Name: "ca_cert", Flag: "ca-cert", Variables: []string{"ATIVA_CA_CERT"}, InContext: true, IsFile: true, Meaning: "PEM file of authorities to trust"},
		{Name: "client_cert", Flag: "client-cert", Variables: []string{"ATIVA_CLIENT_CERT"}, InContext: true, IsFile: true, Meaning: "PEM file of a client certificate"},
		{Name: "client_key", Flag: "client-key", Variables: []string{"ATIVA_CLIENT_KEY"}, InContext: true, IsFile: true, Meaning: "PEM file of its key"},
		{Name: "proxy", Flag: "proxy", Variables: []string{"ATIVA_PROXY"}, InContext: true, Check: checkProxy, Meaning: "URL of a proxy; without it HTTPS_PROXY and NO_PROXY count"},
		{Name: "insecure_http", Flag: "insecure-http", InContext: true, Default: "false", Words: []string{"true", "false"}, Meaning: "permit plain http to another machine"},
		{Name: "read_only", InContext: true, Default: "false", Words: []string{"true", "false"}, Meaning: "refuse every change"},
		{Name: "protected", InContext: true, Default: "false", Words: []string{"true", "false"}, Meaning: "ask before every change"},
		{Name: "import_columns", InContext: true, Check: checkMappings, Meaning: "which columns of a spreadsheet hold a field: field=column;field=column"},
		{Name: "import_values", InContext: true, Check: checkValues, Meaning: "what values of a spreadsheet mean: products:VALUE=PRODUCT;speed:VALUE=SPEED"},
		{Name: "resend_product", InContext: true, Default: "false", Words: []string{"true", "false"},
			Meaning: "tell a server that is not ours which product an e-mail is sent again for"},
		{Name: "headers", InContext: true, Map: true, Check: checkHeaders, Meaning: "headers of every call to a server that is not ours, a line NAME: VALUE each; lists show the names alone"},
	}
}

// SettingRow is a configuration key in a list.
type SettingRow struct {
	Key    string `json:"key"`
	Value  string `json:"value" column:"prose"`
	Source string `json:"source" column:"word"`
	Place  string `json:"place" column:"path"`
}

// NewSettingRow returns the row of a value, without secrets.
func NewSettingRow(v settings.Value) SettingRow {
	return SettingRow{v.Name, v.Shown(), string(v.Source), v.Place}
}

// SettingRows returns the columns of a list of settings.
func SettingRows() render.Schema[SettingRow] {
	return SchemaOf[SettingRow]("setting", "settings", "")
}

// ConfigPath is the path of the configuration file.
func (e *Env) ConfigPath() (string, error) {
	dir, err := e.ConfigDir()
	return filepath.Join(dir, "config.yaml"), err
}

// LoadSettings reads the configuration file, once.
func (e *Env) LoadSettings() (*settings.File, error) {
	if e.settings != nil {
		return e.settings, nil
	}
	path, err := e.ConfigPath()
	e.settings, err = settings.Open(settings.Options{Path: path, NoPath: err, Keys: Keys()})
	return e.settings, err
}

// Inputs returns the global flags and the environment.
func (e *Env) Inputs() settings.Inputs { return settings.Inputs{Flags: e.flags, Getenv: e.Getenv} }

// Values returns the values of all keys and their context, whose name is empty for none.
func (e *Env) Values() (map[string]settings.Value, settings.Context, error) {
	f, err := e.LoadSettings()
	if err != nil {
		return nil, settings.Context{}, err
	}
	return f.Values(e.Inputs())
}

// ChosenContext returns the context chosen by flags, environment or file. It has no name if
// only a server was given. Without a server it returns a usage error.
func (e *Env) ChosenContext() (settings.Context, error) {
	_, c, err := e.Values()
	return withServer(c, err)
}

func withServer(c settings.Context, err error) (settings.Context, error) {
	if err == nil && c.Server == "" {
		err = Usage("no server is set").WithHint("use --server URL or ATIVA_SERVER, or add a context: ativa context add NAME --server URL --use")
	}
	return c, err
}

// ApplySettings sets missing flags from environment and file. It ignores an unreadable file;
// commands that need it report the error.
func (e *Env) ApplySettings() error {
	e.applied = true
	f, err := e.LoadSettings()
	if err != nil {
		f = &settings.File{Options: settings.Options{Keys: Keys()}}
	}
	values, err := f.General(e.Inputs())
	if err != nil {
		return err
	}
	e.zone = sync.OnceValue(func() *time.Location {
		zone, err := api.LoadZone(values["tz"].Text)
		if err != nil { // a wrong one is refused below
			zone = time.UTC
		}
		return zone
	})
	chosen := values["context"]
	e.AllContexts = chosen.Text == settings.AllContexts && chosen.Source.Before(settings.FromFile)
	for _, k := range f.Keys {
		v := values[k.Name]
		checked := v.Source != settings.FromFlag || k.Name == "timeout" // output, color and lang are checked where they are used
		if k.InContext || v.Source == settings.FromDefault || !checked {
			continue
		}
		if why := k.Wrong(v.Text); !why.IsEmpty() {
			return Usage("%s %s", v.Place, why).WithHint("see `ativa help environment`")
		}
		switch k.Name {
		case "output":
			if v.Source == settings.FromFlag || e.Global.Output.takes(v.Text) {
				e.Global.Output.Format, e.Global.Output.IsUsual = v.Text, v.Source != settings.FromFlag
			}
		case "timeout":
			if e.Global.Timeout, err = settings.ParseSpan(v.Text); err != nil {
				return err
			}
		case "color":
			if v.Source == settings.FromEnvironment || e.Getenv("NO_COLOR") == "" && e.Getenv("CLICOLOR_FORCE") == "" {
				e.Global.color = v.Text
			}
		case "pager":
			e.Global.pager = strings.TrimSpace(v.Text)
		case "show_documents":
			e.Global.Output.ShowDocuments = v.Text == "true"
		}
	}
	return nil
}

func checkLanguage(name string) Message {
	_, ok := lang.Parse(name)
	return settings.Unless(ok, Msg("is one of %s; not %q", "pt, en", name))
}

func checkProxy(proxy string) Message {
	return settings.Unless(client.CheckProxy(proxy) == nil, Msg("is not a URL like http://host:port"))
}

func checkHeaders(text string) Message {
	seen := map[string]bool{}
	for name, value := range settings.Entries(text) {
		wrong := client.CheckHeader(name, value)
		if same := http.CanonicalHeaderKey(name); seen[same] {
			wrong = Msg("%s is there twice", name)
		} else {
			seen[same] = true
		}
		if !wrong.IsEmpty() {
			return Msg("has a line NAME: VALUE for each header; %s", wrong)
		}
	}
	return Message{}
}

func checkZone(name string) Message {
	_, err := api.LoadZone(name)
	return settings.Unless(err == nil, Msg("is a time zone such as America/Sao_Paulo; not %q", name))
}

func checkMappings(text string) Message {
	_, err := ParseMappings(Split(text))
	return settings.Unless(err == nil, Msg("is field=column;field=column: %s", err))
}

// ParseMappings reads mappings of columns, each "field=column".
func ParseMappings(texts []string) ([]sheet.Mapping, error) {
	return ParseAll(texts, sheet.ParseMapping)
}

// Split splits a list of the configuration file at its semicolons and drops empty parts.
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
func ParseValues(texts []string) ([]sheet.ValueMapping, error) {
	return ParseAll(texts, sheet.ParseValueMapping)
}

func checkValues(text string) Message {
	_, err := ParseValues(Split(text))
	return settings.Unless(err == nil, Msg("is a list of --map-value arguments, separated by semicolons: %s", err))
}

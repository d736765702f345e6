package settings

import (
	"bytes"
	"io/fs"
	"os"
	"slices"

	"go.yaml.in/yaml/v3"

	"ativa/internal/failure"
	"ativa/internal/lang"
	"ativa/internal/system"
)

// Options describe a configuration file.
type Options struct {
	Path   string
	NoPath error // the reason why Path is empty; edits return it
	Keys   []Key
}

// File is the configuration file as last read. It is not safe for concurrent use.
type File struct {
	Options
	Context  string // name of the default context
	Contexts []Context

	fields map[string]string // keys outside the contexts
	text   []byte
	root   *yaml.Node // the mapping of the file, for edits that keep its comments
}

// Open reads a configuration file; a missing one is empty. An unknown key or an invalid value is
// an error that names its line.
func Open(o Options) (*File, error) {
	f := &File{Options: o, root: &yaml.Node{Kind: yaml.MappingNode}}
	if o.NoPath == nil {
		if err := f.read(); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// read replaces the settings by the contents of the file.
func (f *File) read() error {
	if info, err := os.Stat(f.Path); err == nil && info.Mode()&fs.ModeNamedPipe != 0 { // reading would wait for its writer
		return inFile(f.Path, &failure.Failure{Exit: failure.ExitUsage, Code: "config", Message: lang.Msg("it is a named pipe, not a file"),
			Hint: lang.Msg("move it away, or choose another place")})
	}
	text, err := system.ReadFile(f.Path)
	if err != nil && !system.IsMissing(err) {
		return inFile(f.Path, system.WithoutPath(err))
	}
	return f.parse(text)
}

// parse replaces the settings by the contents of text.
func (f *File) parse(text []byte) error {
	text = bytes.ReplaceAll(system.InUTF8(text), []byte("\r\n"), []byte("\n")) // else an edit doubles comments' line ends
	*f = File{Options: f.Options, text: text, root: &yaml.Node{Kind: yaml.MappingNode}}
	if len(text) == 0 { // usually there is no file
		return nil
	}
	root, err := mapping(text)
	if err == nil {
		err = f.check(root)
	}
	if err != nil {
		return inFile(f.Path, err)
	}
	f.root, f.fields, f.Context = root, fields(root), scalar(root, "context")
	list := field(root, "contexts")
	if list == nil {
		return nil
	}
	for _, m := range list.Content {
		f.Contexts = append(f.Contexts, newContext(scalar(m, "name"), fields(m)))
	}
	return nil
}

// Get returns the file's value of a key outside contexts.
func (f *File) Get(name string) string { return f.fields[name] }

func (f *File) keysOf(context bool) []Key {
	return slices.DeleteFunc(slices.Clone(f.Keys), func(k Key) bool { return k.InContext != context })
}

// check refuses unknown keys, invalid values, and contexts without a unique name.
func (f *File) check(root *yaml.Node) error {
	if err := checkFields(root, append(f.keysOf(false), Key{Name: "contexts"})); err != nil {
		return err
	}
	list := field(root, "contexts")
	if list == nil || list.Tag == "!!null" {
		return nil
	}
	if list.Kind != yaml.SequenceNode {
		return wrongLine(list.Line, lang.Msg("contexts must be a list"))
	}
	allowed := append([]Key{{Name: "name"}}, f.keysOf(true)...)
	seen := map[string]bool{}
	for _, c := range list.Content {
		if c.Kind != yaml.MappingNode {
			return wrongLine(c.Line, lang.Msg("a context must have a name and a server"))
		}
		if err := checkFields(c, allowed); err != nil {
			return err
		}
		name := scalar(c, "name")
		switch {
		case name == "":
			return wrongLine(c.Line, lang.Msg("a context has no name"))
		case seen[name]:
			return wrongLine(c.Line, lang.Msg("a second context is called %q", name))
		}
		seen[name] = true
	}
	return nil
}

// checkFields checks the keys and values of a mapping, except the contexts.
func checkFields(m *yaml.Node, allowed []Key) error {
	seen := map[string]bool{}
	for i := 0; i+1 < len(m.Content); i += 2 {
		name, v := m.Content[i], m.Content[i+1]
		k, err := Named(allowed, name.Value)
		if err != nil {
			unknown := unknownKey(name.Value, names(allowed))
			wrong := wrongLine(name.Line, unknown.Message)
			wrong.Hint = unknown.Hint
			return wrong
		}
		if seen[k.Name] {
			return wrongLine(name.Line, lang.Msg("%s is set a second time", k.Name))
		}
		seen[k.Name] = true
		text, single := textOf(v, k.List || k.Map)
		switch why := k.Wrong(text); {
		case k.Name == "contexts":
		case k.Map && (!single || v.Kind != yaml.MappingNode && v.Tag != "!!null"):
			return wrongLine(v.Line, lang.Msg("%s must be a mapping of names to values", k.Name))
		case !single || k.List && v.Kind == yaml.MappingNode:
			return wrongLine(v.Line, lang.Msg("%s must be a single value", k.Name))
		case v.Tag != "!!null" && !why.IsEmpty():
			return wrongLine(v.Line, lang.Msg("%s %s", k.Name, why))
		}
	}
	return nil
}

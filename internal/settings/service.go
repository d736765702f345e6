package settings

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"
	"slices"

	"go.yaml.in/yaml/v3"

	"ativa/internal/lang"
	"ativa/internal/system"
)

// Service resolves the keys of a service from flags, environment and the flat file at path; an
// empty path means no file. The values are in the order of the keys. An unknown key or an invalid
// value is an error.
func Service(keys []Key, in Inputs, path string) ([]Value, error) {
	fields := map[string]string{}
	if path != "" {
		var err error
		if fields, err = readFlat(keys, path); err != nil {
			return nil, inFile(path, err)
		}
	}
	byName, err := resolve(keys, in, path, fields)
	if err != nil {
		return nil, err
	}
	var values []Value
	for _, k := range keys {
		v := byName[k.Name]
		if why := k.Wrong(v.Text); !why.IsEmpty() && v.Source != FromDefault {
			return nil, wrongValue(v.Place, why)
		}
		values = append(values, v)
	}
	return values, nil
}

// readFlat reads a file of keys with values. Its errors lack the path.
func readFlat(keys []Key, path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, system.WithoutPath(err)
	}
	root, err := mapping(text)
	if err != nil {
		return nil, err
	}
	allowed := slices.DeleteFunc(slices.Clone(keys), func(k Key) bool { return k.NotInFile })
	return fields(root), checkFields(root, allowed)
}

// Apply sets each flag to the value of its key, unless the value comes from the flag or is the
// default.
func Apply(values []Value, in Inputs) error {
	for _, v := range values {
		f := in.flag(v.Key)
		if f == nil || v.Source == FromFlag || v.Source == FromDefault {
			continue
		}
		if err := f.Value.Set(v.Text); err != nil {
			return wrongValue(v.Place, err)
		}
	}
	return nil
}

// mapping returns the mapping of a file, empty for an empty file.
func mapping(text []byte) (*yaml.Node, error) {
	var doc, second yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(text))
	if err := documents.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch err := documents.Decode(&second); {
	case err == nil:
		return nil, wrongLine(second.Line, lang.Msg("a second YAML document begins here; the file must have only one"))
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	root := &yaml.Node{Kind: yaml.MappingNode}
	if doc.Kind != 0 && doc.Content[0].Tag != "!!null" {
		root = doc.Content[0]
		root.HeadComment = cmp.Or(root.HeadComment, doc.HeadComment)
		root.FootComment = cmp.Or(root.FootComment, doc.FootComment)
	}
	if root.Kind != yaml.MappingNode {
		return nil, wrongLine(root.Line, lang.Msg("the file must hold keys and values"))
	}
	return root, nil
}

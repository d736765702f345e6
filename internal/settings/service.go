package settings

import (
	"os"
	"slices"

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

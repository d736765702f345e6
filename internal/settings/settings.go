// Package settings decides the value of each key: flag, else variable, else configuration file,
// else default; it also reports the source. It reads and edits the command line's file, with its
// contexts, and reads the service's. It is the only package that uses viper. It refuses to know
// the use of a value and the language of its messages.
package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"
)

// Source is the kind of source of a value.
type Source string

// The sources of a value, in order of precedence.
const (
	FromFlag        Source = "flag"
	FromEnvironment Source = "environment"
	FromFile        Source = "file"
	FromDefault     Source = "default"
)

// Before reports whether s takes precedence over other.
func (s Source) Before(other Source) bool {
	order := []Source{FromFlag, FromEnvironment, FromFile, FromDefault}
	return slices.Index(order, s) < slices.Index(order, other)
}

// Value is the value of a key and its source.
type Value struct {
	Key
	Text   string // elements of a list are separated by commas
	Source Source
	Place  string // the flag, variable or file; empty for a default
}

// Shown returns the value without secrets, for lists.
func (v Value) Shown() string { return v.Key.Shown(v.Text) }

// Inputs are the sources besides a file. Flags may be nil.
type Inputs struct {
	Flags  *pflag.FlagSet
	Getenv func(string) string
}

func (in Inputs) flag(k Key) *pflag.Flag {
	if in.Flags == nil || k.Flag == "" {
		return nil
	}
	return in.Flags.Lookup(k.Flag)
}

// variable returns the first variable of a key that is not empty, and its value.
func (in Inputs) variable(k Key) (name, text string) {
	for _, name := range k.Variables {
		if text := in.Getenv(name); text != "" {
			return name, text
		}
	}
	return "", ""
}

// resolve finds the value of each key; fields are the values of the file at path.
//
// viper reads only the environment of the process. Here it is a function, so that each
// test has its own: its variables override the file.
func resolve(keys []Key, in Inputs, path string, fields map[string]string) (map[string]Value, error) {
	v := viper.NewWithOptions(viper.KeyDelimiter("::"))
	file, environment := map[string]any{}, map[string]any{}
	for _, k := range keys {
		v.SetDefault(k.Name, k.Default)
		if f := in.flag(k); f != nil {
			if err := v.BindPFlag(k.Name, f); err != nil {
				return nil, err
			}
		}
		if text := fields[k.Name]; text != "" {
			file[k.Name] = text
		}
		if _, text := in.variable(k); text != "" {
			environment[k.Name] = text
		}
	}
	for _, layer := range []map[string]any{file, environment} {
		if err := v.MergeConfigMap(layer); err != nil {
			return nil, err
		}
	}
	values := make(map[string]Value, len(keys))
	for _, k := range keys {
		value := Value{Key: k, Text: v.GetString(k.Name), Source: FromDefault}
		if k.List {
			value.Text = strings.Join(elements(v.Get(k.Name)), ",")
		}
		name, _ := in.variable(k)
		switch f := in.flag(k); {
		case f != nil && f.Changed:
			value.Source, value.Place = FromFlag, "--"+k.Flag
		case name != "":
			value.Source, value.Place = FromEnvironment, name
		case v.InConfig(k.Name):
			value.Source, value.Place = FromFile, path
		}
		values[k.Name] = value
	}
	return values, nil
}

// elements returns the elements of a list, which viper returns as a list from a flag, else as
// text.
func elements(value any) []string {
	if list, ok := value.([]string); ok {
		return list
	}
	var all []string
	for part := range strings.SplitSeq(fmt.Sprint(value), ",") {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	return all
}

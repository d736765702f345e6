// Package settings decides what is set: for each key the value of its flag, else
// of its variable, else of the configuration file, else the default, and it tells
// which of them it was. It reads and edits the file of the command line, with its
// contexts, and reads that of the service.
// It refuses to know what a value is used for and in which language its messages
// are read: they are English formats with arguments.
package settings

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Source is the kind of place that a value comes from.
type Source string

// Where a value can come from, in the order of precedence.
const (
	FromFlag        Source = "flag"
	FromEnvironment Source = "environment"
	FromFile        Source = "file"
	FromDefault     Source = "default"
)

// Before reports whether a value from s counts before one from another source.
func (s Source) Before(other Source) bool {
	order := []Source{FromFlag, FromEnvironment, FromFile, FromDefault}
	return slices.Index(order, s) < slices.Index(order, other)
}

// Value is what a key is set to and where that comes from.
type Value struct {
	Key
	Text   string // a list has commas between its elements
	Source Source
	Place  string // which flag, variable or file; empty for a default
}

// Shown is the value as a list may show it.
func (v Value) Shown() string { return v.Key.Shown(v.Text) }

// Inputs are the places beside a file that values come from. Flags may be nil.
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

// variable is the first variable of a key that is not empty, and its value.
func (in Inputs) variable(k Key) (name, text string) {
	for _, name := range k.Variables {
		if text := in.Getenv(name); text != "" {
			return name, text
		}
	}
	return "", ""
}

// resolve finds the value of each key; fields are what the file at path says.
func resolve(keys []Key, in Inputs, path string, fields map[string]string) map[string]Value {
	values := make(map[string]Value, len(keys))
	for _, k := range keys {
		value := Value{Key: k, Text: k.Default, Source: FromDefault}
		name, text := in.variable(k)
		switch f := in.flag(k); {
		case f != nil && f.Changed:
			value.Text, value.Source, value.Place = f.Value.String(), FromFlag, "--"+k.Flag
			if list, ok := f.Value.(pflag.SliceValue); ok {
				value.Text = strings.Join(list.GetSlice(), ",")
			}
		case name != "":
			value.Text, value.Source, value.Place = text, FromEnvironment, name
		case fields[k.Name] != "":
			value.Text, value.Source, value.Place = fields[k.Name], FromFile, path
		}
		if k.List && value.Source != FromFlag {
			value.Text = strings.Join(elements(value.Text), ",")
		}
		values[k.Name] = value
	}
	return values
}

// elements are those of a list with commas between them.
func elements(list string) []string {
	var all []string
	for part := range strings.SplitSeq(list, ",") {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	return all
}

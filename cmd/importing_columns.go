package cmd

import (
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"ativa/internal/csvfile"
)

// addFileFlags are those of every command that reads a whole spreadsheet.
func addFileFlags(f *pflag.FlagSet, o *csvfile.Options, maps, values *[]string) {
	f.StringVar(&o.Encoding, "encoding", "", "utf-8, utf-16le, utf-16be or windows-1252 (default: found out)")
	f.StringVar(&o.Delimiter, "delimiter", "", "column delimiter, or tab (default: found out)")
	f.StringArrayVar(maps, "map", nil, "field=column: which column holds a field; ignore=column leaves one out")
	f.StringArrayVar(values, "map-value", nil, "products:VALUE=PRODUCT, speed:VALUE=SPEED or status:VALUE=active: what a value means")
	f.StringVar(&o.Sheet, "sheet", "", "sheet of an .xlsx file (default: the first that is not hidden)")
}

// mapColumns reads the mappings of --map and --map-value and those that the
// context keeps, and keeps the former if --save-map says so.
func (e *env) mapColumns(o *importOptions) error {
	for _, m := range o.maps {
		mapping, err := csvfile.ParseMapping(m)
		if err != nil {
			return usage("--map %s", err)
		}
		if mapping.Column == "" {
			return usage("--map %q is not field=column", m)
		}
		o.csv.Map = append(o.csv.Map, mapping)
	}
	told, err := parseValues(o.values)
	if err != nil {
		return usage("--map-value %s", err)
	}
	_, chosen, err := e.values()
	if err != nil {
		return err
	}
	if o.csv.Saved, err = parseMappings(chosen.Columns); err != nil {
		return err
	}
	saved, err := parseValues(split(chosen.Values))
	if err != nil {
		return err
	}
	o.csv.Values = append(saved, told...) // the later one counts
	if !o.saveMap {
		return nil
	}
	if len(o.csv.Map)+len(told) == 0 {
		return usage("--save-map needs --map or --map-value")
	}
	if len(o.csv.Map) > 0 {
		if err := runConfigSet(e, "import_columns", writeMappings(append(o.csv.Map, unmapped(o.csv)...))); err != nil {
			return err
		}
	}
	if len(told) == 0 {
		return nil
	}
	text, err := writeValues(o.csv.Values)
	if err != nil {
		return err
	}
	return runConfigSet(e, "import_values", text)
}

// unmapped are the kept mappings of fields that --map says nothing about, and of
// other columns to leave out.
func unmapped(o csvfile.Options) []csvfile.Mapping {
	said := map[csvfile.Mapping]bool{}
	for _, m := range o.Map {
		said[keyOfMapping(m)] = true
	}
	var rest []csvfile.Mapping
	for _, m := range o.Saved {
		if !said[keyOfMapping(m)] {
			rest = append(rest, m)
		}
	}
	return rest
}

// keyOfMapping is what a later mapping replaces: all of a field, or one column
// that is left out.
func keyOfMapping(m csvfile.Mapping) csvfile.Mapping {
	if m.Field != csvfile.FieldIgnore {
		m.Column = ""
	}
	return m
}

// split cuts a list of the configuration file.
func split(text string) []string {
	var parts []string
	for part := range strings.SplitSeq(text, ";") {
		if strings.TrimSpace(part) != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

func parseMappings(text string) ([]csvfile.Mapping, error) {
	var all []csvfile.Mapping
	for _, part := range split(text) {
		m, err := csvfile.ParseMapping(part)
		if err != nil {
			return nil, err
		}
		if m.Column == "" {
			return nil, errors.New("a mapping is field=column")
		}
		all = append(all, m)
	}
	return all, nil
}

func parseValues(texts []string) ([]csvfile.ValueMapping, error) {
	var all []csvfile.ValueMapping
	for _, text := range texts {
		m, err := csvfile.ParseValueMapping(text)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

func writeMappings(all []csvfile.Mapping) string {
	parts := mapped(all, func(m csvfile.Mapping) string { return m.Field + "=" + m.Column })
	return strings.Join(parts, ";")
}

// writeValues writes value mappings for the configuration file, of several for
// one value the last.
func writeValues(all []csvfile.ValueMapping) (string, error) {
	var parts []string
	at := map[csvfile.ValueMapping]int{}
	for _, m := range all {
		text := m.String()
		if strings.Contains(text, ";") {
			return "", usage("--save-map cannot keep %q, because of its semicolon", text)
		}
		key := csvfile.ValueMapping{Field: m.Field, Value: strings.ToLower(m.Value)}
		if i, ok := at[key]; ok {
			parts[i] = text
			continue
		}
		at[key] = len(parts)
		parts = append(parts, text)
	}
	return strings.Join(parts, ";"), nil
}

// areMappings says what is wrong with a list of mappings, or "".
func areMappings(text string) phrase {
	if _, err := parseMappings(text); err != nil {
		return say("is field=column;field=column: %s", err)
	}
	return phrase{}
}

// areValues says what is wrong with a list of value mappings, or "".
func areValues(text string) phrase {
	if _, err := parseValues(split(text)); err != nil {
		return say("is a list of what --map-value takes, with semicolons between: %s", err)
	}
	return phrase{}
}

package cmd

import (
	"errors"
	"strings"

	"ativa/internal/csvfile"
)

// mapColumns reads the mappings of --map and those that the context keeps, and
// keeps the former if --save-map says so.
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
	_, chosen, err := e.values()
	if err != nil {
		return err
	}
	if o.csv.Saved, err = parseMappings(chosen.Columns); err != nil {
		return err
	}
	if !o.saveMap {
		return nil
	}
	if len(o.csv.Map) == 0 {
		return usage("--save-map needs --map")
	}
	return runConfigSet(e, "import_columns", writeMappings(append(o.csv.Map, unmapped(o.csv)...)))
}

// unmapped are the kept mappings of fields that --map says nothing about.
func unmapped(o csvfile.Options) []csvfile.Mapping {
	said := map[string]bool{}
	for _, m := range o.Map {
		said[m.Field] = true
	}
	var rest []csvfile.Mapping
	for _, m := range o.Saved {
		if !said[m.Field] {
			rest = append(rest, m)
		}
	}
	return rest
}

func parseMappings(text string) ([]csvfile.Mapping, error) {
	var all []csvfile.Mapping
	for part := range strings.SplitSeq(text, ";") {
		if strings.TrimSpace(part) == "" {
			continue
		}
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

func writeMappings(all []csvfile.Mapping) string {
	parts := mapped(all, func(m csvfile.Mapping) string { return m.Field + "=" + m.Column })
	return strings.Join(parts, ";")
}

// areMappings says what is wrong with a list of mappings, or "".
func areMappings(text string) phrase {
	if _, err := parseMappings(text); err != nil {
		return say("is field=column;field=column: %s", err)
	}
	return phrase{}
}

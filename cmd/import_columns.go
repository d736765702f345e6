package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"ativa/internal/cli"
	"ativa/internal/sheet"
)

// readingOptions holds the flags of every command that reads a spreadsheet.
type readingOptions struct {
	csv     sheet.Options
	maps    []string // values of --map
	values  []string // values of --map-value
	saveMap bool
}

func (o *readingOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.csv.Encoding, "encoding", "", "utf-8, utf-16le, utf-16be or windows-1252 (default: detected)")
	f.StringVar(&o.csv.Delimiter, "delimiter", "", "column delimiter, or tab (default: detected)")
	cli.AddRepeatedFlag(f, &o.maps, "map", "", "field=column: which column holds a field; ignore=column leaves one out")
	cli.AddRepeatedFlag(f, &o.values, "map-value", "", "products:VALUE=PRODUCT (- for none), speed:VALUE=SPEED or status:VALUE=STATUS: what a value means")
	f.StringVar(&o.csv.Sheet, "sheet", "", "sheet of an .xlsx file (default: the first that is not hidden)")
	f.BoolVar(&o.saveMap, "save-map", false, "store --map and --map-value in the context, for the next file of this kind")
}

// mapColumns parses --map and --map-value, and adds the mappings stored in the context.
func (o *readingOptions) mapColumns(e *cli.Env) (err error) {
	if o.csv.Map, err = cli.ParseMappings(o.maps); err != nil {
		return cli.Usage("--map %s", err)
	}
	if o.csv.Values, err = cli.ParseValues(o.values); err != nil {
		return cli.Usage("--map-value %s", err)
	}
	_, chosen, err := e.Values()
	if err != nil {
		return err
	}
	if o.csv.Saved, err = cli.ParseMappings(cli.Split(chosen.Columns)); err != nil {
		return err
	}
	if o.csv.SavedValues, err = cli.ParseValues(cli.Split(chosen.Values)); err != nil {
		return err
	}
	if !o.saveMap {
		return nil
	}
	if len(o.csv.Map)+len(o.csv.Values) == 0 {
		return cli.Usage("--save-map needs --map or --map-value")
	}
	_, err = writeValues(o.csv.Values)
	return err
}

// store stores the mappings in the context if --save-map is set. It is called after the check of the
// file, which refuses mappings to a column or a product that does not exist.
func (o readingOptions) store(e *cli.Env) error {
	if !o.saveMap {
		return nil
	}
	if len(o.csv.Map) > 0 {
		if err := setSetting(e, "import_columns", writeMappings(append(o.csv.Map, keptMappings(o.csv)...))); err != nil {
			return err
		}
	}
	if len(o.csv.Values) == 0 {
		return nil
	}
	text, err := writeValues(o.meaning().Values)
	if err != nil {
		return err
	}
	return setSetting(e, "import_values", text)
}

// meaning returns the options that decide how a file is read, from flags or an earlier --save-map.
// They distinguish runs over the same file.
func (o readingOptions) meaning() sheet.Options {
	m := o.csv
	m.Map, m.Saved = slices.Concat(o.csv.Map, keptMappings(o.csv)), nil
	m.Values, m.SavedValues = lastValues(slices.Concat(o.csv.SavedValues, o.csv.Values)), nil
	return m
}

// keptMappings returns the stored mappings that --map does not replace.
func keptMappings(o sheet.Options) []sheet.Mapping {
	return slices.DeleteFunc(slices.Clone(o.Saved), func(saved sheet.Mapping) bool {
		return slices.ContainsFunc(o.Map, func(m sheet.Mapping) bool { return m.Replaces(saved) })
	})
}

func writeMappings(all []sheet.Mapping) string {
	parts := cli.Map(all, func(m sheet.Mapping) string { return m.Field + "=" + m.Column })
	return strings.Join(parts, ";")
}

// writeValues writes value mappings for the configuration file.
func writeValues(all []sheet.ValueMapping) (string, error) {
	var parts []string
	for _, m := range lastValues(all) {
		text := m.String()
		if strings.Contains(text, ";") {
			return "", cli.Usage("--save-map cannot keep %q, because of its semicolon", text)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ";"), nil
}

// lastValues keeps the last mapping of each value, at the position of the first.
func lastValues(all []sheet.ValueMapping) (last []sheet.ValueMapping) {
	at := map[sheet.ValueMapping]int{}
	for _, m := range all {
		key := sheet.ValueMapping{Field: m.Field, Value: strings.ToLower(m.Value)}
		if i, ok := at[key]; ok {
			last[i] = m
			continue
		}
		at[key] = len(last)
		last = append(last, m)
	}
	return last
}

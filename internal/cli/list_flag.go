package cli

import (
	"strings"

	"github.com/spf13/pflag"
)

// listFlag is the value of a flag that may be given several times. pflag's own lists format their
// default with a CSV writer: 4 kB for each flag of each command, at every start.
type listFlag struct {
	values *[]string
	kind   string // as pflag names it: a stringSlice splits values at commas, a stringArray does not
}

// AddListFlag adds a flag whose values commas separate; it may be given several times.
func AddListFlag(f *pflag.FlagSet, to *[]string, name, usage string) {
	f.Var(listFlag{to, "stringSlice"}, name, usage)
}

// AddRepeatedFlag adds a flag that may be given several times, each time with one value.
func AddRepeatedFlag(f *pflag.FlagSet, to *[]string, name, shorthand, usage string) {
	f.VarP(listFlag{to, "stringArray"}, name, shorthand, usage)
}

func (l listFlag) Type() string { return l.kind }

// GetSlice returns the values, as pflag's own lists do.
func (l listFlag) GetSlice() []string { return *l.values }

// String returns "" for none, which pflag does not show as a default.
func (l listFlag) String() string {
	if len(*l.values) == 0 {
		return ""
	}
	return "[" + strings.Join(*l.values, ",") + "]"
}

func (l listFlag) Set(text string) error {
	switch {
	case l.kind == "stringArray":
		*l.values = append(*l.values, text)
	case text != "":
		*l.values = append(*l.values, strings.Split(text, ",")...)
	}
	return nil
}

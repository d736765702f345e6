package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// dependencies.txt names the modules of the program with a reason for each, and the forbidden
// ones.
func TestEveryModuleOfTheProgramHasAReason(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("dependencies.txt")
	must(t, err)
	reasons := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		module, reason, _ := strings.Cut(line, " ")
		if reasons[module] = strings.TrimSpace(reason); reasons[module] == "" {
			t.Errorf("%s has no reason", module)
		}
	}
	var linked []string
	for _, system := range []string{"linux", "windows", "darwin"} {
		c := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.Module.Path}}{{end}}", "ativa")
		c.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s: %v", system, err)
		}
		linked = append(linked, strings.Fields(string(out))...)
	}
	slices.Sort(linked)
	linked = slices.DeleteFunc(slices.Compact(linked), func(m string) bool { return m == "ativa" })
	for _, m := range linked {
		if why, forbidden := reasons["!"+m]; forbidden {
			t.Errorf("%s is forbidden: %s", m, why)
		} else if reasons[m] == "" {
			t.Errorf("%s is new: name it in dependencies.txt with the reason, or remove it", m)
		}
	}
	for m := range reasons {
		if !strings.HasPrefix(m, "!") && !slices.Contains(linked, m) {
			t.Errorf("%s is in the list and not in the program", m)
		}
	}
}

package sheet_test

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"ativa/internal/lang"
	"ativa/internal/sheet"
)

// typedIntoAShell returns the word after a flag in a message as a shell parses it.
func typedIntoAShell(t *testing.T, message, flag string) string {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	_, words, found := strings.Cut(message, flag+" ")
	if !found {
		t.Fatalf("no %s in %s", flag, message)
	}
	end := regexp.MustCompile(`^(?:\\'|[^'" ;,]|'[^']*'|"[^"]*")*`)
	out, err := exec.CommandContext(t.Context(), sh, "-c", "printf %s "+end.FindString(words)).Output()
	if err != nil {
		t.Fatalf("%s: %v", words, err)
	}
	return string(out)
}

// oddTexts are names with characters that a shell would interpret.
var oddTexts = []string{"Combo 500", "D'Ávila", `o "bom"`, "$HOME", "`x`", `a\b`, "hoje!", "50% & mais", "a*", "# 12", "~", "x=y", "(R$ 9,90)"}

func TestTheFlagOfAMessageIsWhatAShellTakes(t *testing.T) {
	quoted := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	for _, odd := range oddTexts {
		name := "Status (" + odd + ")"
		for _, tt := range []struct{ content, flag, typed, mapped string }{
			// The hint never says that a value means active.
			{withColumns("Status", quoted(odd)), "--map-value", "status:" + odd + "=suspended", "status:" + odd + "=active"},
			{withColumns(quoted(name), "Cancelado"), "--map", "ignore=" + name, "ignore=" + name},
		} {
			row := onlyRow(t, tt.content, sheet.Options{})
			if len(row.Problems) != 1 {
				t.Fatalf("%s: problems %v", odd, row.Problems)
			}
			if typed := typedIntoAShell(t, row.Problems[0].ReasonText(lang.English), tt.flag); typed != tt.typed {
				t.Errorf("typed %s, want %s", typed, tt.typed)
			}
			o := sheet.Options{}
			if tt.flag == "--map" {
				o.Map = mapping(t, tt.mapped)
			} else {
				o.Values = values(t, tt.mapped)
			}
			if row := onlyRow(t, tt.content, o); !row.OK() {
				t.Errorf("%s %s: still %v", tt.flag, tt.mapped, row.Problems)
			}
		}
	}
}

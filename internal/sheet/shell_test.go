package sheet_test

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"ativa/internal/lang"
	"ativa/internal/sheet"
)

// typedIntoAShell is what a shell makes of the words behind a flag in a message.
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

// oddTexts are what people call things, and what a shell would read otherwise.
var oddTexts = []string{"Combo 500", "D'Ávila", `o "bom"`, "$HOME", "`x`", `a\b`, "hoje!", "50% & mais", "a*", "# 12", "~", "x=y", "(R$ 9,90)"}

func TestTheFlagForAValueIsWhatAShellTakes(t *testing.T) {
	for _, odd := range oddTexts {
		content := withColumns("Status", `"`+strings.ReplaceAll(odd, `"`, `""`)+`"`)
		row := onlyRow(t, content, sheet.Options{})
		if len(row.Problems) != 1 {
			t.Fatalf("%s: problems %v", odd, row.Problems)
		}
		typed := typedIntoAShell(t, row.Problems[0].ReasonText(lang.English), "--map-value")
		if want := "status:" + odd + "=suspended"; typed != want {
			t.Errorf("typed %s, want %s", typed, want)
		}
		typed = strings.TrimSuffix(typed, "suspended") + "active" // the hint never says that it means active
		if row := onlyRow(t, content, sheet.Options{Values: values(t, typed)}); !row.OK() {
			t.Errorf("%s: still %v", typed, row.Problems)
		}
	}
}

func TestTheFlagForAColumnIsWhatAShellTakes(t *testing.T) {
	for _, odd := range oddTexts {
		name := "Status (" + odd + ")"
		content := withColumns(`"`+strings.ReplaceAll(name, `"`, `""`)+`"`, "Cancelado")
		row := onlyRow(t, content, sheet.Options{})
		if len(row.Problems) != 1 {
			t.Fatalf("%s: problems %v", odd, row.Problems)
		}
		typed := typedIntoAShell(t, row.Problems[0].ReasonText(lang.English), "--map")
		if want := "ignore=" + name; typed != want {
			t.Errorf("typed %s, want %s", typed, want)
		}
		if row := onlyRow(t, content, sheet.Options{Map: mapping(t, typed)}); !row.OK() {
			t.Errorf("%s: still %v", typed, row.Problems)
		}
	}
}

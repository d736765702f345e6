package cmd

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// bashCompletion holds the functions that bash completions use.
const bashCompletion = "/usr/share/bash-completion/bash_completion"

// shells complete a command line as TAB does, and print the completions, one per line.
// They use the generated script; zsh's own functions need a terminal, so two of them are
// replaced.
func shells() map[string]string {
	return map[string]string{
		"bash": `source ` + bashCompletion + `
source "$SCRIPTS/ativa.bash"
words=($LINE); [[ $LINE == *' ' ]] && words+=("")
COMP_WORDS=("${words[@]}") COMP_CWORD=$((${#words[@]} - 1)) COMP_LINE=$LINE COMP_POINT=${#LINE} COMP_TYPE=9
__start_ativa
printf '%s\n' "${COMPREPLY[@]%% *}"`,
		"fish": `source "$SCRIPTS/ativa.fish"
complete -C "$LINE" | string split -f1 \t`,
		"zsh": `compdef() { : }
_arguments() { : }
_describe() { for a in "$@"; do [[ ${(Pt)a} == array* ]] && print -l -- ${(P)a}; done }
source "$SCRIPTS/_ativa"
words=(${=LINE}); [[ $LINE == *' ' ]] && words+=("")
CURRENT=${#words}
_ativa | sed 's/:.*//'`,
	}
}

func TestShellsComplete(t *testing.T) {
	t.Parallel()
	w := newExampleFixture(t)
	w.print("ativa products")
	scripts, err := filepath.Abs("../completions")
	must(t, err)
	for shell, script := range shells() {
		t.Run(shell, func(t *testing.T) {
			if _, err := exec.LookPath(shell); err != nil {
				t.Skip(shell + " is not installed")
			}
			if _, err := os.Stat(bashCompletion); err != nil && shell == "bash" {
				t.Skip("bash-completion is not installed")
			}
			path := writeFile(t, "press", script)
			for line, want := range map[string]string{
				"ativa provision suspend --product ":                               "[musica musica-familia play-basic play-premium]",
				"ativa provision change 52998224725 --from play-basic --to play-p": "[play-premium]",
				"ativa subscribers create --speed 10 --nam":                        "[--name]",
				"ativa events -o json":                                             "[json jsonl]",
			} {
				eventually(t, line+" offers "+want, func() bool { // a busy machine may answer too late
					c := exec.CommandContext(t.Context(), shell, path)
					c.WaitDelay = time.Second
					c.Dir, c.Env = w.dir, append(slices.Clone(w.env), "SCRIPTS="+scripts, "LINE="+line, "TERM=dumb")
					out, _ := c.Output() // only the output matters
					got := slices.Compact(slices.Sorted(slices.Values(strings.Fields(string(out)))))
					if len(got) > 0 && fmt.Sprint(got) != want {
						t.Fatalf("%q offers %q, want %s", line, got, want)
					}
					return len(got) > 0
				})
			}
		})
	}
}

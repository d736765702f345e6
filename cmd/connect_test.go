package cmd

import (
	"strings"
	"sync"
	"testing"
	"time"

	"ativa/internal/cli"
)

func TestNoCommandHangsOnASilentServer(t *testing.T) {
	t.Parallel()
	address := "http://" + silentServer(t)
	var waiting sync.WaitGroup // concurrently: they only wait
	defer waiting.Wait()
	for _, line := range []string{
		"products", "subscribers list", "subscribers get 52998224725", "subscribers explain 52998224725", "subscribers export",
		"subscribers delete 52998224725 --yes", "subscribers resend 52998224725", "subscribers update 52998224725 --plan x", "events --follow",
		"provision suspend --product 1 52998224725", "provision change 52998224725 --from 1 --to 2", "api GET /products", "doctor", "auth token",
		"login --context c --storage file --token-stdin",
	} {
		u := newUser(t, map[string]string{"ATIVA_ACCESS_TOKEN": "t"})
		u.must("context", "add", "c", "--server", address)
		waiting.Go(func() {
			start := time.Now()
			got := u.run(strings.NewReader("t\n"), strings.Fields(line+" --timeout 200ms")...)
			if took := time.Since(start); got.exit != cli.ExitUnavailable || took > testTimeout {
				t.Errorf("%s: exit %d after %v, want %d soon\n%s", line, got.exit, took, cli.ExitUnavailable, got.stderr)
			}
		})
	}
}

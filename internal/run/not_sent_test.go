package run_test

import (
	"net/http"
	"slices"
	"testing"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/run"
)

// A token that is refused in the middle of a run ends it. Refused rows were not processed and are
// sent when the run is resumed, even in a resend, which mails nobody twice.
func TestARefusedTokenEndsARunAndTheRestIsSentLater(t *testing.T) {
	jobs := map[string]func(*client.Client, bool) run.Job{
		"resend": func(c *client.Client, _ bool) run.Job { return &run.Resend{Client: c, All: true} },
		"import": func(c *client.Client, keys bool) run.Job { return &run.Import{Client: c, Idempotency: keys} },
		"suspend": func(c *client.Client, _ bool) run.Job {
			return &run.Provision{Client: c, Operation: api.Suspend, Product: 7}
		},
	}
	for name, job := range jobs {
		for mode, extensions := range map[string]string{"with keys": allExtensions, "without keys": ""} {
			t.Run(name+" "+mode, func(t *testing.T) {
				f, server := newFixture(t, extensions)
				if name != "import" {
					for _, d := range documents(10) {
						f.add(d, 7)
					}
				}
				revoked := true
				f.refuse = func(r request) (int, string) {
					if revoked && r.n > 3 {
						return http.StatusUnauthorized, api.CodeTokenInvalid
					}
					return 0, ""
				}
				dir := t.TempDir()
				send := func() (done, unknown, notSent int, err error) {
					j := open(t, dir)
					defer j.Close()
					options := run.Options{Rows: 1, InFlight: 2, Idempotency: extensions != ""}
					err = run.Run(t.Context(), job(server, options.Idempotency), seq(file(documents(10)...)), j, options, func(r run.RowResult) error {
						switch {
						case r.IsNotSent():
							notSent++
						case r.Err != nil || r.Kind == api.ResultFailed:
							unknown++
						default:
							done++
						}
						return nil
					})
					return done, unknown, notSent, err
				}
				done, unknown, notSent, err := send()
				if client.KindOf(err) != client.KindAuth || done != 3 || unknown != 0 || notSent != 7 {
					t.Errorf("got %v, %d done, %d unknown, %d not sent, want the refusal, 3, 0, 7", err, done, unknown, notSent)
				}
				if info, err := (run.JournalDir{Path: dir}).List(); err != nil || len(info) != 1 || info[0].Done != 3 || info[0].Unanswered != 0 {
					t.Errorf("the list: got %+v, %v, want 3 done and none unanswered", info, err)
				}
				revoked = false
				if done, unknown, notSent, err := send(); err != nil || done != 10 {
					t.Errorf("the next run: got %v, %d done, %d unknown, %d not sent, want 10 done", err, done, unknown, notSent)
				}
				var sent []string
				for _, r := range f.carriedOut {
					sent = append(sent, r.documents...)
				}
				if slices.Sort(sent); !slices.Equal(sent, documents(10)) {
					t.Errorf("carried out for %v, want each document once", sent)
				}
			})
		}
	}
}

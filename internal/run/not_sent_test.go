package run_test

import (
	"net/http"
	"slices"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
	"ativa/internal/run"
)

// A token that is refused in the middle of a run ends it. Refused rows were not processed and are
// sent when the run is resumed, even in a resend, which mails nobody twice.
func TestARefusedTokenEndsARunAndTheRestIsSentLater(t *testing.T) {
	jobs := map[string]func(*client.Client) run.Job{
		"resend":  func(c *client.Client) run.Job { return &run.Resend{Client: c, All: true} },
		"import":  func(c *client.Client) run.Job { return &run.Import{Client: c} },
		"suspend": func(c *client.Client) run.Job { return &run.Provision{Client: c, Operation: api.Suspend, Product: 7} },
	}
	for name, job := range jobs {
		for mode, extensions := range map[string]string{"with keys": allExtensions, "without keys": ""} {
			t.Run(name+" "+mode, func(t *testing.T) {
				f, server := newFixture(t, extensions)
				if name != "import" {
					for _, d := range documents(10) {
						f.Add(d, 7)
					}
				}
				revoked := true
				f.Refuse = func(r apitest.Request) (int, string) {
					if revoked && r.N > 3 {
						return http.StatusUnauthorized, api.CodeTokenInvalid
					}
					return 0, ""
				}
				dir := t.TempDir()
				again := func() (done, refused, unknown int, err error) {
					j := open(t, dir)
					defer j.Close()
					got, err := send(t.Context(), job(server), file(documents(10)...), j, run.Options{Rows: 1, InFlight: 2, Idempotency: extensions != ""})
					done, refused, unknown = countResults(got)
					return done, refused, unknown, err
				}
				if done, refused, unknown, err := again(); client.KindOf(err) != client.KindAuth || done != 3 || refused+unknown != 0 {
					t.Errorf("got %v, %d done, %d refused, %d unknown, want the refusal, 3, 0, 0", err, done, refused, unknown)
				}
				if info, err := (run.JournalDir{Path: dir}).List(); err != nil || len(info) != 1 || info[0].Done != 3 || info[0].Unanswered != 0 {
					t.Errorf("the list: got %+v, %v, want 3 done and none unanswered", info, err)
				}
				revoked = false
				if done, refused, unknown, err := again(); err != nil || done != 10 {
					t.Errorf("the next run: got %v, %d done, %d refused, %d unknown, want 10 done", err, done, refused, unknown)
				}
				var sent []string
				for _, r := range f.CarriedOut {
					sent = append(sent, r.Documents...)
				}
				if slices.Sort(sent); !slices.Equal(sent, documents(10)) {
					t.Errorf("carried out for %v, want each document once", sent)
				}
			})
		}
	}
}

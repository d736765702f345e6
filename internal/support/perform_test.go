package support_test

import (
	"testing"

	"ativa/internal/api"
	"ativa/internal/lang"
	"ativa/internal/lifecycle"
	"ativa/internal/support"
)

// A server that gives no status, no detail, or a code of its own leaves no gap in what the desk and
// the commands say.
func TestTheWordsForAnAnswerWithoutDetail(t *testing.T) {
	own := "paused"
	id := api.Int(99)
	for name, c := range map[string]struct {
		operation api.Operation
		result    api.BatchResult
		en, pt    string
	}{
		"nothing":        {api.Suspend, api.BatchResult{Result: api.ResultAccepted}, "Play of Ana: accepted; the server does not report the status", "Play de Ana: aceito; o servidor não diz como ficou"},
		"a known code":   {api.Suspend, api.BatchResult{Result: api.ResultFailed, Code: api.CodeServiceNotActive}, "Play of Ana: refused: service not active", "Play de Ana: recusado: o serviço não está ativo"},
		"its own code":   {api.Suspend, api.BatchResult{Result: api.ResultFailed, Code: "line_is_busy"}, "Play of Ana: refused: line is busy", "Play de Ana: recusado: line is busy"},
		"its own words":  {api.Suspend, api.BatchResult{Result: api.ResultFailed, Code: "line_is_busy", Detail: "try at night"}, "Play of Ana: refused: try at night", "Play de Ana: recusado: try at night"},
		"its own status": {api.Suspend, api.BatchResult{Result: api.ResultAccepted, Status: &own, StatusID: &id}, "Play of Ana: paused", "Play de Ana: paused"},
		"an e-mail":      {lifecycle.Resend, api.BatchResult{Result: api.ResultSent}, "the activation e-mail of Play was requested again for Ana", "o reenvio do e-mail de ativação de Play foi pedido para Ana"},
	} {
		o := support.Outcome{Step: support.Step{Operation: c.operation, Name: "Ana", Document: ana, Product: api.Product{ID: basic, Name: "Play"}}, Result: c.result}
		for l, want := range map[lang.Language]string{lang.English: c.en, lang.Portuguese: c.pt} {
			if got := o.Message().WithStatusWords().Text(l); got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
	}
}

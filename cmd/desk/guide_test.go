package desk

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/lang"
)

// situation is what a support person does while the subscriber is on the telephone.
type situation struct {
	section, name, line string // of the guide, which has the keys that the line takes in its table
	before              func(x *stage)
	// steps are keys. A label in braces is chosen from the menu: Enter, and its digit.
	steps []string
	did   string // operations, updates and registrations
}

func situations() []situation {
	is := func(status string, id api.Int) func(*stage) { return func(x *stage) { x.becomes(status, id) } }
	const souza, yes, resend, suspend = "souza<enter>", "<enter>", "{enviar de novo o e-mail de ativação}", "{suspender o serviço por um tempo}"
	return []situation{
		{"10", "achar pelo telefone e saber por que está sem serviço", "ativa subscribers explain 11987654321", is("overdue", api.StatusOverdue),
			[]string{"11987654321<enter>"}, ""},
		{"1", "reenviar o e-mail de ativação", "ativa subscribers resend souza", nil, []string{souza, "<down>", resend, yes}, "resend"},
		{"1", "corrigir o e-mail e reenviar", "ativa subscribers update souza --email a@example.org && ativa subscribers resend souza", nil,
			[]string{souza, "{corrigir nome, e-mail, telefone ou plano}", "<tab><ctrl+u>a@example.org<ctrl+s>", "<down>", resend, yes}, "update resend"},
		{"2", "cadastrar e contratar", "ativa subscribers create --name 'Ana Souza' --document 52998224725 --email a@example.org --phone 11987654321 && ativa provision activate -p play-basic souza", nil,
			[]string{"Eva Souza", "<enter>", "<tab>86288366757<tab>a@example.org<tab>11987654321<ctrl+s>", "{ativar um produto}", "1", yes}, "register activate"},
		{"3", "ver o que houve com o link e reenviar", "ativa subscribers history souza && ativa subscribers resend souza", nil, []string{souza, "<down>", resend, yes}, "resend"},
		{"4", "suspender a pedido", "ativa provision suspend souza", nil, []string{souza, suspend, yes}, "suspend"},
		{"4", "suspender e desfazer", "ativa provision suspend souza --wait && ativa provision activate souza", nil,
			[]string{souza, suspend, yes, "PARTNER", "{desfazer a suspensão}", yes}, "suspend activate"},
		{"5", "reativar", "ativa provision activate souza", is("suspend", api.StatusSuspend), []string{souza, "{reativar o serviço}", yes}, "activate"},
		{"6", "suspender por falta de pagamento", "ativa provision overdue souza", nil, []string{souza, "{suspender o serviço por falta de pagamento}", yes}, "overdue"},
		{"7", "registrar o pagamento", "ativa provision settle souza", is("overdue", api.StatusOverdue), []string{souza, "{registrar o pagamento e reativar o serviço}", yes}, "settle"},
		{"8", "trocar o produto", "ativa provision change souza --to play-premium", nil, []string{souza, "{trocar por outro produto da família}", "1", yes}, "change"},
		{"9", "cancelar", "ativa provision deactivate souza", nil, []string{souza, "{cancelar o serviço definitivamente}", "cancelar<enter>"}, "deactivate"},
		{"10", "saber o lugar na fila", "ativa subscribers explain souza", is("limitReached", api.StatusLimitReached), []string{souza}, ""},
		{"10", "tentar de novo depois de um erro", "ativa provision suspend souza", is("error", api.StatusError), []string{souza, "{tentar de novo", yes}, "activate"},
	}
}

// The situations of the guide, from whom somebody calls about to the result. The guide has the
// keys of each, and names what is chosen from the menu.
func TestTheKeysOfTheSituations(t *testing.T) {
	text, err := os.ReadFile("../../docs/guia-do-atendimento.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, s := range situations() {
		section := regexp.MustCompile(`(?ms)^## ` + s.section + `\. .*?(^## |\z)`).FindString(page)
		t.Run(s.name, func(t *testing.T) {
			on(t, options{lang: lang.Portuguese}, func(x *stage) {
				if s.before != nil {
					s.before(x)
				}
				pressed, typed := 0, len([]rune(s.line))+len("\n")
				for _, step := range s.steps {
					label, chosen := strings.CutPrefix(step, "{")
					switch {
					case step == "PARTNER":
						x.partnerConfirms()
					case chosen:
						label = strings.TrimSuffix(label, "}")
						x.chooseText(label)
						pressed += len("\n1")
						if !strings.Contains(strings.Join(strings.Fields(section), " "), `"`+label) {
							t.Errorf("section %s does not name %q", s.section, label)
						}
					default:
						x.keys(step)
						pressed += len(keysOf(step))
					}
				}
				if s.did == "deactivate" {
					typed += len("s\n") // the answer to its question
				}
				if row := fmt.Sprintf("| %s | %s | `%s` | %d | %d |", s.section, s.name, s.line, typed, pressed); !strings.Contains(page, row) {
					t.Errorf("the guide lacks the row\n%s", row)
				}
				if did := x.server.did(); did != s.did {
					t.Errorf("it did %q, want %q:\n%s", did, s.did, x.screen())
				}
			})
		})
	}
}

// did is what the server was asked to do.
func (f *fakeServer) did() string {
	all := append(strings.Fields(strings.Repeat("register ", len(f.registered))), strings.Fields(strings.Repeat("update ", len(f.updated)))...)
	for _, s := range f.performed {
		all = append(all, string(s.Operation))
	}
	return strings.Join(all, " ")
}

package cmd

import (
	"fmt"
	"strings"
	"testing"
)

// situation is what a support person does, from a part of the subscriber's name on.
type situation struct {
	name   string
	before []string // what happened to the subscriber, whose service is active at first
	// line is typed into a shell, answer at the question that ends with ask.
	line, ask, answer string
	shown             string // at last
	most              int    // keys
	// desk are the keys of the full screen after the name, and what it shows before
	// each.
	desk     [][2]string
	done     string // what it shows at last
	services string // what the subscriber has in the end
}

// menu chooses what is named from the menu of the service.
const menu = "the menu"

func situations() []situation {
	return []situation{
		{name: "achar e saber por que está sem serviço", before: []string{"ativa provision overdue --product 1 --wait 52998224725"},
			line: "ativa subscribers explain souza", shown: "suspenso por falta de pagamento", most: 40, done: "suspenso por falta de pagamento", services: "play-basic: overdue"},
		{name: "reenviar o e-mail de ativação", before: []string{"ativa provision activate --product 3 52998224725"}, line: "ativa subscribers resend souza", shown: "enviado", most: 40,
			desk: [][2]string{{"enviar de novo o e-mail de ativação", menu}, {"Enter sim", enter}}, done: "um novo e-mail de ativação", services: "play-basic: active"},
		{name: "corrigir o e-mail e reenviar", before: []string{"ativa provision activate --product 3 52998224725"}, line: "ativa subscribers update souza --email a@example.org && ativa subscribers resend souza", shown: "musica em ativação enviado", most: 90,
			desk: [][2]string{{"corrigir nome, e-mail, telefone ou plano", menu}, {"Tab campo", "\t\x15a@example.org"}, {"a@example.org", "\x13"},
				{"foram corrigidos", ""}, {"enviar de novo o e-mail de ativação", menu}, {"Enter sim", enter}}, done: "um novo e-mail de ativação", services: "play-basic: active"},
		{name: "suspender por falta de pagamento", line: "ativa provision overdue -p play-basic souza", shown: "Play Básico de Ana Souza: de ativo para", most: 50,
			desk: [][2]string{{"suspender o serviço por falta de pagamento", menu}, {"Enter sim", enter}}, done: "Play Básico de Ana Souza: de ativo para", services: "play-basic: overdue"},
		{name: "trocar o produto", line: "ativa provision change souza --from play-basic --to play-premium", shown: "Play Básico de Ana Souza trocado por Play Premium", most: 70,
			desk: [][2]string{{"trocar por outro produto da família", menu}, {"1 Play Premium", "1"}, {"Enter sim", enter}}, done: "Play Básico de Ana Souza trocado por Play Premium", services: "play-premium: active"},
		{name: "cancelar", line: "ativa provision deactivate -p play-basic souza", ask: "definitivamente? [s = sim · qualquer outra tecla = não]", answer: "s", shown: "Play Básico de Ana Souza: de ativo para", most: 55,
			desk: [][2]string{{"cancelar o serviço definitivamente", menu}, {"Digite cancelar e Enter", "cancelar"}, {"cancelar", enter}}, done: "Play Básico de Ana Souza: de ativo para", services: "play-basic: canceled"},
	}
}

// The six situations that come up most, from a part of the name to the result: typed
// into a shell, and on the full screen. The guide has the keys of each.
func TestTheKeysOfSixSituations(t *testing.T) {
	t.Parallel()
	template := newExampleTemplate(t)
	page := pages(t)[guide]
	for _, s := range situations() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			typed, pressed := s.typedAt(t, template.copy(t)), s.pressedOn(t, template.copy(t))
			if row := fmt.Sprintf("| %s | `%s` | %d | %d |", s.name, s.line, typed, pressed); !strings.Contains(page, row) {
				t.Errorf("the guide lacks the row\n%s", row)
			}
			most := 17 // the word of a cancellation has eight
			if strings.Contains(s.name, "e-mail e") {
				most = 20 + len("a@example.org")
			}
			if typed > s.most || pressed > most {
				t.Errorf("%d keys on the command line and %d on the screen, want at most %d and %d", typed, pressed, s.most, most)
			}
		})
	}
}

// typedAt types the command into a shell and returns how many keys that took.
func (s situation) typedAt(t *testing.T, w *exampleFixture) int {
	t.Helper()
	for _, line := range s.before {
		w.run(line, 0)
	}
	shell := showUnder(t, 100, 30, append(w.env, "LANG=pt_BR.UTF-8", "PS1=$ "), "sh")
	shell.shows("$")
	shell.typed(s.line)
	shell.press(enter)
	if s.ask != "" {
		shell.shows(s.ask)
		shell.typed(s.answer)
		shell.press(enter)
	}
	shell.shows(s.shown, "próximo passo")
	s.leads(t, w)
	return shell.pressed
}

// pressedOn does the same in the desk.
func (s situation) pressedOn(t *testing.T, w *exampleFixture) int {
	t.Helper()
	for _, line := range s.before {
		w.run(line, 0)
	}
	d := showDesk(t, 100, 30, append(w.env, "LANG=pt_BR.UTF-8"))
	d.shows("Buscar:")
	d.typed("souza")
	d.shows("1 encontrado")
	d.press(enter)
	for _, key := range s.desk {
		if key[1] == menu {
			d.shows("Histórico", "Play Básico:") // the card is read
			d.choose(key[0])
			continue
		}
		d.shows(key[0])
		d.typed(key[1])
	}
	d.shows(s.done)
	s.leads(t, w)
	return d.pressed
}

// leads waits for the services that the subscriber shall have.
func (s situation) leads(t *testing.T, w *exampleFixture) {
	t.Helper()
	eventually(t, s.services, func() bool {
		return strings.Contains(string(w.print("ativa subscribers get --columns services 52998224725")), s.services)
	})
}

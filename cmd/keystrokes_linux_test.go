package cmd

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// situation is a support task during a telephone call.
type situation struct {
	section string // of the guide; it names the menu entries
	name    string
	before  []string // earlier events of the subscriber, whose service is active at first

	find, found string // search term at the full screen, and the number of results
	desk        []deskStep
	done        string // final text of the full screen
	services    string // the subscriber's final services
	most        int    // maximum of keys at the full screen; 0: 12
}

// deskStep waits for a text and presses keys, or chooses a menu entry.
type deskStep struct{ shows, keys string }

const (
	menu     = "the menu"
	down     = "\x1b[B" // one key
	confirms = "Enter sim"
	address  = "a@example.org"
)

// suspension is a subscriber's request.
var suspension = []deskStep{{"suspender o serviço por um tempo", menu}, {confirms, enter}}

// resending mails the link of the second service.
var resending = []deskStep{{"Música Mais em ativação", down}, {"enviar de novo o e-mail de ativação", menu}, {confirms, enter}}

func situations() []situation {
	music, away := []string{"ativa provision activate --product 3 52998224725"}, []string{"ativa provision suspend --product 1 --wait 52998224725"}
	unpaid := []string{"ativa provision overdue --product 1 --wait 52998224725"}
	const sent, changed = "um novo e-mail de ativação de Música Mais", "Play Básico de Ana Souza: de "
	return []situation{
		{section: "10", name: "achar pelo telefone e saber por que está sem serviço", before: unpaid,
			find: "11987654321", done: "suspenso por falta de pagamento", services: "play-basic: overdue", most: 14},
		{section: "1", name: "reenviar o e-mail de ativação", before: music, desk: resending, done: sent, services: "musica: inProgress"},
		{section: "1", name: "corrigir o e-mail e reenviar", before: music,
			desk: append([]deskStep{{"corrigir nome, e-mail, telefone ou plano", menu}, {"Tab campo", "\t\x15" + address}, {address, "\x13"}, {"foram corrigidos", ""}}, resending...),
			done: sent, services: "musica: inProgress", most: 20 + len(address)},
		{section: "2", name: "cadastrar e contratar", before: []string{"ativa provision deactivate --product 1 --wait --yes 52998224725", "ativa subscribers delete --yes 52998224725"},
			find: "Ana Souza", found: "0 encontrados",
			desk: []deskStep{{"Cadastrar um assinante", ""}, {"Tab campo", "\t52998224725\t" + address + "\t11987654321\x13"}, {"nenhum ainda", ""}, {"ativar um produto", menu},
				{"1 Play Básico", "1"}, {confirms, enter}}, done: "Play Básico de Ana Souza: em ativação", services: "play-basic: inProgress", most: 14 + len("Ana Souza") + 11 + len(address) + 11},
		{section: "3", name: "ver o que houve com o link e reenviar", before: music,
			desk: append([]deskStep{{"e-mail Música Mais: enviado", ""}}, resending...), done: sent, services: "musica: inProgress"},
		{section: "4", name: "suspender a pedido", desk: suspension, done: changed + "ativo para", services: "play-basic: suspend"},
		{section: "4", name: "suspender e desfazer",
			desk: append(append([]deskStep{}, suspension...), deskStep{"por um minuto", ""}, deskStep{"desfazer a suspensão", menu}, deskStep{confirms, enter}), done: changed + "suspenso para", services: "play-basic: active"},
		{section: "5", name: "reativar", before: away,
			desk: []deskStep{{"reativar o serviço", menu}, {confirms, enter}}, done: changed + "suspenso para", services: "play-basic: active"},
		{section: "6", name: "suspender por falta de pagamento",
			desk: []deskStep{{"suspender o serviço por falta de pagamento", menu}, {confirms, enter}}, done: changed + "ativo para", services: "play-basic: overdue"},
		{section: "7", name: "registrar o pagamento", before: unpaid,
			desk: []deskStep{{"registrar o pagamento e reativar o serviço", menu}, {confirms, enter}}, done: changed, services: "play-basic: active"},
		{section: "8", name: "trocar o produto",
			desk: []deskStep{{"trocar por outro produto da família", menu}, {"1 Play Premium", "1"}, {confirms, enter}}, done: "Play Básico de Ana Souza trocado por Play Premium", services: "play-premium: active"},
		{section: "9", name: "cancelar",
			desk: []deskStep{{"cancelar o serviço definitivamente", menu}, {"Digite cancelar e Enter", "cancelar"}, {"cancelar", enter}}, done: changed + "ativo para", services: "play-basic: canceled", most: 17}, // the word has eight
		{section: "10", name: "saber o lugar na fila", before: append([]string{"ativa admin providers set-limit 'Provedor Azul' 1"}, music...),
			done: "número 1 na fila", services: "musica: limitReached"},
		{section: "10", name: "tentar de novo depois de um erro", before: []string{"ativa admin partners update parceiro-simulado --failure-rate 1", "ativa provision suspend --product 1 52998224725",
			"until ativa subscribers get --columns services 52998224725 | grep error; do :; done", "ativa admin partners update parceiro-simulado --failure-rate 0"},
			desk: []deskStep{{"tentar de novo: suspender o serviço por um tempo", menu}, {confirms, enter}}, done: changed + "erro para", services: "play-basic: suspend"},
	}
}

// The situations of the guide, from the search to the result: by the commands of its section, which
// are typed unchanged, and on the full screen. The guide names the menu entries.
func TestTheSituationsOfTheGuideGoAsTheySay(t *testing.T) {
	t.Parallel()
	page := pages(t)[guide]
	sections := regexp.MustCompile(`(?m)^## \d+\. `).Split(page, -1)
	t.Run("set-up", func(t *testing.T) {
		t.Parallel()
		newReader(t, guide, page).typeAll(blocks(sections[0]))
	})
	tried := map[string]bool{}
	for _, s := range situations() {
		number, _ := strconv.Atoi(s.section)
		section := sections[number]
		for _, step := range s.desk {
			if named := strings.Contains(strings.Join(strings.Fields(section), " "), `"`+step.shows+`"`); step.keys == menu && !named {
				t.Errorf("situation %s does not name %q: %s", s.section, step.shows, section)
			}
		}
		first := !tried[s.section]
		tried[s.section] = true
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			if first {
				s.typeSection(t, section)
			}
			if pressed, most := s.pressInDesk(t, newExampleFixture(t)), cmp.Or(s.most, 12); pressed > most {
				t.Errorf("%d keys on the screen, want at most %d", pressed, most)
			}
		})
	}
	if len(tried) != len(sections)-1 {
		t.Errorf("%d situations are tried, the guide has %d", len(tried), len(sections)-1)
	}
}

// guide is the page for support staff.
const guide = "../docs/guia-do-atendimento.md"

// typeSection types the commands of the section.
func (s situation) typeSection(t *testing.T, section string) {
	t.Helper()
	r := newReader(t, guide, section)
	for _, line := range s.before {
		r.print(line)
	}
	typed := blocks(strings.ReplaceAll(section, " deactivate ", " deactivate --yes ")) // TestACancellationNamesWhomItConcerns answers its question
	if len(typed) == 0 {
		t.Error("the section has no command")
	}
	r.typeAll(typed)
	s.waitForServices(t, r.exampleFixture)
}

// pressInDesk does the same in the desk and returns the number of keys.
func (s situation) pressInDesk(t *testing.T, w *exampleFixture) int {
	t.Helper()
	for _, line := range s.before {
		w.print(line)
	}
	d := showDesk(t, 100, 30, append(w.env, "LANG=pt_BR.UTF-8"))
	d.shows("Buscar:")
	found := cmp.Or(s.found, "1 encontrado")
	d.typed(cmp.Or(s.find, "souza"))
	d.shows(found)
	if strings.HasPrefix(found, "0") {
		d.shows("Enter cadastrar")
	}
	d.press(enter)
	for _, step := range s.desk {
		switch step.keys {
		case menu:
			d.shows("Histórico", "Enter menu") // the card is read
			d.choose(step.shows)
		case down:
			d.shows(step.shows, "Enter menu")
			d.press(down)
		default:
			d.shows(step.shows)
			d.typed(step.keys)
		}
	}
	d.shows(s.done)
	s.waitForServices(t, w)
	return d.pressed
}

// waitForServices waits for the subscriber's final services.
func (s situation) waitForServices(t *testing.T, w *exampleFixture) {
	t.Helper()
	eventually(t, s.services, func() bool {
		return strings.Contains(string(w.print("ativa subscribers get --columns services 52998224725")), s.services)
	})
}

package server

import (
	"strconv"
	"strings"

	"ativa/internal/service/rules"
)

// The languages of the activation page.
const (
	portuguese = "pt-BR"
	english    = "en"
)

// language returns the language of the page that the browser prefers according to Accept-Language:
// the first of several with equal weight, or the default if it accepts neither.
func (c *requestContext) language() string {
	best, weight := portuguese, 0.0
	if strings.HasPrefix(c.s.o.Language, english) {
		best = english
	}
	for wish := range strings.SplitSeq(c.r.Header.Get("Accept-Language"), ",") {
		tag, q, weighted := strings.Cut(wish, ";")
		w := 1.0
		if weighted {
			w, _ = strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(q), "q="), 64)
		}
		if w <= weight {
			continue
		}
		switch primary, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-"); primary {
		case "pt":
			best, weight = portuguese, w
		case english:
			best, weight = english, w
		}
	}
	return best
}

// pageText is the text of the page for one state of a link.
type pageText struct {
	Title  string
	Text   string
	Button string
	Next   string // what the person can do next
}

// linkError is the state of a failed request, in addition to those of a link.
const linkError rules.LinkState = -1

func pageTextOf(language string, state rules.LinkState) pageText {
	if language == english {
		const newest = "Look for the most recent activation e-mail in your inbox, or ask your internet provider for a new one."
		return map[rules.LinkState]pageText{
			rules.LinkUnknown:     {"Link not found", "This activation link does not exist. Perhaps the address is incomplete.", "", newest},
			rules.LinkReady:       {"Activate your service", "One step is left: press the button to start using it.", "Activate now", "You did not ask for this? Close the page: nothing is activated."},
			rules.LinkDone:        {"Service activated", "Done! Your service is available now.", "", "You can close this page."},
			rules.LinkActive:      {"Service already active", "Your service is active. There is nothing left to do.", "", "You can close this page."},
			rules.LinkUsed:        {"Link already used", "This activation link has been used, and works only once.", "", "If the service is not available, contact your internet provider."},
			rules.LinkReplaced:    {"Link replaced", "A newer e-mail was sent, and this link no longer works.", "", newest},
			rules.LinkExpired:     {"Link expired", "The time to use this activation link is over.", "", newest},
			rules.LinkSuspended:   {"Service suspended", "This service is suspended, or being suspended, and cannot be activated with this link.", "", "Contact your internet provider to use it again."},
			rules.LinkClosed:      {"Activation unavailable", "This service was cancelled or is being cancelled, or its activation failed.", "", "Contact your internet provider."},
			rules.LinkUnavailable: {"Activation not possible right now", "This service cannot be activated at the moment.", "", "Try again later. If it goes on, contact your internet provider."},
			linkError:             {"Something went wrong", "It could not be completed now. Nothing is lost.", "", "Try again in a few minutes. If it goes on, tell your provider this code:"},
		}[state]
	}
	const newest = "Procure na sua caixa de entrada o e-mail de ativação mais recente ou peça um novo ao seu provedor de internet."
	return map[rules.LinkState]pageText{
		rules.LinkUnknown:     {"Link não encontrado", "Este link de ativação não existe. Talvez o endereço esteja incompleto.", "", newest},
		rules.LinkReady:       {"Ative o seu serviço", "Falta só um passo: aperte o botão para começar a usar.", "Ativar agora", "Não pediu esta ativação? Feche a página: nada será ativado."},
		rules.LinkDone:        {"Serviço ativado", "Pronto! O seu serviço já está disponível.", "", "Você pode fechar esta página."},
		rules.LinkActive:      {"Serviço já ativo", "O seu serviço já está ativo. Não é preciso fazer mais nada.", "", "Você pode fechar esta página."},
		rules.LinkUsed:        {"Link já utilizado", "Este link de ativação já foi usado e só vale uma vez.", "", "Se o serviço não estiver disponível, fale com o seu provedor de internet."},
		rules.LinkReplaced:    {"Link substituído", "Um e-mail mais novo foi enviado, e este link deixou de valer.", "", newest},
		rules.LinkExpired:     {"Link expirado", "O prazo deste link de ativação terminou.", "", newest},
		rules.LinkSuspended:   {"Serviço suspenso", "Este serviço está suspenso ou sendo suspenso e não pode ser ativado por este link.", "", "Fale com o seu provedor de internet para voltar a usá-lo."},
		rules.LinkClosed:      {"Ativação indisponível", "Este serviço foi ou está sendo cancelado, ou a ativação falhou.", "", "Fale com o seu provedor de internet."},
		rules.LinkUnavailable: {"Ativação indisponível agora", "Por enquanto este serviço não pode ser ativado.", "", "Tente de novo mais tarde. Se continuar assim, fale com o seu provedor de internet."},
		linkError:             {"Algo deu errado", "Não foi possível concluir agora. Nada foi perdido.", "", "Tente de novo em alguns minutos. Se continuar, informe este código ao seu provedor:"},
	}[state]
}

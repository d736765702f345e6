package server

import (
	"strconv"
	"strings"

	"ativa/internal/provision"
)

// The languages of the activation page.
const (
	portuguese = "pt-BR"
	english    = "en"
)

// language is the one of the page's languages that the browser likes best; of
// equals the first, and without a wish the default.
func (x *exchange) language() string {
	best, weight := portuguese, 0.0
	if strings.HasPrefix(x.s.o.Language, english) {
		best = english
	}
	for _, wish := range strings.Split(x.r.Header.Get("Accept-Language"), ",") {
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

// words are what the page says of a link.
type words struct {
	Title  string
	Text   string
	Button string
	Next   string // what to do now
}

// linkFault stands beside the states of a link for a request that failed.
const linkFault provision.LinkState = -1

func wordsOf(language string, state provision.LinkState) words {
	if language == english {
		return englishWords(state)
	}
	return portugueseWords(state)
}

func portugueseWords(state provision.LinkState) words {
	const newest = "Procure na sua caixa de entrada o e-mail de ativação mais recente ou peça um novo ao seu provedor de internet."
	switch state {
	case provision.LinkReady:
		return words{"Ative o seu serviço", "Falta só um passo: aperte o botão para começar a usar.", "Ativar agora",
			"Não pediu esta ativação? Feche a página: nada será ativado."}
	case provision.LinkDone:
		return words{"Serviço ativado", "Pronto! O seu serviço já está disponível.", "", "Você pode fechar esta página."}
	case provision.LinkActive:
		return words{"Serviço já ativo", "O seu serviço já está ativo. Não é preciso fazer mais nada.", "", "Você pode fechar esta página."}
	case provision.LinkUsed:
		return words{"Link já utilizado", "Este link de ativação já foi usado e só vale uma vez.", "", "Se o serviço não estiver disponível, fale com o seu provedor de internet."}
	case provision.LinkReplaced:
		return words{"Link substituído", "Um e-mail mais novo foi enviado, e este link deixou de valer.", "", newest}
	case provision.LinkExpired:
		return words{"Link expirado", "O prazo deste link de ativação terminou.", "", newest}
	case provision.LinkSuspended:
		return words{"Serviço suspenso", "Este serviço está suspenso e não pode ser ativado por este link.", "", "Fale com o seu provedor de internet para voltar a usá-lo."}
	case provision.LinkClosed:
		return words{"Ativação indisponível", "Este serviço foi cancelado ou a ativação falhou.", "", "Fale com o seu provedor de internet."}
	case linkFault:
		return words{"Algo deu errado", "Não foi possível concluir agora. Nada foi perdido.", "", "Tente de novo em alguns minutos. Se continuar, informe este código ao seu provedor:"}
	}
	return words{"Link não encontrado", "Este link de ativação não existe. Talvez o endereço esteja incompleto.", "", newest}
}

func englishWords(state provision.LinkState) words {
	const newest = "Look for the most recent activation e-mail in your inbox, or ask your internet provider for a new one."
	switch state {
	case provision.LinkReady:
		return words{"Activate your service", "One step is left: press the button to start using it.", "Activate now",
			"You did not ask for this? Close the page: nothing is activated."}
	case provision.LinkDone:
		return words{"Service activated", "Done! Your service is available now.", "", "You can close this page."}
	case provision.LinkActive:
		return words{"Service already active", "Your service is active. There is nothing left to do.", "", "You can close this page."}
	case provision.LinkUsed:
		return words{"Link already used", "This activation link has been used, and works only once.", "", "If the service is not available, contact your internet provider."}
	case provision.LinkReplaced:
		return words{"Link replaced", "A newer e-mail was sent, and this link no longer works.", "", newest}
	case provision.LinkExpired:
		return words{"Link expired", "The time to use this activation link is over.", "", newest}
	case provision.LinkSuspended:
		return words{"Service suspended", "This service is suspended and cannot be activated with this link.", "", "Contact your internet provider to use it again."}
	case provision.LinkClosed:
		return words{"Activation unavailable", "This service was cancelled or its activation failed.", "", "Contact your internet provider."}
	case linkFault:
		return words{"Something went wrong", "It could not be completed now. Nothing is lost.", "", "Try again in a few minutes. If it goes on, tell your provider this code:"}
	}
	return words{"Link not found", "This activation link does not exist. Perhaps the address is incomplete.", "", newest}
}

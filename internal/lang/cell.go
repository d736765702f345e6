package lang

// Word is a word of the API, or one of ours, as a table shows it: a result, a
// state, an action. One that is not known comes as it is.
func (l Language) Word(english string) string {
	if l != Portuguese {
		return english
	}
	for _, in := range []func(string) string{resultWord, actionWord} {
		if word := in(english); word != "" {
			return word
		}
	}
	return english
}

// Status is the short form of the name of a status, whose meaning `ativa status`
// tells. One that is not known comes as it is.
func (l Language) Status(name string) string {
	if l == Portuguese {
		if word := statusWord(name); word != "" {
			return word
		}
	}
	return name
}

func statusWord(english string) string {
	switch english {
	case "active":
		return "ativo"
	case "canceled":
		return "cancelado"
	case "suspend":
		return "suspenso"
	case "overdue":
		return "inadimplente"
	case "limitReached":
		return "na fila"
	case "inProgress":
		return "em ativação"
	case "error":
		return "erro"
	case "reactivated":
		return "em reativação"
	case "changed":
		return "em troca"
	case "waitingSuspension":
		return "em suspensão"
	case "waitingCancellation":
		return "em cancelamento"
	case "canceledWithoutActivation":
		return "cancelado sem ativação"
	case "waitingSuspensionDueToOverdue":
		return "em suspensão por inadimplência"
	}
	return ""
}

// resultWord is what became of something, or how it stands.
func resultWord(english string) string {
	switch english {
	case "created":
		return "criado"
	case "existing":
		return "já existia"
	case "duplicate":
		return "duplicado"
	case "failed":
		return "falhou"
	case "accepted":
		return "aceito"
	case "unchanged":
		return "sem mudança"
	case "sent":
		return "enviado"
	case "skipped":
		return "pulado"
	case "updated":
		return "atualizado"
	case "running":
		return "em execução"
	case "interrupted":
		return "interrompida"
	case "finished":
		return "terminada"
	case "yes":
		return "sim"
	case "no":
		return "não"
	}
	return ""
}

// actionWord is what a plan does, and what let something happen.
func actionWord(english string) string {
	switch english {
	case "create":
		return "criar"
	case "update":
		return "atualizar"
	case "activate":
		return "ativar"
	case "change":
		return "trocar"
	case "suspend":
		return "suspender"
	case "reactivate":
		return "reativar"
	case "deactivate":
		return "cancelar"
	case "refused":
		return "recusado"
	}
	return ""
}

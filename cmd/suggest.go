package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/failure"
)

// findCommands are the commands that a word may mean which its group does not have:
// what people call them otherwise, then those of that name anywhere, the client's
// before the operator's.
func findCommands(typed string) []string {
	typed = strings.ToLower(typed)
	root := newRoot(&cli.Env{Getenv: func(string) string { return "" }})
	var found []string
	for _, path := range likelyCommands()[typed] {
		if c, rest, err := root.Find(strings.Fields(path)); err == nil && len(rest) == 0 {
			found = append(found, c.CommandPath())
		}
	}
	var named, similar []string
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			switch path := sub.CommandPath(); {
			case !sub.IsAvailableCommand() || slices.Contains(found, path):
			case sub.Name() == typed:
				named = append(named, path)
			case len(failure.Nearest(typed, []string{sub.Name()})) > 0:
				similar = append(similar, path)
			}
			walk(sub)
		}
	}
	walk(root)
	if len(found)+len(named) == 0 {
		named = similar
	}
	slices.SortStableFunc(named, func(a, b string) int { return rank(a) - rank(b) })
	return append(found, named...)
}

// rank puts what support staff use before the rest, and the operator's side last.
func rank(path string) int {
	order := []string{"ativa subscribers ", "ativa provision ", "ativa imports ", "", "ativa help ", "ativa admin "}
	at := slices.IndexFunc(order, func(prefix string) bool { return prefix != "" && strings.HasPrefix(path, prefix) })
	if at < 0 {
		return slices.Index(order, "")
	}
	return at
}

// likelyCommands are commands by other words that people type for them.
func likelyCommands() map[string][]string {
	words := map[string]string{
		"subscribers search": "find buscar busca procurar pesquisar localizar", "subscribers list": "ls listar lista assinantes assinante customers clients users clientes",
		"subscribers create": "add new register criar cadastrar cadastro novo nova", "subscribers get": "show view ver mostrar consultar consulta",
		"subscribers import": "upload importar planilha", "subscribers export": "download exportar",
		"subscribers update": "edit modify atualizar alterar editar corrigir", "subscribers delete": "remove rm erase excluir apagar remover",
		"subscribers resend": "reenviar reenvio email e-mail link", "subscribers history": "log historico histórico", "subscribers explain": "why explicar",
		"subscribers speeds":   "velocidades velocidade",
		"provision activate":   "enable reactivate unsuspend ativar ativacao ativação reativar",
		"provision suspend":    "pause block suspender pausar bloquear",
		"provision deactivate": "cancel terminate cancelar cancelamento desativar", "provision overdue": "unpaid inadimplente inadimplencia inadimplência atraso",
		"provision settle": "paid pay pago pagar pagamento quitar regularizar", "provision change": "swap trocar troca mudar",
		"products": "produtos produto catalog", "status": "statuses situacao situação", "imports list": "runs importacoes importações",
		"imports resume": "continue retomar continuar", "sync": "apply sincronizar", "events": "watch tail follow eventos",
		"login": "signin entrar", "logout": "signout sair", "auth status": "whoami", "auth token": "token",
		"config list": "settings configuracao configuração configurar", "context list": "profiles contexto", "doctor": "diagnose diagnostico diagnóstico",
		"serve": "server start run servir", "admin providers set-limit": "limit limite", "admin providers list": "provedores provedor",
		"version": "versao versão", "help": "ajuda",
	}
	commands := map[string][]string{}
	for path, others := range words {
		for word := range strings.FieldsSeq(others) {
			commands[word] = append(commands[word], path)
			slices.Sort(commands[word])
		}
	}
	return commands
}

package lang_test

import (
	"testing"

	"ativa/internal/lang"
)

// Causes from systems, network libraries, mail servers and receivers become plain words in both
// languages; machines get them unchanged.
func TestACauseIsInPlainWords(t *testing.T) {
	for said, want := range map[string][2]string{
		"callback: dial: connect: connection refused":                                              {"callback: connection refused; the server seems to be down", "callback: conexão recusada; o servidor parece fora do ar"},
		"tls: failed to verify certificate: x509: certificate signed by unknown authority":         {"its certificate is from an authority that is not trusted here", "o certificado dele não é de uma autoridade em que este computador confia"},
		"x509: certificate has expired or is not yet valid: current time 2026-01-01 is after 2025": {"its certificate has expired or is not valid yet, or a clock is wrong", "o certificado dele está vencido ou ainda não vale, ou um relógio está errado"},
		"x509: certificate is valid for a.example, not b.example":                                  {"its certificate is for another name", "o certificado dele é de outro nome"},
		"read tcp 10.0.0.1:40000->10.0.0.2:443: read: connection reset by peer":                    {"the connection was cut", "a conexão caiu"},
		"EOF": {"the connection was cut", "a conexão caiu"},
		"callback: host name lookup: no such host": {"callback: no machine has this name", "callback: nenhum computador tem esse nome"},
		"partner: no answer in time":               {"partner: no answer in time", "parceiro: não respondeu a tempo"},
		"mail server: dial: i/o timeout":           {"mail server: it took too long", "servidor de e-mail: demorou demais"},
		"no space left on device":                  {"the disk is full", "o disco está cheio"},
		"There is not enough space on the disk.":   {"the disk is full", "o disco está cheio"},
		"permission denied":                        {"the system does not permit it: look at the owner and the permissions", "o sistema não permite: confira o dono e as permissões"},
		`partner: net/http: HTTP/1.x transport connection broken: malformed HTTP status code "no"`: {"partner: the answer is not HTTP; another program may listen at this address", "parceiro: a resposta não é HTTP; talvez outro programa use este endereço"},
		"callback: HTTP 503 Service Unavailable":                                                   {"callback: it reports an internal error", "callback: está com um defeito do lado dele"},
		"callback: HTTP 404 Not Found":                                                             {"callback: it has nothing at this address", "callback: não há nada nesse endereço"},
		"callback: HTTP 302: redirects are not followed":                                           {"callback: it redirects to another address, which is not followed", "callback: ele encaminha para outro endereço, o que não é seguido"},
		"mail server: 550 5.1.1 at the recipient":                                                  {"mail server: it does not take e-mail for this address", "servidor de e-mail: não aceita e-mails para esse endereço"},
		"mail server: 554 5.7.1 at the recipient":                                                  {"mail server: it refuses the e-mail", "servidor de e-mail: recusou o e-mail"},
		"mail server: it takes only addresses without accents":                                     {"mail server: it takes only addresses without accents", "servidor de e-mail: só aceita endereços sem acentos"},
		"mail server: 452 4.2.2 at the recipient":                                                  {"mail server: the mail box is full", "servidor de e-mail: a caixa postal está cheia"},
		"mail server: 421 at the connection":                                                       {"mail server: it takes no e-mail at the moment", "servidor de e-mail: não está recebendo e-mails agora"},
		"mail server: 535 5.7.8":                                                                   {"mail server: it does not accept the service's user or password", "servidor de e-mail: não aceita o usuário ou a senha do serviço"},
		"mail server: 535 5.7.8 at the connection":                                                 {"mail server: it does not accept the service's user or password", "servidor de e-mail: não aceita o usuário ou a senha do serviço"},
		"mail server: at the recipient: the connection was lost":                                   {"mail server: the connection was cut", "servidor de e-mail: a conexão caiu"},
		"email: it is disabled or was removed":                                                     {"e-mail: it is disabled or was removed", "e-mail: está desativado ou foi removido"},
		"ERROR: permission denied for table provider (SQLSTATE 42501)":                             {"ERROR: permission denied for table provider (SQLSTATE 42501)", "ERROR: permission denied for table provider (SQLSTATE 42501)"},
		"what only the other side knows":                                                           {"what only the other side knows", "what only the other side knows"},
		"partner: proxyconnect tcp: dial tcp 10.0.0.9:3128: no route to host":                      {"partner: there is no route to the server; is this machine on the network?", "parceiro: não há caminho até o servidor; este computador está na rede?"},
	} {
		c := lang.Cause(said)
		if got := [2]string{c.Text(lang.English), c.Text(lang.Portuguese)}; got != want {
			t.Errorf("%s: got %q, want %q", said, got, want)
		}
		if got := c.Text(lang.Codes); got != said {
			t.Errorf("machines read %q of %q", got, said)
		}
	}
}

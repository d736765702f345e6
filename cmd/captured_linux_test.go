package cmd

import (
	"os"
	"strings"
	"testing"
	"time"

	"ativa/internal/cli"
)

// keptScreens are the command lines with stored screens: lists and cards, one service and
// several, a plan, a refusal, a wrong file, a chart.
func keptScreens() []string {
	return []string{
		"subscribers list", "subscribers search silva", "subscribers get 52998224725", "subscribers history 52998224725",
		"subscribers explain 52998224725", "products", "status", "admin deliveries list", "admin tokens list",
		"subscribers create --name|Ana Souza|--email|ana@|--document|15350946056|--phone|11987654321",
		"provision suspend --product play-premium 86288366757", "provision activate --product musica 86288366757 11144477735 52998224700",
		"provision deactivate --product play-basic --status overdue,waitingSuspensionDueToOverdue",
		"subscribers import novos.csv --skip-invalid", "sync assinantes.csv", "report usage --month 2026-09 --chart", "auth status",
	}
}

// morning types commands at the captured terminals, first the reading ones.
func (f *captureFixture) morning() {
	f.shootLists()
	f.shootSubscribers()
	f.shootRuns()
	f.shootOperator()
	f.shootSetUp()
}

func (f *captureFixture) shootLists() {
	f.shootAll(
		"subscribers list", "subscribers search silva", "subscribers search nobody", "subscribers get 52998224725",
		"subscribers get 52998224725 --columns document,name,email,phone,internet_speed_id,customer_plan,services,created_at",
		"subscribers history 52998224725", "subscribers deliveries 52998224725", "subscribers explain 52998224725", "subscribers explain 11144477735",
		"subscribers explain 52998224725 --message", "subscribers speeds", "subscribers export",
		"products", "status", "provision suspend --dry-run --product play-basic 52998224725 11144477735 39053344705",
		"events", "config list", "config get lang", "doctor --offline",
		"admin providers list", "admin products list", "admin partners list", "admin operations list", "admin operations list --all",
		"admin deliveries list --all", "admin callbacks list", "admin check", "admin migrate --status", "admin tokens list", "admin speeds list",
		"admin partners events", "admin partners replay", "imports list",
		"report usage", "report usage --month 2026-09", "report usage --month 2026-09 --tokens", "report usage --month 2026-09 --chart", "report usage --month 2026-11", "report usage --tz Marte",
		"report reconcile fatura.csv --month 2026-09", "report reconcile combos.csv --month 2026-09", "report reconcile assinantes.csv --month 2026-08",
	)
}

// shootSubscribers changes subscribers and their services, singly and in bulk, with
// success and refusal.
func (f *captureFixture) shootSubscribers() {
	f.shootAll(
		"subscribers create --name|Bia Ramos|--email|bia.ramos@example.com.br|--document|86288366757|--phone|11912345678|--plan|Fibra 300",
		"subscribers create --name|Ana Souza|--email|ana@example.com.br|--document|52998224725|--phone|11987654321",
		"subscribers create --name|Ana Souza|--email|ana@|--document|15350946056|--phone|11987654321",
		"subscribers update 86288366757 --email bia@example.com.br",
		"subscribers get 15350946056", "subscribers get 52998224700",
		"provision activate --product play-basic 86288366757",
		"admin providers set-limit|Provedor Azul|8",
		"provision activate --product musica 86288366757",
		"provision activate --product play-premium 39053344705",
		"provision activate --product cursos 86288366757",
		"subscribers resend 86288366757", "subscribers resend 11144477735", "subscribers deliveries 86288366757",
	)
	f.click()
	f.shootAll(
		"provision activate --product musica 86288366757 11144477735 52998224700",
		"provision activate --product musica 86288366757 11144477735 15350946056",
		"provision change 86288366757 --from play-basic --to play-premium",
		"provision change 86288366757 --from musica --to play-premium",
		"admin operations list --stuck 24h",
		"admin operations confirm {operation}", "admin operations fail {operation} --reason recusado",
	)
	f.confirm()
	f.shootAll(
		"provision suspend --product play-premium 86288366757",
		"provision suspend --product play-premium 15350946056",
		"provision suspend --product musica 86288366757 11144477735",
		"provision overdue --product musica 39053344705", "provision overdue --product musica 86288366757 39053344705",
		"provision schedule list", "provision schedule cancel sch_1", "provision settle --product musica 39053344705", "provision settle --product musica 86288366757 39053344705",
	)
	f.confirm()
	f.shoot("provision deactivate --product play-premium 86288366757", "n\n")
	f.shoot("subscribers delete 86288366757", "y\n")
	f.shoot("provision deactivate --yes --product play-premium 86288366757")
	f.shoot("provision deactivate --product musica 86288366757 39053344705 15350946056", "y\n")
	f.shoot("provision deactivate --product play-basic --status overdue,waitingSuspensionDueToOverdue", "n\n")
	f.shootAll("subscribers list --status pausado", "subscribers list --status waitingCancellation")
	f.confirm()
	f.shoot("subscribers delete --yes 86288366757")
	f.shoot("events --limit 3")
}

func (f *captureFixture) shootRuns() {
	must(f.t, os.WriteFile("novos.csv", []byte("nome;e-mail;cpf;telefone;produtos\n"+
		"Caio Prado;caio@example.com.br;52998224726;11987654321;play-basic\nRui Alves;rui@example.com.br;15350946056;11987654399;musica\n"), 0o600))
	must(f.t, os.WriteFile("documentos.csv", []byte("cpf\n11144477735\n15350946056\n"), 0o600))
	f.shoot("sync assinantes.csv --dry-run")
	f.shoot("sync assinantes.csv", "y\n")
	f.shoot("sync assinantes.csv --yes")
	for _, line := range []string{
		"subscribers import novos.csv --dry-run", "subscribers import novos.csv --skip-invalid", "subscribers import novos.csv", "subscribers import falta.csv",
		"provision suspend --product musica --file documentos.csv",
	} {
		f.shoot(line)
		f.now = f.now.Add(time.Minute) // runs are listed by start time
	}
	f.shootAll("imports list", "imports show {run}", "imports resume {run}")
	f.shootUndo()
	f.shoot("imports purge")
}

// shootUndo undoes a run: too early, unconfirmed, and successfully.
func (f *captureFixture) shootUndo() {
	must(f.t, os.WriteFile("ativos.csv", []byte("cpf\n11144477735\n"), 0o600))
	f.run("provision activate --product musica --file ativos.csv")
	f.shoot("imports undo {run} --dry-run")
	f.confirm()
	f.shoot("imports undo {run}", "n\n")
	f.shoot("imports undo {run}", "y\n")
}

func (f *captureFixture) shootOperator() {
	f.shootAll(
		"admin providers create Verde --limit 100", "admin providers disable Verde", "admin providers enable Verde", "admin providers set-limit Preto 4",
		"admin providers brand Verde --phone|0800 123 4567|--color|#0b3d91", "admin providers brand Verde",
		"admin tokens create Verde --name balcao --scope manage,provision --expires 90d", "admin tokens list Verde", "admin tokens list Verde --all",
		"admin tokens rotate Verde balcao", "admin tokens revoke Verde balcao",
		"tokens create maria --scope manage", "tokens list", "tokens rotate maria", "tokens revoke maria", "admin record",
		"admin products create --id 7 --name Cursos --code cursos --can activate,deactivate", "admin products update 7 --inactive",
		"admin products revoke Verde 7", "admin products grant Verde 7", "admin speeds add|39|2 Gbps",
		"admin partners create outro --driver simulator --delay 5s", "admin partners update outro --delay 10s", "admin partners rotate outro", "admin partners create http --driver http",
		"admin callbacks set Verde http://127.0.0.1:1/ativa --allow-private", "admin callbacks set Verde http://127.0.0.1:1/eventos --feed --allow-private",
		"admin callbacks set Verde http://azul.example.com/eventos", "admin callbacks list", "admin callbacks test Verde",
		"admin callbacks disable Verde", "admin callbacks enable Verde", "admin callbacks replay Verde",
		"admin deliveries list", "admin deliveries retry {delivery}",
		"admin backup copia.db", "admin restored --db sqlite:copia.db", "admin migrate", "admin export-data|Provedor Azul|11144477735",
		"admin copy --from sqlite:copia.db --to sqlite:nova.db",
	)
}

func (f *captureFixture) shootSetUp() {
	f.shootAll(
		"context add casa --server casa.example.com", "context add casa --server https://casa.example.com --protected", "context add casa --server https://outra.example.com",
		"context use casa", "context list", "context use rua", "config set timeout 30s", "config set timeout breve", "config unset timeout", "context remove casa", "context use azul",
		"login --storage arquivo", "login --storage file --token-stdin", "auth status", "subscribers search silva --context all", "logout",
	)
}

func commandOf(t *testing.T, line string) string {
	t.Helper()
	c, _, err := newRoot(&cli.Env{Getenv: os.Getenv}).Find(words(line))
	must(t, err)
	name, _ := strings.CutPrefix(c.CommandPath(), "ativa ")
	return name
}

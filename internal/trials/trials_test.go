// Package trials tests whole processes of the program: servers and commands that are killed, a
// database that fails over, load that lasts for hours.
package trials_test

import (
	"fmt"
	"os"
	"testing"

	"ativa/internal/processtest"
	"ativa/internal/service/domain"
	"ativa/internal/service/store/pgtest"
)

func TestMain(m *testing.M) { os.Exit(mainOf(m)) }

func mainOf(m *testing.M) int {
	dir, err := processtest.PutInPath("../..")
	defer os.RemoveAll(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	pgtest.AtOnce(12) // they wait for processes and disks, not for the processor
	return pgtest.Main(m)
}

// fixture is the home, database with three products, and processes of one test.
type fixture struct{ *processtest.Fixture }

func newFixture(t *testing.T, dsn string, partner domain.Partner) *fixture {
	t.Helper()
	return &fixture{processtest.New(t, dsn, partner, []domain.Product{
		{ID: 1, Code: "play-basic", Name: "Play Básico", Family: "play"},
		{ID: 2, Code: "play-premium", Name: "Play Premium", Family: "play"},
		{ID: 3, Code: "musica", Name: "Música Mais", Family: "musica"},
		{ID: 4, Code: "musica-familia", Name: "Música Família", Family: "musica"},
	})}
}

// manual returns a partner that confirms nothing.
func manual() domain.Partner {
	return domain.Partner{Name: "parceiro", Driver: domain.DriverManual}
}

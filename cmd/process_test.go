package cmd

import (
	"testing"

	"ativa/cmd/operator"
	"ativa/internal/processtest"
	"ativa/internal/service/domain"
	"ativa/internal/service/store/pgtest"
)

// processFixture is a home, the demo's products in a database, and the processes of one test.
type processFixture struct{ *processtest.Fixture }

// newProcessFixture is for what does not depend on the database.
func newProcessFixture(t *testing.T) *processFixture {
	t.Helper()
	return newProcessFixtureOn(t, pgtest.File(t))
}

// newProcessFixtureOnEach is a fixture on the database under test.
func newProcessFixtureOnEach(t *testing.T) *processFixture {
	t.Helper()
	return newProcessFixtureOn(t, pgtest.DSN(t))
}

func newProcessFixtureOn(t *testing.T, dsn string) *processFixture {
	t.Helper()
	partner := domain.Partner{Name: "parceiro", Driver: domain.DriverManual}
	return &processFixture{processtest.New(t, dsn, partner, operator.DevProducts())}
}

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

func newProcessFixture(t *testing.T) *processFixture {
	t.Helper()
	partner := domain.Partner{Name: "parceiro", Driver: domain.DriverManual}
	return &processFixture{processtest.New(t, pgtest.File(t), partner, operator.DevProducts())}
}

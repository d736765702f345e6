package store_test

import (
	"os"
	"testing"

	"ativa/internal/store/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

package store

import (
	"context"
	"errors"
)

func openPostgres(ctx context.Context, dsn string) (*DB, error) { return nil, errors.New("x") }

package store

import (
	"context"
	"database/sql"
	"errors"
)

// maxStatements bounds the memory for prepared statements; the usual work takes
// far fewer.
const maxStatements = 300

// prepared is the connection of SQLite's writer. It prepares each statement
// once; used by the writer alone.
type prepared struct {
	conn       *sql.Conn
	statements map[string]*sql.Stmt
}

func (p *prepared) dialect() *dialect { return sqliteDialect }

func (p *prepared) statement(ctx context.Context, query string) (*sql.Stmt, error) {
	if s, ok := p.statements[query]; ok {
		return s, nil
	}
	s, err := p.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if len(p.statements) == maxStatements {
		if err := p.forget(); err != nil {
			return nil, err
		}
	}
	p.statements[query] = s
	return s, nil
}

// ExecContext runs a prepared statement.
func (p *prepared) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	s, err := p.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

// QueryContext runs a prepared query.
func (p *prepared) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := p.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

func (p *prepared) forget() error {
	var errs []error
	for _, s := range p.statements {
		errs = append(errs, s.Close())
	}
	clear(p.statements)
	return errors.Join(errs...)
}

func (p *prepared) close() error {
	errs := []error{p.forget()}
	if p.conn != nil {
		errs = append(errs, p.conn.Close())
	}
	return errors.Join(errs...)
}

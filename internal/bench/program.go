//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// binary is an executable file and the HOME it gets.
type binary struct{ path, home string }

type ativa struct{ binary }

// build compiles the program as a release is compiled, and those beside it.
func build(ctx context.Context, dir string) (*ativa, error) {
	for name, path := range map[string]string{"ativa": "ativa", "bare": "ativa/internal/bench/bare", "launch": "ativa/internal/bench/launch"} {
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(dir, name), path)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go build %s: %w: %s", path, err, out)
		}
	}
	return &ativa{binary{filepath.Join(dir, "ativa"), dir}}, nil
}

type outcome struct {
	stdout []byte
	used
}

type used struct {
	Wall, CPU time.Duration
	Peak      int64 // resident bytes
}

func (b *binary) run(ctx context.Context, environment []string, args ...string) (o outcome, err error) {
	cmd := exec.CommandContext(ctx, filepath.Join(b.home, "launch"), append([]string{b.path}, args...)...)
	cmd.Env = b.environment(environment)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	told, telling, err := os.Pipe()
	if err != nil {
		return o, err
	}
	defer told.Close()
	cmd.ExtraFiles = []*os.File{telling}
	err = cmd.Run()
	telling.Close()
	if err != nil {
		return o, fmt.Errorf("%s %s: %w: %s", filepath.Base(b.path), strings.Join(args, " "), err, tail(stderr.Bytes()))
	}
	o.stdout = stdout.Bytes()
	return o, json.NewDecoder(told).Decode(&o.used)
}

// environment keeps the user's own contexts and keyring out of it.
func (b *binary) environment(more []string) []string {
	return append([]string{"HOME=" + b.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}, more...)
}

func tail(b []byte) []byte { return b[max(0, len(b)-2000):] }

// setUp fills an empty database with one provider and two products of a
// partner that nobody calls, and returns the provider's access token.
func (p *ativa) setUp(ctx context.Context, dsn string) (token string, err error) {
	for _, args := range [][]string{
		{"admin", "partners", "create", "parceiro", "--driver", "manual"},
		{"admin", "products", "create", "--id", "1", "--name", "Play", "--code", "play", "--family", "play", "--partner", "parceiro"},
		{"admin", "products", "create", "--id", "2", "--name", "Música", "--code", "musica", "--family", "music", "--partner", "parceiro"},
	} {
		if _, err := p.run(ctx, nil, append(args, "--db", dsn)...); err != nil {
			return "", err
		}
	}
	return p.provider(ctx, dsn, "Provedor")
}

//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ativa/internal/cpf"
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
		if err := install(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	return &ativa{binary{filepath.Join(dir, "ativa"), dir}}, nil
}

// install replaces a program by a copy, as every installation is one. What the linker
// wrote through a mapping lies in memory in small pieces, and a start takes a quarter
// more processor time than that of the copy. What is written at once lies in large ones,
// of which a process that reads a byte gets all.
func install(path string) (err error) {
	built, err := os.Open(path)
	if err != nil {
		return err
	}
	defer built.Close()
	if err := os.Remove(path); err != nil {
		return err
	}
	installed, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(installed, built)
	return errors.Join(err, installed.Close())
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

var (
	firstNames = strings.Fields(`Ana João Maria José Antônio Francisco Carlos Paulo Pedro Lucas Luiz Marcos Luís Gabriel Rafael Daniel
		Marcelo Bruno Eduardo Felipe Raimundo Rodrigo Manoel Mateus André Fernanda Juliana Márcia Adriana Patrícia Aline Sandra Camila
		Amanda Bruna Jéssica Letícia Júlia Luciana Vanessa Mariana Gabriela Vera Vitória Larissa Cláudia Beatriz Rita Sônia Renata`)
	lastNames = strings.Fields(`Silva Santos Oliveira Souza Rodrigues Ferreira Alves Pereira Lima Gomes Costa Ribeiro Martins Carvalho
		Almeida Lopes Soares Fernandes Vieira Barbosa Rocha Dias Nascimento Andrade Moreira Nunes Marques Machado Mendes Freitas Cardoso
		Ramos Gonçalves Santana Teixeira Moura Cavalcanti Araújo Monteiro Pinto Azevedo Correia Campos Batista Guimarães Brito Farias
		Duarte Peixoto Figueiredo`)
	areaCodes = []int{11, 19, 21, 27, 31, 41, 47, 48, 51, 61, 62, 65, 71, 81, 84, 85, 91, 92, 98}
	plain     = strings.NewReplacer("ã", "a", "ô", "o", "é", "e", "í", "i", "ú", "u", "á", "a", "ç", "c", "ó", "o", "ê", "e", "â", "a")
)

// people is a generated spreadsheet.
type people struct {
	rows      int
	csv       string
	documents []string // of those who are suspended, spread over the whole
	others    roots    // documents that are not in it
	list      string   // a file of them, one a line
}

// listed is how many documents are suspended, at most.
const listed = 100_000

// generate writes the spreadsheet of so many subscribers.
func generate(dir string, rows int) (*people, error) {
	p := &people{rows: rows, csv: filepath.Join(dir, fmt.Sprintf("subscribers-%d.csv", rows)), list: filepath.Join(dir, fmt.Sprintf("documents-%d.csv", rows))}
	f, err := os.Create(p.csv)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	every := max(2, rows/listed)
	p.others, err = writePeople(f, rows, func(i int, document string) {
		if i%every == 1 && len(p.documents) < listed {
			p.documents = append(p.documents, document)
		}
	})
	if err != nil {
		return nil, err
	}
	return p, os.WriteFile(p.list, []byte(strings.Join(p.documents, "\n")+"\n"), 0o644)
}

// writePeople writes n rows of invented subscribers as CSV, about 116 bytes
// each: valid unique CPFs in random order, valid phones, 1.3 products a row.
// The same n gives the same bytes. It tells each row's document, and
// returns those that follow.
func writePeople(w io.Writer, n int, tell func(i int, document string)) (roots, error) {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	out := bufio.NewWriterSize(w, 1<<20)
	fmt.Fprintln(out, "name,email,document,phone,internet_speed_id,customer_plan,products_ids")
	documents := roots(123456790)
	for i := range n {
		first, middle, last := pick(r, firstNames), pick(r, lastNames), pick(r, lastNames)
		products := "1"
		if r.IntN(10) < 3 {
			products = "1;2"
		}
		document := documents.next()
		tell(i, document)
		fmt.Fprintf(out, "%s %s %s,%s.%s%d@example.com.br,%s,+55%d9%08d,%d,\"Fibra %d, Residencial\",%s\n",
			first, middle, last, plain.Replace(strings.ToLower(first)), plain.Replace(strings.ToLower(last)), i,
			document, areaCodes[r.IntN(len(areaCodes))], r.IntN(100_000_000),
			1+r.IntN(38), 100*(1+r.IntN(10)), products)
	}
	return documents, out.Flush()
}

// roots is the last of the first nine digits of the documents so far. The steps
// go round a prime number, so none comes twice in 999,999,937.
type roots int

func (r *roots) next() (document string) {
	*r = (*r + 387420489) % 999999937
	if *r%111111111 == 0 { // nobody has a CPF of one digit
		return r.next()
	}
	return string(cpf.WithCheckDigits(fmt.Sprintf("%09d", int(*r))))
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

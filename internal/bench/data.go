//go:build linux

package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"ativa/internal/cpf"
)

var (
	firstNames = strings.Fields(`Ana João Maria José Antônio Francisco Carlos Paulo Pedro Lucas Luiz Marcos Luís Gabriel Rafael Daniel
		Fernanda Juliana Márcia Adriana Patrícia Aline Sandra Camila Amanda Bruna Jéssica Letícia Júlia Luciana Vanessa Mariana`)
	lastNames = strings.Fields(`Silva Santos Oliveira Souza Rodrigues Ferreira Alves Pereira Lima Gomes Costa Ribeiro Martins Carvalho
		Almeida Lopes Soares Fernandes Vieira Barbosa Rocha Dias Nascimento Andrade Moreira Nunes Marques Machado Mendes Freitas Cardoso`)
	plain = strings.NewReplacer("ã", "a", "ô", "o", "é", "e", "í", "i", "ú", "u", "á", "a")
)

// people is a generated spreadsheet.
type people struct {
	rows      int
	csv       string
	documents []string     // half of the documents, at most 100,000
	others    atomic.Int64 // number of the last other document
}

// generate writes n invented subscribers as CSV, about 116 bytes each: valid unique CPFs in random
// order, valid phones, and 1.3 products a row if products is the title of a last column. The same
// arguments give the same bytes.
func (b *bench) generate(n int, plan, products string) *people {
	p := &people{rows: n, csv: filepath.Join(b.dir, fmt.Sprintf("subscribers-%d-%s.csv", n, plan))}
	f := must(os.Create(p.csv))
	defer f.Close()
	r := rand.New(rand.NewPCG(1, uint64(n)))
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	out := bufio.NewWriterSize(f, 1<<20)
	out.WriteString("name,email,document,phone,internet_speed_id,customer_plan" + products + "\n")
	for i := range n {
		first, middle, last := pick(firstNames), pick(lastNames), pick(lastNames)
		d := document(int(p.others.Add(1)))
		if i%2 == 1 && len(p.documents) < 100_000 {
			p.documents = append(p.documents, d)
		}
		fmt.Fprintf(out, "%s %s %s,%s.%s%d@example.com.br,%s,+55119%08d,%d,\"%s %d, Residencial\"",
			first, middle, last, plain.Replace(strings.ToLower(first)), strings.ToLower(last), i,
			d, r.IntN(100_000_000), 1+r.IntN(38), plan, 100*(1+r.IntN(10)))
		if products != "" {
			out.WriteString([]string{",1", ",1", ",1;2"}[r.IntN(20)/7])
		}
		out.WriteString("\n")
	}
	check(out.Flush())
	return p
}

// another returns a new document that is not in the spreadsheet.
func (p *people) another() string { return document(int(p.others.Add(1))) }

// document returns the n-th document, from 1 on. The steps go round a prime number, so none occurs
// twice.
func document(n int) string {
	return string(cpf.WithCheckDigits(fmt.Sprintf("%09d", n*387420489%999999937)))
}

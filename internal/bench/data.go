//go:build linux

package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"ativa/internal/cpf"
)

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
	documents []string // half of them, at most 100,000
	list      string   // a file of these, one a line
	others    roots    // documents that are not in it
}

// generate writes n invented subscribers as CSV, about 116 bytes each: valid
// unique CPFs in random order, valid phones, and 1.3 products a row if products
// is the title of a last column. The same arguments give the same bytes.
func (b *bench) generate(n int, plan, products string) (*people, error) {
	base := filepath.Join(b.dir, fmt.Sprintf("subscribers-%d-%s", n, plan))
	p := &people{rows: n, csv: base + ".csv", list: base + "-documents.csv", others: 123456790}
	f, err := os.Create(p.csv)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := rand.New(rand.NewPCG(1, uint64(n)))
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	out := bufio.NewWriterSize(f, 1<<20)
	out.WriteString("name,email,document,phone,internet_speed_id,customer_plan" + products + "\n")
	for i := range n {
		first, middle, last := pick(firstNames), pick(lastNames), pick(lastNames)
		document := p.others.next()
		if i%2 == 1 && len(p.documents) < 100_000 {
			p.documents = append(p.documents, document)
		}
		fmt.Fprintf(out, "%s %s %s,%s.%s%d@example.com.br,%s,+55%d9%08d,%d,\"%s %d, Residencial\"",
			first, middle, last, plain.Replace(strings.ToLower(first)), plain.Replace(strings.ToLower(last)), i,
			document, areaCodes[r.IntN(len(areaCodes))], r.IntN(100_000_000), 1+r.IntN(38), plan, 100*(1+r.IntN(10)))
		if products != "" {
			out.WriteString([]string{",1", ",1", ",1;2"}[r.IntN(20)/7])
		}
		out.WriteString("\n")
	}
	if err := out.Flush(); err != nil {
		return nil, err
	}
	return p, os.WriteFile(p.list, []byte(strings.Join(p.documents, "\n")+"\n"), 0o644)
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

//go:build linux

package main

import (
	"bufio"
	"fmt"
	"io"
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

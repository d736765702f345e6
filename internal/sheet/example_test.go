package sheet_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"ativa/internal/sheet"
)

// An import checks the whole file first, sends what is right and writes back
// what is wrong.
func Example() {
	const content = "Nome;E-mail;CPF;Telefone;Velocidade;Produtos\n" +
		"Ana Souza;ana@example.com;52998224725;(11) 98765-4321;100 Mega;play-basic\n" +
		"Ana Souza;ana@example.com;52998224725;(11) 98765-4321;100 Mega;musica\n" +
		"Rui Lima;rui@example.com;1,1144E+10;1133334444;;\n"
	ctx := context.Background()
	f, err := sheet.OpenReader(strings.NewReader(content), sheet.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	defer f.Close()
	summary, err := f.Check(ctx, catalog())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	fmt.Printf("%d rows: %d to send, %d merged, %d wrong\n", summary.Rows, summary.Valid, summary.Merged, summary.Invalid)
	for _, p := range summary.First {
		fmt.Println(&p)
	}
	rejected := f.NewRejectedWriter(os.Stdout)
	for row, err := range f.Rows(ctx) {
		switch {
		case err != nil:
			fmt.Fprintln(os.Stderr, err)
		case row.OK():
			fmt.Println("send", row.Document, row.ProductsIDs)
		case len(row.Problems) > 0:
			err = rejected.Write(row)
		}
		if err != nil {
			return
		}
	}
	if err := rejected.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	// Output:
	// 3 rows: 1 to send, 1 merged, 1 wrong
	// line 4, column 3 (CPF): the spreadsheet shortened the number and digits are lost; format the column as Text and enter the number again
	// send 52998224725 [1 3]
	// Nome;E-mail;CPF;Telefone;Velocidade;Produtos;ativa_error_line;ativa_error_column;ativa_error_code;ativa_error_message
	// Rui Lima;rui@example.com;1,1144E+10;1133334444;;;4;CPF;scientific_notation;"the spreadsheet shortened the number and digits are lost; format the column as Text and enter the number again"
}

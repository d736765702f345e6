package server_test

import (
	"fmt"
	"strings"
	"testing"
)

// importBody is an import of a thousand rows that are new.
func importBody(from int) string {
	all := make([]string, 1000)
	for i := range all {
		all[i] = fmt.Sprintf(`{"name":"Assinante %d","email":"a%d@example.com.br","document":"%s","phone":"+5511987654321","internet_speed_id":10,"customer_plan":"Fibra","products_ids":[1]}`,
			from+i, from+i, doc(from+i))
	}
	return `{"subscribers":[` + strings.Join(all, ",") + `]}`
}

func BenchmarkAnImportOfAThousandRows(b *testing.B) {
	for _, key := range []string{"without a key", "with a key"} {
		b.Run(key, func(b *testing.B) {
			f := newFixture(b)
			n := 0
			for b.Loop() {
				b.StopTimer()
				body := importBody(1 + n*1000)
				headers := []string{}
				if key == "with a key" {
					headers = append(headers, fmt.Sprint("Idempotency-Key: ", n))
				}
				n++
				b.StartTimer()
				if r, err := f.send("POST", "/subscribers/import", body, headers...); err != nil || r.status != 200 {
					b.Fatal(r.status, err)
				}
			}
		})
	}
}

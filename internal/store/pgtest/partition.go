package pgtest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// PartitionedEngine is a value of [Engine]: the tests run on a PostgreSQL whose
// tables are partitioned by provider.
const PartitionedEngine = "partitioned"

// partitions is how many partitions a table gets: one each for the providers 1, 2
// and 3, and one for all others.
const partitions = 4

// PartitionedTable is a table that is partitioned by provider, by ranges of a key
// that carries the provider in its upper bits.
type PartitionedTable struct {
	Key  string
	Bits int // of the key below the provider
	// Carriers are other columns that carry the provider, with the number of bits
	// below it. A constraint of each partition says so, and the planner leaves out the
	// partitions that it excludes: this stands for the index that a distributed
	// database keeps in order of that column.
	Carriers map[string]int
}

// PartitionedTables are those whose rows belong to one provider each.
func PartitionedTables() map[string]PartitionedTable {
	const provider, subscriber, block, record = 0, 31, 21, 43
	return map[string]PartitionedTable{
		"provider":       {Key: "id", Bits: provider},
		"product_grant":  {Key: "provider_id", Bits: provider},
		"callback":       {Key: "provider_id", Bits: provider},
		"feed_callback":  {Key: "provider_id", Bits: provider},
		"brand":          {Key: "provider_id", Bits: provider},
		"answer":         {Key: "provider_id", Bits: provider, Carriers: map[string]int{"subscriber_id": subscriber}},
		"subscriber":     {Key: "id", Bits: subscriber, Carriers: map[string]int{"provider_id": provider}},
		"subscriber_gap": {Key: "block", Bits: block},
		"service":        {Key: "id", Bits: record, Carriers: map[string]int{"operation_id": record}},
		"operation":      {Key: "id", Bits: record},
		"event":          {Key: "id", Bits: record, Carriers: map[string]int{"subscriber_id": subscriber}},
		"job":            {Key: "id", Bits: record, Carriers: map[string]int{"service_id": record}},
	}
}

// WholeTables are those that are not partitioned, with the reason.
func WholeTables() map[string]string {
	const byHash = "a secret finds the row before its provider is known"
	const shared = "shared by all providers; small, and written by the operator alone"
	return map[string]string{
		"access_token":     byHash,
		"bearer_token":     byHash,
		"link":             byHash,
		"report":           "a partner's event is stored before its operation is looked for",
		"partner":          shared,
		"product":          shared,
		"internet_speed":   shared,
		"goose_db_version": "the version of the schema",
	}
}

// Partitioned is [URL] of a database whose tables are partitioned by provider.
func Partitioned(t TB) string {
	t.Helper()
	if partitioned {
		return URL(t)
	}
	url := Empty(t, "TEMPLATE migrated")
	if err := partition(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	return url
}

// partition partitions the tables of a migrated database. It derives everything from
// the tables as they are.
func partition(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var all strings.Builder
	for table, p := range PartitionedTables() {
		statements, err := p.statements(ctx, conn, table)
		if err != nil {
			return fmt.Errorf("table %s: %w", table, err)
		}
		all.WriteString(statements)
	}
	// The foreign keys that go with the old tables refer to the new ones, so they come last.
	keys, err := column(ctx, conn, `SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
		FROM pg_constraint
		WHERE contype = 'f' AND (conrelid::regclass::text = ANY ($1) OR confrelid::regclass::text = ANY ($1))`, slices.Collect(maps.Keys(PartitionedTables())))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, all.String()+strings.Join(keys, ";\n"))
	return err
}

// statements replaces a table by a partitioned one with the same columns,
// constraints and indexes.
func (p PartitionedTable) statements(ctx context.Context, conn *pgx.Conn, table string) (string, error) {
	constraints, err := column(ctx, conn, `SELECT format('CONSTRAINT %I %s', conname, pg_get_constraintdef(oid))
		FROM pg_constraint
		WHERE conrelid = $1::regclass AND contype IN ('p', 'u', 'c') AND `+hasKey("conkey"), table, p.Key)
	if err != nil {
		return "", err
	}
	indexes, err := p.indexes(ctx, conn, table)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "DROP TABLE IF EXISTS whole;\nALTER TABLE %s RENAME TO whole;\n", table)
	// Its constraints and indexes have the names of the new ones, so it is dropped first.
	fmt.Fprintf(&b, "CREATE TABLE %s (LIKE whole INCLUDING DEFAULTS INCLUDING IDENTITY) PARTITION BY RANGE (%s);\nDROP TABLE whole CASCADE;\n", table, p.Key)
	for _, c := range constraints {
		fmt.Fprintf(&b, "ALTER TABLE %s ADD %s;\n", table, c)
	}
	for n := 1; n <= partitions; n++ {
		from, to := "MINVALUE", "MAXVALUE"
		if n > 1 {
			from = strconv.Itoa(n << p.Bits)
		}
		if n < partitions {
			to = strconv.Itoa((n + 1) << p.Bits)
		}
		fmt.Fprintf(&b, "CREATE TABLE %[1]s_%[2]d PARTITION OF %[1]s FOR VALUES FROM (%[3]s) TO (%[4]s);\n", table, n, from, to)
		for column, bits := range p.Carriers {
			fmt.Fprintf(&b, "ALTER TABLE %s_%d ADD CHECK (%s);\n", table, n, carries(column, bits, n))
		}
		for _, index := range indexes {
			if index.local {
				fmt.Fprintf(&b, index.create+";\n", n)
			}
		}
	}
	for _, index := range indexes {
		if !index.local {
			b.WriteString(index.create + ";\n")
		}
	}
	return b.String(), nil
}

// carries is the condition that a column, where it is not 0, carries a provider of
// partition n.
func carries(column string, bits, n int) string {
	condition := fmt.Sprintf("%s >= %d", column, n<<bits)
	switch n {
	case 1:
		condition = fmt.Sprintf("%s < %d", column, 2<<bits)
	case partitions:
	default:
		condition += fmt.Sprintf(" AND %s < %d", column, (n+1)<<bits)
	}
	return column + " = 0 OR " + condition
}

// index is how an index is made: on the table or, where it is local, on each
// partition, whose number replaces %d.
type index struct {
	create string
	local  bool
}

// indexes returns those of a table that belong to no constraint. A unique index
// without the key, which a partitioned table cannot have, is made on each partition: it
// must begin with a column that carries the provider, so that it says the same.
func (p PartitionedTable) indexes(ctx context.Context, conn *pgx.Conn, table string) (all []index, err error) {
	rows, err := conn.Query(ctx, `SELECT pg_get_indexdef(indexrelid), indexrelid::regclass::text, (
			SELECT attname FROM pg_attribute WHERE attrelid = indrelid AND attnum = indkey[0]
		), indisunique AND NOT `+hasKey("indkey::int2[]")+`
		FROM pg_index
		WHERE indrelid = $1::regclass AND NOT indisprimary
			AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND `+hasKey("conkey")+`)`, table, p.Key)
	if err != nil {
		return nil, err
	}
	_, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (struct{}, error) {
		var i index
		var name, first string
		err := r.Scan(&i.create, &name, &first, &i.local)
		if i.local {
			if _, carried := p.Carriers[first]; !carried {
				i.create = strings.Replace(i.create, "UNIQUE ", "", 1)
			}
			i.create = strings.ReplaceAll(i.create, "%", "%%")
			i.create = strings.Replace(i.create, name+" ON public."+table, name+"_%[1]d ON public."+table+"_%[1]d", 1)
		}
		all = append(all, i)
		return struct{}{}, err
	})
	return all, err
}

// hasKey is the condition that the partition key, parameter 2, is among the columns of
// a constraint or an index.
func hasKey(columns string) string {
	return `(SELECT attnum FROM pg_attribute WHERE attrelid = $1::regclass AND attname = $2) = ANY (` + columns + `)`
}

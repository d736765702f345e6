package store

// CopiedColumns are the columns that a copy takes, by table.
func CopiedColumns() map[string][]string {
	all := map[string][]string{}
	for _, table := range copiedTables() {
		all[table.name], _ = table.fields()
	}
	return all
}

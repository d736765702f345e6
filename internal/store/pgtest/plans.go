package pgtest

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Plan is how PostgreSQL ran a statement.
type Plan struct {
	Query string
	// Scanned are the tables and partitions that were read. What the planner left out
	// and what the execution never came to is not among them.
	Scanned []string
}

// Partitions returns which partitions of tables were read: their numbers, each once.
func (p Plan) Partitions() (numbers []string) {
	for _, relation := range p.Scanned {
		i := max(0, strings.LastIndex(relation, "_"))
		if _, partitioned := PartitionedTables()[relation[:i]]; partitioned && !slices.Contains(numbers, relation[i+1:]) {
			numbers = append(numbers, relation[i+1:])
		}
	}
	return numbers
}

// Explained returns the URL of a database whose plans are logged, for [Plans].
func Explained(t TB, database string) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	for name, value := range map[string]string{
		"session_preload_libraries": "auto_explain", "log_min_messages": "log",
		"auto_explain.log_min_duration": "0", "auto_explain.log_analyze": "on", "auto_explain.log_timing": "off", "auto_explain.log_format": "json",
		"plan_cache_mode": "force_custom_plan",
	} {
		q.Set(name, value)
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// Plans returns the plans of the statements that ran while do ran. Only one test at a
// time may ask for them.
func Plans(t TB, do func()) (all []Plan) {
	t.Helper()
	c := need(t)
	before, err := c.Log()
	if err != nil {
		t.Fatal(err)
	}
	do()
	after, err := c.Log()
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(after[len(before):], "\n\t", "\n")
	for _, entry := range regexp.MustCompile(`duration: [0-9.]+ ms  plan:\n`).Split(text, -1)[1:] {
		var logged struct {
			Query string   `json:"Query Text"`
			Plan  planNode `json:"Plan"`
		}
		if err := json.NewDecoder(strings.NewReader(entry)).Decode(&logged); err != nil {
			t.Fatalf("%v: %s", err, entry)
		}
		plan := Plan{Query: logged.Query}
		logged.Plan.scanned(func(relation string) { plan.Scanned = append(plan.Scanned, relation) })
		all = append(all, plan)
	}
	return all
}

type planNode struct {
	Type     string     `json:"Node Type"`
	Relation string     `json:"Relation Name"`
	Loops    float64    `json:"Actual Loops"`
	Plans    []planNode `json:"Plans"`
}

func (n planNode) scanned(add func(relation string)) {
	if n.Relation != "" && n.Type != "ModifyTable" && n.Loops > 0 {
		add(n.Relation)
	}
	for _, below := range n.Plans {
		below.scanned(add)
	}
}

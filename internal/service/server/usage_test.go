package server_test

import "testing"

// january is the usage of the month of the fixture's clock.
const january = "/reports/usage?from=2026-01-01&to=2026-01-31"

// The example of /docs has the tokens and the numbers.
func TestUsageHasTokensIfAskedFor(t *testing.T) {
	f := newParallelFixture(t)
	f.activate(1, basic)
	f.do("GET", "/api"+january, "").want(200).has(map[string]string{"products.0.code": "play-basic", "tokens": ""})
}

package server_test

import (
	"context"
	"regexp"
	"strconv"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apicheck"
	"ativa/internal/service/domain"
)

// Each error code has the status that openapi.yaml says (decisions.md 2), whoever returns it. Retry-After,
// which 429 needs, is not the store's: TestARefusedSignInNamesTheAddressAndIsCounted.
func TestEveryCodeComesWithItsStatus(t *testing.T) {
	f := newParallelFixture(t)
	d, err := apicheck.Description()
	f.must(err)
	schema, statuses, status := d.Components.Schemas["Code"].Value, map[any]int{}, 0
	for _, word := range regexp.MustCompile(`\w+`).FindAllString(schema.Description, -1) {
		if n, err := strconv.Atoi(word); err == nil {
			status = n
			continue
		}
		statuses[word] = status
	}
	for _, code := range schema.Enum {
		if code != api.CodeRateLimited {
			f.store.update = func(context.Context) error {
				return &domain.Error{Code: domain.Code(code.(string)), Message: "refused"}
			}
			f.do("POST", "/subscribers", subscriber(1)).want(statuses[code], code.(string))
		}
	}
	if len(statuses) != len(schema.Enum) {
		t.Errorf("%d words have a status, want each of the %d codes", len(statuses), len(schema.Enum))
	}
}

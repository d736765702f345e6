package store

import (
	"strconv"
	"testing"

	"ativa/internal/service/domain"
)

// What statements have as literals is what provision says.
func TestNumbersOfStatementsAreThoseOfTheRules(t *testing.T) {
	const provider domain.ProviderID = 5
	subscriber, _ := provider.Subscribers()
	record, _ := provider.Records()
	service, last := subscriber.Services()
	shifted := func(id int64, bits string) int64 {
		n, err := strconv.Atoi(bits)
		if err != nil {
			t.Fatal(err)
		}
		return id >> n
	}
	for name, c := range map[string]struct{ got, want int64 }{
		"subscriberBits": {shifted(int64(subscriber), subscriberBits), int64(provider)},
		"tokenBits":      {shifted(int64(last), tokenBits), int64(subscriber)},
		"serviceBits":    {shifted(int64(last), serviceBits), int64(provider)},
		"recordBits":     {shifted(record, recordBits), int64(provider)},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %d, want %d", name, c.got, c.want)
		}
	}
	for got, want := range map[string]string{
		lastToken:                    strconv.FormatInt(int64(last-service), 10),
		idsEach:                      strconv.FormatInt(int64(service)/int64(subscriber), 10),
		isQueued:                     "status_id = " + strconv.Itoa(int(domain.LimitReached)),
		isOpen:                       "state < " + strconv.Itoa(int(max(domain.JobDue, domain.JobLeased))+1),
		isDone:                       "state = " + strconv.Itoa(int(domain.JobDone)),
		isDead:                       "state = " + strconv.Itoa(int(domain.JobDead)),
		isWaiting:                    "state = " + strconv.Itoa(int(domain.OperationWaiting)),
		isWaiting + " of a schedule": "state = " + strconv.Itoa(int(domain.ScheduleWaiting)) + " of a schedule",
		statuses(domain.Canceled, domain.CanceledWithoutActivation): "(3, 21)",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

package domain

import "time"

// Provider is an internet provider: the tenant that owns subscribers and services.
type Provider struct {
	ID          ProviderID
	Name        string
	Limit       int  // maximum number of active tokens; never shown to the provider
	Disabled    bool // its access and bearer tokens are refused
	AllProducts bool // may sell every product, also those added later
	CreatedAt   time.Time

	ActiveTokens int // services that count towards the limit
	Queued       int // services in status limitReached

	Counters
}

// Counters are the last numbers used in a provider's ids.
type Counters struct {
	Subscribers int64
	Operations  int64
	Events      int64
	Deliveries  int64
	Schedules   int64
}

// NextSubscriber returns the id of the provider's next subscriber.
func (p *Provider) NextSubscriber() SubscriberID {
	p.Subscribers++
	first, _ := p.ID.Subscribers()
	return first + SubscriberID(p.Subscribers)
}

// NextEvent returns the id of the provider's next event.
func (p *Provider) NextEvent() EventID { return EventID(p.next(&p.Events)) }

// NextOperation returns the id of the provider's next operation.
func (p *Provider) NextOperation() OperationID { return OperationID(p.next(&p.Operations)) }

// NextDelivery returns the id of the provider's next delivery.
func (p *Provider) NextDelivery() DeliveryID { return DeliveryID(p.next(&p.Deliveries)) }

// NextSchedule returns the id of the provider's next schedule.
func (p *Provider) NextSchedule() ScheduleID { return ScheduleID(p.next(&p.Schedules)) }

// next increments the counter and returns the provider's record id with that number.
func (p *Provider) next(counter *int64) int64 {
	*counter++
	first, _ := p.ID.Records()
	return first + *counter
}

// SlotFree reports whether a new activation may start now: the provider is below
// its limit and no activation is queued.
func (p *Provider) SlotFree() bool { return p.Queued == 0 && p.ActiveTokens < p.Limit }

// InvalidLimit validates a limit of active tokens.
func InvalidLimit(n int) *Error {
	if n < 0 {
		return Invalid("limit", "0 or more active tokens")
	}
	return nil
}

package domain

import (
	"strconv"
	"strings"
)

// The upper bits of an id are the provider, the lower bits a number that counts
// up per provider. So the rows of a provider are one range of the primary key, in
// order of creation, without a second index, and an id of another provider is
// recognised without a look-up.
//
//	subscriber  provider (20 bits) · number (31 bits)
//	service     subscriber (51 bits) · token number of the subscriber (12 bits)
//	operation, event, delivery, schedule   provider (20 bits) · number (43 bits)
const (
	subscriberBits = 31
	tokenBits      = 12
	recordBits     = 43

	MaxTokens = 1<<tokenBits - 1
)

// ProviderID identifies an internet provider, 1 to 1,048,575.
type ProviderID int64

// SubscriberID identifies a subscriber; ascending in order of creation within a provider.
type SubscriberID int64

// ServiceID identifies a service (token); ascending in order of creation within a subscriber.
type ServiceID int64

// OperationID identifies one activation, suspension, cancellation, reactivation or change.
type OperationID int64

// EventID identifies an entry of the event feed; it is the feed's cursor.
type EventID int64

// DeliveryID identifies an entry of the outbox.
type DeliveryID int64

// ScheduleID identifies a scheduled operation.
type ScheduleID int64

// TokenID identifies an access token; 0 is none.
type TokenID int64

// PartnerID identifies a partner; 0 is none.
type PartnerID int64

// Subscribers returns the range of the provider's subscriber ids.
func (p ProviderID) Subscribers() (first, last SubscriberID) {
	return SubscriberID(p << subscriberBits), SubscriberID((p+1)<<subscriberBits - 1)
}

// Records returns the range of the provider's operation, event, delivery and schedule ids.
func (p ProviderID) Records() (first, last int64) {
	return int64(p) << recordBits, (int64(p)+1)<<recordBits - 1
}

// Provider returns the provider the subscriber belongs to.
func (s SubscriberID) Provider() ProviderID { return ProviderID(s >> subscriberBits) }

// Services returns the range of the subscriber's service ids.
func (s SubscriberID) Services() (first, last ServiceID) {
	return ServiceID(s << tokenBits), ServiceID((s+1)<<tokenBits - 1)
}

// Subscriber returns the subscriber the service belongs to.
func (s ServiceID) Subscriber() SubscriberID { return SubscriberID(s >> tokenBits) }

// Provider returns the provider the service belongs to.
func (s ServiceID) Provider() ProviderID { return s.Subscriber().Provider() }

// Provider returns the provider the operation belongs to.
func (o OperationID) Provider() ProviderID { return ProviderID(o >> recordBits) }

// Provider returns the provider the event belongs to.
func (e EventID) Provider() ProviderID { return ProviderID(e >> recordBits) }

// Provider returns the provider the delivery belongs to.
func (d DeliveryID) Provider() ProviderID { return ProviderID(d >> recordBits) }

// Provider returns the provider the schedule belongs to.
func (s ScheduleID) Provider() ProviderID { return ProviderID(s >> recordBits) }

// The prefixes of public ids.
const (
	operationPrefix  = "op_"
	deliveryPrefix   = "job_"
	eventPrefix      = "ev_"
	subscriberPrefix = "sub_"
	TokenPrefix      = "tok_"
	schedulePrefix   = "sch_"
)

// String returns the public form, for example "sub_1y2p0ij32e8e7".
func (s SubscriberID) String() string { return public(subscriberPrefix, int64(s)) }

// String returns the public form, for example "tok_7".
func (t TokenID) String() string { return public(TokenPrefix, int64(t)) }

// String returns the public form, for example "sch_1y2p0ij32e8e7".
func (s ScheduleID) String() string { return public(schedulePrefix, int64(s)) }

// String returns the public form, for example "op_1y2p0ij32e8e7".
func (o OperationID) String() string { return public(operationPrefix, int64(o)) }

// String returns the public form, for example "job_1y2p0ij32e8e7"; it is the
// Message-ID and the webhook-id.
func (d DeliveryID) String() string { return public(deliveryPrefix, int64(d)) }

// String returns the public form, for example "ev_1y2p0ij32e8e7".
func (e EventID) String() string { return public(eventPrefix, int64(e)) }

// ParseOperationID parses the public form of an operation id.
func ParseOperationID(s string) (OperationID, error) {
	return parsePublic[OperationID](operationPrefix, s, "%q is not an operation id")
}

// ParseScheduleID parses the public form of the id of a schedule.
func ParseScheduleID(s string) (ScheduleID, error) {
	return parsePublic[ScheduleID](schedulePrefix, s, "%q is not the id of a schedule")
}

// ParseDeliveryID parses the public form of a delivery id.
func ParseDeliveryID(s string) (DeliveryID, error) {
	return parsePublic[DeliveryID](deliveryPrefix, s, "%q is not the id of a delivery")
}

// ParseEventID parses the public form of an event id; "" is the beginning.
func ParseEventID(s string) (EventID, error) {
	if s == "" {
		return 0, nil
	}
	return parsePublic[EventID](eventPrefix, s, "%q is not an event cursor")
}

func public(prefix string, n int64) string { return prefix + strconv.FormatInt(n, 36) }

// parsePublic parses the public form of an id other than 0. It accepts only the spelling that
// public returns: no sign, no capitals, no leading zeros.
func parsePublic[I ~int64](prefix, s, refusal string) (I, error) {
	n, err := strconv.ParseInt(strings.TrimPrefix(s, prefix), 36, 64)
	if err != nil || n <= 0 || s != public(prefix, n) {
		return 0, &TextError{Detail: refusal, Args: []any{s}}
	}
	return I(n), nil
}

package api

// Kinds of a [Delivery].
const (
	DeliveryEmail    = "email"
	DeliveryCallback = "callback"
	DeliveryPartner  = "partner"
)

// States of a [Delivery].
const (
	DeliveryWaiting    = "waiting"
	DeliverySent       = "sent"       // the mail server, partner or callback accepted it
	DeliveryFailed     = "failed"     // given up; Error says why
	DeliverySuperseded = "superseded" // before it was sent, a newer e-mail replaced it or its service ended
)

// Delivery is one e-mail, callback or partner request and its state (decisions.md 12). Absent
// values are null.
type Delivery struct {
	ID            string         `json:"id"`
	Kind          string         `json:"kind"`
	ProductID     Int            `json:"content_supplier_product_id"`
	OperationID   NullableString `json:"operation_id"`
	State         string         `json:"state"`
	Attempts      Int            `json:"attempts"`
	RequestedAt   Time           `json:"requested_at"`
	LastAttemptAt Time           `json:"last_attempt_at"`
	NextAttemptAt Time           `json:"next_attempt_at"`
	Error         NullableString `json:"error"`     // why the last attempt failed, without personal data
	OpenedAt      Time           `json:"opened_at"` // when the link was first requested, by a person or a scanner
}

// DeliveriesResponse contains the deliveries of one subscriber, newest first.
type DeliveriesResponse struct {
	Deliveries List[Delivery] `json:"deliveries"`
	Response   string         `json:"response"`
}

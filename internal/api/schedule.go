package api

// States of a [Schedule].
const (
	ScheduleWaiting   = "waiting"
	ScheduleDone      = "done"
	ScheduleCancelled = "cancelled"
	ScheduleRefused   = "refused" // when it was due; Code says why
)

// ScheduleRequest is the body of POST /provision/schedule (decisions.md 16).
type ScheduleRequest struct {
	Operation Operation    `json:"operation"` // any but Change
	Product   Int          `json:"contentSupplierProduct"`
	Documents List[string] `json:"documents"`
	At        Time         `json:"at"`
}

// Schedule is a scheduled operation, waiting or ended. Absent values are null.
type Schedule struct {
	ID        string         `json:"schedule_id"`
	Operation Operation      `json:"operation"`
	Document  string         `json:"document"`
	ProductID Int            `json:"content_supplier_product_id"`
	At        Time           `json:"at"`
	State     string         `json:"state"`
	ActorName NullableString `json:"actor_name"` // the name of the access token that scheduled it
	Code      NullableString `json:"code"`       // why it is refused
}

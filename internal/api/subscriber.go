package api

import "slices"

// Subscriber is a subscriber in a response.
type Subscriber struct {
	Name  string `json:"name"`
	Email string `json:"email"`
	// Document is the CPF. Our server writes only digits; other servers may add dots and a dash.
	Document        string        `json:"document"`
	Phone           string        `json:"phone"`
	InternetSpeedID Int           `json:"internet_speed_id"`
	CustomerPlan    string        `json:"customer_plan"`
	CreatedAt       Time          `json:"created_at"`
	Services        List[Service] `json:"services"` // ordered by TokenCreatedAt, cancelled ones included
}

// Service is one activated product of a subscriber: a token.
type Service struct {
	TokenCreatedAt  Time   `json:"token_created_at"`
	ProductName     string `json:"content_supplier_product_name"`
	ProductCode     string `json:"content_supplier_product_code"`
	ProductID       Int    `json:"content_supplier_product_id"`
	StatusUpdatedAt Time   `json:"status_updated_at"`
	StatusID        Int    `json:"status_id"`
	// Status is the name of the status; another server may use names that
	// api.md does not list.
	Status string `json:"status"`
}

// NewestService returns the newest service of a product. all must be ordered from oldest to
// newest.
func NewestService(all []Service, product Int) (Service, bool) {
	for _, s := range slices.Backward(all) {
		if s.ProductID == product {
			return s, true
		}
	}
	return Service{}, false
}

// SubscriberCreate is the body of POST /subscribers.
type SubscriberCreate struct {
	Name            string        `json:"name"`
	Email           string        `json:"email"`
	Document        string        `json:"document"`
	Phone           string        `json:"phone"`
	InternetSpeedID Optional[Int] `json:"internet_speed_id,omitzero"`
	CustomerPlan    string        `json:"customer_plan"`
}

// SubscriberUpdate is the body of PUT /subscribers/{document}. Absent fields do
// not change.
type SubscriberUpdate struct {
	Name            Optional[string] `json:"name,omitzero"`
	Email           Optional[string] `json:"email,omitzero"`
	Document        Optional[string] `json:"document,omitzero"`
	Phone           Optional[string] `json:"phone,omitzero"`
	InternetSpeedID Optional[Int]    `json:"internet_speed_id,omitzero"`
	CustomerPlan    Optional[string] `json:"customer_plan,omitzero"`
}

// SubscriberResponse contains one subscriber.
type SubscriberResponse struct {
	Subscriber Subscriber `json:"subscriber"`
	Response   string     `json:"response"`
}

// Response contains only the field `response`, as for DELETE.
type Response struct {
	Response string `json:"response"`
}

// InternetSpeed is a speed that a subscriber can have.
type InternetSpeed struct {
	ID    Int    `json:"id"`
	Speed string `json:"speed"`
	Slug  string `json:"slug"`
}

// InternetSpeedsResponse contains the list of speeds.
type InternetSpeedsResponse struct {
	InternetSpeeds List[InternetSpeed] `json:"internet_speeds"`
	Response       string              `json:"response"`
}

// ResendRequest is the body of POST /subscribers/resend_activation_email.
type ResendRequest struct {
	Document string `json:"document"`
}

// ResendResponse is the response to a ResendRequest, with a result for each token of the
// subscriber.
type ResendResponse struct {
	Response string             `json:"response"`
	Document string             `json:"document"`
	Results  List[ResendResult] `json:"results"`
}

// HasResults is like [ImportOutcome.HasResults].
func (r *ResendResponse) HasResults() bool {
	return !slices.ContainsFunc(r.Results, func(one ResendResult) bool { return one.Result == "" })
}

// ResendResult is a service and what a resend did for it.
type ResendResult struct {
	Service
	Result string `json:"result"`          // ResultSent or ResultSkipped
	Reason string `json:"reason,omitzero"` // why it was skipped
}

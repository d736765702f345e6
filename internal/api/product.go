package api

// Product is a content service that the provider may sell.
type Product struct {
	ID     Int          `json:"id"`
	Name   string       `json:"name"`
	Code   string       `json:"code"`
	Active Flag         `json:"active"`
	Can    List[string] `json:"can"` // the allowed actions, which are the Can constants

	// How subscribers use it, as plain text, and where to read more. Either may be empty.
	Instructions LenientText `json:"instructions,omitzero"`
	HelpURL      LenientText `json:"help_url,omitzero"`
}

// ProductsResponse contains the unpaged list of products. Message repeats
// Response, because clients may read either.
type ProductsResponse struct {
	Products List[Product] `json:"content_supplier_products"`
	Response string        `json:"response"`
	Message  string        `json:"message"`
}

// Status is a status that a service can have.
type Status struct {
	ID   Int    `json:"id"`
	Name string `json:"name"`
}

// StatusesResponse contains the list of statuses.
type StatusesResponse struct {
	Statuses List[Status] `json:"status"`
	Response string       `json:"response"`
}

// The statuses of api.md, by id.
const (
	StatusActive                        Int = 1
	StatusCanceled                      Int = 3
	StatusSuspend                       Int = 4
	StatusLimitReached                  Int = 6
	StatusOverdue                       Int = 7
	StatusInProgress                    Int = 10
	StatusError                         Int = 11
	StatusReactivated                   Int = 12
	StatusChanged                       Int = 13
	StatusWaitingSuspension             Int = 14
	StatusWaitingCancellation           Int = 15
	StatusCanceledWithoutActivation     Int = 21
	StatusWaitingSuspensionDueToOverdue Int = 22
)

// StatusName returns the name of a status of api.md, or "".
func StatusName(id Int) string {
	for _, s := range Statuses() {
		if s.ID == id {
			return s.Name
		}
	}
	return ""
}

// StatusID returns the id of a status of api.md by name, or 0.
func StatusID(name string) Int {
	for _, s := range Statuses() {
		if s.Name == name {
			return s.ID
		}
	}
	return 0
}

// Statuses returns the statuses of api.md, in order of id.
func Statuses() []Status {
	return []Status{
		{StatusActive, "active"},
		{StatusCanceled, "canceled"},
		{StatusSuspend, "suspend"},
		{StatusLimitReached, "limitReached"},
		{StatusOverdue, "overdue"},
		{StatusInProgress, "inProgress"},
		{StatusError, "error"},
		{StatusReactivated, "reactivated"},
		{StatusChanged, "changed"},
		{StatusWaitingSuspension, "waitingSuspension"},
		{StatusWaitingCancellation, "waitingCancellation"},
		{StatusCanceledWithoutActivation, "canceledWithoutActivation"},
		{StatusWaitingSuspensionDueToOverdue, "waitingSuspensionDueToOverdue"},
	}
}

// Category is the category of a status in api.md.
type Category string

// The categories.
const (
	CategoryFinal        Category = "final"        // no operation is running for the service
	CategoryIntermediate Category = "intermediate" // an operation is running or waiting for a third party
	CategoryUnknown      Category = "unknown"      // a status that api.md does not list
)

// CategoryOf returns the category of the status with the id.
func CategoryOf(id Int) Category {
	switch id {
	case StatusActive, StatusCanceled, StatusSuspend, StatusOverdue:
		return CategoryFinal
	}
	if StatusName(id) == "" {
		return CategoryUnknown
	}
	return CategoryIntermediate
}

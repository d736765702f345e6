package api

// Values of the field `response`.
const (
	ResponseSuccess = "success"
	ResponsePartial = "partial"
	ResponseError   = "error"
)

// Values of the field `result`: import (created, existing, duplicate, failed),
// batches (accepted, unchanged, failed), resend (sent, skipped) and partner
// events (accepted, duplicate).
const (
	ResultCreated   = "created"
	ResultExisting  = "existing"
	ResultDuplicate = "duplicate"
	ResultFailed    = "failed"
	ResultAccepted  = "accepted"
	ResultUnchanged = "unchanged"
	ResultSent      = "sent"
	ResultSkipped   = "skipped"
)

// Names of the subscriber fields, as in bodies, errors and CSV columns.
const (
	FieldName            = "name"
	FieldEmail           = "email"
	FieldDocument        = "document"
	FieldPhone           = "phone"
	FieldInternetSpeedID = "internet_speed_id"
	FieldCustomerPlan    = "customer_plan"
	FieldProductsIDs     = "products_ids"
	FieldCreatedAt       = "created_at"
	FieldServices        = "services"
)

// Names of the other request fields.
const (
	FieldAccessToken  = "access_token"
	FieldScopes       = "scopes"
	FieldExpiresAt    = "expires_at"
	FieldGraceSeconds = "grace_seconds"
	FieldSubscribers  = "subscribers"
	FieldOperation    = "operation"
	FieldAt           = "at"
)

// Values of a product's `can`: the actions that may be requested for it.
const (
	CanActivate   = "activate"
	CanReactivate = "reactivate"
	CanChangeTo   = "change_to_this_product"
	CanChangeFrom = "change_from_this_product"
	CanSuspend    = "suspend"
	CanDeactivate = "deactivate"
)

// Headers that the API adds to the usual ones.
const (
	HeaderIdempotencyKey      = "Idempotency-Key"
	HeaderIdempotencyReplayed = "Idempotency-Replayed"
	HeaderRequestID           = "X-Request-Id"

	// HeaderExtensions is in every response of our server and lists its
	// extensions, separated by ", ". A server without it implements only api.md.
	HeaderExtensions = "Ativa-Extensions"
)

// Extensions that HeaderExtensions can name.
const (
	// ExtIdempotency: Idempotency-Key is honoured on every write but those of tokens, so
	// that a write whose response was lost may be repeated.
	ExtIdempotency   = "idempotency-key"
	ExtValidate      = "validate"       // the dry-run paths exist
	ExtOverdue       = "overdue"        // the overdue and settle operations exist
	ExtHistory       = "history"        // the history of a subscriber exists
	ExtEvents        = "events"         // the event feed exists
	ExtDeliveries    = "deliveries"     // the deliveries of a subscriber exist
	ExtResendProduct = "resend-product" // the activation of one service can be resent
	ExtPageSize      = "per-page"       // per_page is honoured
	ExtUsage         = "usage"          // the usage report exists
	ExtSchedule      = "schedule"       // operations can be scheduled
	ExtTokens        = "tokens"         // the provider's own access tokens exist
)

// Extensions is the value of HeaderExtensions of our server.
const Extensions = ExtIdempotency + ", " + ExtValidate + ", " + ExtOverdue + ", " +
	ExtHistory + ", " + ExtEvents + ", " + ExtDeliveries + ", " + ExtResendProduct + ", " + ExtPageSize + ", " + ExtUsage + ", " + ExtSchedule + ", " + ExtTokens

// Media types.
const (
	MediaJSON    = "application/json"
	MediaProblem = "application/problem+json"
)

// Limits of a request (decisions.md 3, 4, 5, 6). Sizes are bytes of the body.
const (
	MaxImportRows        = 5000
	MaxImportBytes       = 16 << 20
	MaxBatchDocuments    = 5000
	MaxBatchBytes        = 1 << 20 // 5,000 formatted documents need 95 kB; indented or escaped ones several times that
	MaxBodyBytes         = 64 << 10
	MaxIdempotencyKey    = 255
	MaxTokens            = 50 // live access tokens of a provider (decisions.md 11)
	MaxPerPage           = 500
	MaxEvents            = 500
	MaxWaitSeconds       = 30
	MaxUsageDays         = 366
	MaxScheduleDays      = 366
	MaxGraceDays         = 366 // of a replaced access token
	PageSizeSubscribers  = 500
	PageSize             = 20
	BearerSeconds        = 21600
	DefaultInternetSpeed = 38
)

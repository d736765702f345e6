package api

import (
	"net/url"
	"strings"
)

// Prefix is the optional first part of every path: a server responds to both /x
// and /api/x (decisions.md 1).
const Prefix = "/api"

// Paths of api.md, as patterns of [net/http.ServeMux].
const (
	PathAuthenticate   = "/authenticate"
	PathSubscribers    = "/subscribers"
	PathSubscriber     = "/subscribers/{document}"
	PathSearch         = "/subscribers/search/{searchValue}"
	PathInternetSpeeds = "/subscribers/internet_speeds"
	PathImport         = "/subscribers/import"
	PathResend         = "/subscribers/resend_activation_email"
	PathActivate       = "/provision/activate"
	PathSuspend        = "/provision/suspend"
	PathDeactivate     = "/provision/deactivate"
	PathChange         = "/provision/change"
	PathProducts       = "/products"
	PathStatuses       = "/products/status"
)

// Paths of our extensions (decisions.md 5).
const (
	PathImportValidate = "/subscribers/import/validate"
	PathOverdue        = "/provision/overdue"
	PathSettle         = "/provision/settle"

	// PathProvisionValidate is the dry run of any [Operation], change included.
	PathProvisionValidate = "/provision/{operation}/validate"

	// PathHistory cannot stand in one ServeMux beside PathSearch, because
	// /subscribers/search/history fits both. A mux takes PathSubscriberView,
	// which gives way to PathSearch, and compares the view with ViewHistory.
	// openapi.yaml describes it so, too.
	PathHistory        = "/subscribers/{document}/history"
	PathSubscriberView = "/subscribers/{document}/{view}"
	ViewHistory        = "history"

	PathEvents        = "/events"
	PathPartnerEvents = "/partner/events"
	PathLink          = "/activate/{link}"
	PathOpenAPI       = "/openapi.yaml"
	PathDocs          = "/docs"
	PathLive          = "/livez"
	PathReady         = "/readyz"
	PathMetrics       = "/metrics"
)

// Wildcards of the path patterns, for [net/http.Request.PathValue].
const (
	WildcardDocument  = "document"
	WildcardSearch    = "searchValue"
	WildcardOperation = "operation"
	WildcardLink      = "link"
)

// Query parameters.
const (
	ParamPaginate = "paginate"
	ParamPage     = "page"
	ParamPerPage  = "per_page"
	ParamAfter    = "after"
	ParamLimit    = "limit"
	ParamWait     = "wait"

	// PaginateYes is the one value of ParamPaginate that asks for pages.
	PaginateYes = "S"
	// AfterLatest is the value of ParamAfter for the end of the feed of now.
	AfterLatest = "latest"
)

// Operation is the last part of a provisioning path.
type Operation string

// The operations. Overdue and Settle are extensions; Change takes one
// document, all others a batch.
const (
	Activate   Operation = "activate"
	Suspend    Operation = "suspend"
	Deactivate Operation = "deactivate"
	Overdue    Operation = "overdue"
	Settle     Operation = "settle"
	Change     Operation = "change"
)

// Path is the path that runs the operation.
func (o Operation) Path() string { return "/provision/" + escapeSegment(string(o)) }

// ValidatePath is the path that only says what the operation would do.
func (o Operation) ValidatePath() string { return o.Path() + "/validate" }

// SubscriberPath is PathSubscriber for one document.
func SubscriberPath(document string) string { return PathSubscribers + "/" + escapeSegment(document) }

// HistoryPath is PathHistory for one document.
func HistoryPath(document string) string { return SubscriberPath(document) + "/" + ViewHistory }

// SearchPath is PathSearch for one term.
func SearchPath(term string) string { return PathSubscribers + "/search/" + escapeSegment(term) }

// escapeSegment escapes s as one part of a path. A part of only dots is escaped as
// well: unescaped it would be read as "this" or "the parent" on the way.
func escapeSegment(s string) string {
	if strings.Trim(s, ".") == "" {
		return strings.ReplaceAll(s, ".", "%2E")
	}
	return url.PathEscape(s)
}

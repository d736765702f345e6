package api

import (
	"net/url"
	"strconv"
	"strings"
)

// Prefix is the optional start of every path: a server serves both /x and /api/x (decisions.md 1).
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

	PathSchedule         = "/provision/schedule"
	PathScheduleValidate = "/provision/schedule/validate"
	PathScheduleID       = "/provision/schedule/{id}"

	PathProvisionValidate = "/provision/{operation}/validate" // the dry run of any [Operation] except Change
	PathChangeValidate    = "/provision/change/validate"

	// PathHistory and PathDeliveries conflict with PathSearch in a ServeMux, because
	// /subscribers/search/history matches two of them. A mux registers PathSubscriberView instead,
	// over which PathSearch takes precedence.
	PathHistory        = "/subscribers/{document}/history"
	PathDeliveries     = "/subscribers/{document}/deliveries"
	PathSubscriberView = "/subscribers/{document}/{view}"

	PathResendProduct = "/subscribers/resend_activation_email/{product}" // resends the activation of one service

	PathTokens        = "/tokens"
	PathToken         = "/tokens/{id}"
	PathTokenRotate   = "/tokens/{id}/rotate"
	PathEvents        = "/events"
	PathUsage         = "/reports/usage"
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
	WildcardProduct   = "product"
	WildcardID        = "id"
)

// Query parameters.
const (
	ParamPaginate = "paginate"
	ParamPage     = "page"
	ParamPerPage  = "per_page"
	ParamAfter    = "after"
	ParamLimit    = "limit"
	ParamWait     = "wait"
	ParamFrom     = "from"
	ParamTo       = "to"
	ParamTZ       = "tz"
	ParamDetail   = "detail"
	ParamDocument = "document"
	ParamAll      = "all"

	PaginateYes = "S"      // the only value of ParamPaginate that asks for pages
	AfterLatest = "latest" // the value of ParamAfter for the current end of the feed

	DetailTokens = "tokens" // the value of ParamDetail for usage per token
)

// Operation is the last part of a provisioning path.
type Operation string

// The operations. Overdue and Settle are extensions. Change takes one document; all others take a
// batch.
const (
	Activate   Operation = "activate"
	Suspend    Operation = "suspend"
	Deactivate Operation = "deactivate"
	Overdue    Operation = "overdue"
	Settle     Operation = "settle"
	Change     Operation = "change"
)

// Path returns the path that runs the operation.
func (o Operation) Path() string { return "/provision/" + escapeSegment(string(o)) }

// ValidatePath returns the path of the operation's dry run.
func (o Operation) ValidatePath() string { return o.Path() + "/validate" }

// SubscriberPath returns PathSubscriber for a document.
func SubscriberPath(document string) string { return PathSubscribers + "/" + escapeSegment(document) }

// HistoryPath returns PathHistory for a document.
func HistoryPath(document string) string { return SubscriberPath(document) + "/history" }

// DeliveriesPath returns PathDeliveries for a document.
func DeliveriesPath(document string) string { return SubscriberPath(document) + "/deliveries" }

// ResendProductPath returns PathResendProduct for a product.
func ResendProductPath(product Int) string {
	return PathResend + "/" + strconv.FormatInt(int64(product), 10)
}

// SchedulePath returns PathScheduleID for one schedule.
func SchedulePath(id string) string { return PathSchedule + "/" + escapeSegment(id) }

// TokenPath returns PathToken for one id.
func TokenPath(id string) string { return PathTokens + "/" + escapeSegment(id) }

// SearchPath returns PathSearch for a term.
func SearchPath(term string) string { return PathSubscribers + "/search/" + escapeSegment(term) }

// escapeSegment escapes s as one segment of a path. It escapes the dots of a string of only dots,
// because . and .. are relative paths.
func escapeSegment(s string) string {
	if strings.Trim(s, ".") == "" {
		return strings.ReplaceAll(s, ".", "%2E")
	}
	return url.PathEscape(s)
}

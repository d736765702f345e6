package support

import "ativa/internal/api"

// Who a service waits for.
const (
	WaitsForSubscriber = "subscriber"
	WaitsForPartner    = "partner"
	WaitsForQueue      = "queue"
	WaitsForYou        = "you"
)

// WaitsFor is who must act before a service in that status moves on; empty when
// it rests, and when the status is not one of api.md.
func WaitsFor(id api.Int) string {
	switch id {
	case api.StatusInProgress:
		return WaitsForSubscriber
	case api.StatusLimitReached:
		return WaitsForQueue
	case api.StatusError:
		return WaitsForYou
	case api.StatusReactivated, api.StatusChanged, api.StatusWaitingSuspension,
		api.StatusWaitingCancellation, api.StatusWaitingSuspensionDueToOverdue:
		return WaitsForPartner
	}
	return ""
}

// StatusMeaning explains the statuses of api.md in English; others have none.
func StatusMeaning(status string) string {
	return map[string]string{
		"active":                        "the service is enabled",
		"canceled":                      "cancelled for good",
		"suspend":                       "suspended for a time",
		"overdue":                       "suspended for lack of payment",
		"limitReached":                  "the provider has reached its limit of active services",
		"inProgress":                    "waits for the subscriber to follow the link in the activation e-mail",
		"error":                         "the last operation failed",
		"reactivated":                   "waits for the partner to confirm the reactivation",
		"changed":                       "waits for the partner to confirm the change of product",
		"waitingSuspension":             "waits for the partner to confirm the suspension",
		"waitingCancellation":           "waits for the partner to confirm the cancellation",
		"canceledWithoutActivation":     "cancelled in the queue, before it was enabled",
		"waitingSuspensionDueToOverdue": "waits for the partner to confirm the suspension for lack of payment",
	}[status]
}

package support

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

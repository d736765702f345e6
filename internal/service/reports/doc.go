// Package reports reads a provider's data: subscribers, their history and deliveries, schedules,
// the event feed and usage. It changes nothing.
package reports

// Package reports reads a provider's data: subscribers, their history and deliveries, schedules,
// the event feed and usage. It decides what a usage report counts and which cursors are valid. It
// changes nothing, and does not know the rules of provisioning.
package reports

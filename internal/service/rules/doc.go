// Package rules decides everything about subscribers and their services:
// what a request, a click, a confirmation or the limit does to a service, who
// is queued, which e-mail or partner request follows, and what is refused.
//
// It does no I/O and refuses to know SQL, HTTP, JSON, SMTP or the wall clock:
// it speaks to the database through [Store], gets the time from
// [Options.Clock], and leaves everything that must reach the outside as deliveries
// in the outbox, written in the transaction of the change that caused them.
//
// The life of a service is one table ([Decide]); the use cases are the methods
// of [Engine]. Rules cite api.md and decisions.md, the service's
// specification.
package rules

// Package outbox decides how the deliveries of the outbox reach subscribers' mailboxes, partners and
// providers' callbacks: in which form, how many at once, how often an attempt is repeated and when
// it is given up. It does not know why a delivery is made or what its outcome means for a service:
// package rules decides that.
package outbox

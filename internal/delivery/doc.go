// Package delivery decides how the jobs of the outbox reach subscribers' mail
// boxes, partners and providers' callbacks: in which form, how many at once,
// how often an attempt is repeated and when it is given up. It refuses to know
// why a delivery is made and what its outcome means for a service: package
// provision decides that.
package delivery

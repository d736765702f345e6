// Package simulation holds a test alone: the command line, two servers on one
// store, partner, mail server and receivers live through a week of virtual time in
// one process, on a network that delays, drops, cuts and partitions, with kills
// and clocks that jump. Everything that happens follows from a seed, so a failing
// world is repeated exactly. See docs/reliability.md.
package simulation

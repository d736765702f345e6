// Package simulation contains only a test: the command line, two servers on one store, partner,
// mail server and receivers run through a week of virtual time in one process, on a network that
// delays, drops, cuts and partitions, with kills and jumping clocks. Everything that happens
// follows from a seed, so a failing run can be repeated exactly. See docs/reliability.md.
package simulation

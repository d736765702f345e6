// Package system decides what operating systems do differently: files that only
// their owner may read, the errors of the system, the shell, the colours of a
// console, the language of its user. It refuses to know what for.
package system

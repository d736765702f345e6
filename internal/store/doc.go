// Package store decides how subscribers, services and everything around them
// are kept: the schema, the statements, the single writer. It implements
// provision.Store, and refuses to know any rule about what may happen to them.
package store

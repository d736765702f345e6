package provision

import "slices"

// Scopes is a set of parts of the API that an access token may use. Every token
// has ScopeRead (decisions.md 11). It is stored as a number.
type Scopes int

// The scopes.
const (
	ScopeRead      Scopes = 1 << iota // every GET of the API, every dry run
	ScopeManage                       // POST and PUT of subscribers, resend
	ScopeProvision                    // activate, change, suspend, overdue, settle
	ScopeImport                       // import, services included
	ScopeCancel                       // deactivate, DELETE

	AllScopes = ScopeRead | ScopeManage | ScopeProvision | ScopeImport | ScopeCancel
)

// ScopeNames returns the API's names of all scopes, in its order.
func ScopeNames() []string { return []string{"read", "manage", "provision", "import", "cancel"} }

// Names returns the API's names of the scopes, in its order.
func (s Scopes) Names() []string { return namesOf(s, ScopeNames()) }

// namesOf returns the names of the bits of a set.
func namesOf[S ~int | ~uint8](set S, all []string) []string {
	names := []string{}
	for i, name := range all {
		if set&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// Include reports whether all of what is needed, which is something, is among s.
func (s Scopes) Include(needed Scopes) bool { return needed != 0 && s&needed == needed }

// ParseScopes returns the named scopes and ScopeRead, and the first name that is not
// one of a scope.
func ParseScopes(names []string) (all Scopes, unknown string) {
	all = ScopeRead
	for _, name := range names {
		i := slices.Index(ScopeNames(), name)
		if i < 0 {
			return 0, name
		}
		all |= 1 << i
	}
	return all, ""
}

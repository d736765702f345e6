package cli

// What the linker sets in releases.
var (
	Version = "dev" // as in "1.2.3"
	Commit  = ""    // its short hash
	Date    = ""    // of the commit, RFC 3339
)

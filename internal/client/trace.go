package client

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"ativa/internal/api"
)

// newTracer returns a function that reports each request and response, one at a time: method,
// route, status, time and request id. Bodies, queries and headers hold secrets and personal data
// and are left out. If tell is nil, it reports nothing.
func newTracer(tell func(line string)) func(format string, args ...any) {
	if tell == nil {
		return func(string, ...any) {}
	}
	var mu sync.Mutex
	return func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		tell(fmt.Sprintf(format, args...))
	}
}

// maskPath masks every part of a path that is not a fixed part of an API route.
func maskPath(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if part != "" && !isPathWord(part) {
			parts[i] = "***"
		}
	}
	return strings.Join(parts, "/")
}

func isPathWord(part string) bool {
	words := strings.Split(strings.Join([]string{
		api.Prefix, api.PathAuthenticate, api.PathSearch, api.PathInternetSpeeds, api.PathImportValidate,
		api.PathResend, api.PathActivate, api.PathSuspend, api.PathDeactivate, api.PathChange, api.PathOverdue,
		api.PathSettle, api.PathHistory, api.PathStatuses, api.PathEvents, api.PathPartnerEvents,
		api.PathOpenAPI, api.PathLive, api.PathReady, api.PathMetrics,
	}, ""), "/")
	return slices.Contains(words, part) && !strings.HasPrefix(part, "{")
}

package operator

import (
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"ativa/internal/cli"
)

const day = 24 * time.Hour

// addLimits adds the flags that bound what is taken in and what is kept.
func (o *ServeOptions) addLimits(f *pflag.FlagSet) {
	f.StringSliceVar(&o.trustedProxies, "trusted-proxy", nil, "address or network of a proxy that ends TLS before this server: its X-Forwarded-For is believed")
	f.StringVar(&o.rateLimit, "rate-limit", "", "requests a second of one provider on this server, as 100/s; more at once, up to two seconds' worth, is let through (default no limit)")
	f.DurationVar(&o.activationTTL, "activation-ttl", 0, "fail an activation that the subscriber does not complete in this time, which frees its token (default never)")
	f.DurationVar(&o.keep.Jobs, "keep-deliveries", 30*day, "how long finished deliveries are kept")
	f.DurationVar(&o.keep.Links, "keep-links", 30*day, "how long expired activation links can still be told from unknown ones")
	f.DurationVar(&o.keep.History, "keep-history", 0, "how long the history of services and the event feed are kept (default for good)")
}

// checkPublicURL refuses what would send links that lead nowhere.
func (o *ServeOptions) checkPublicURL() error {
	u, err := url.Parse(o.publicURL)
	if o.publicURL == "" || err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == "" {
		return nil
	}
	return cli.Usage("--public-url is an address as https://ativa.example.com, not %q: the links in e-mails begin with it", o.publicURL)
}

// parseRate reads requests a second, as "100/s" or "100", and how many may come at once.
func parseRate(s string) (perSecond float64, burst int, err error) {
	if s == "" {
		return 0, 0, nil
	}
	n, err := strconv.ParseFloat(strings.TrimSuffix(s, "/s"), 64)
	if err != nil || !(n > 0 && n <= 1e6) {
		return 0, 0, cli.Usage("--rate-limit is a number of requests a second, as 100/s, not %q", s)
	}
	return n, int(math.Ceil(2 * n)), nil
}

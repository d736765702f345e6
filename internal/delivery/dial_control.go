package delivery

import (
	"fmt"
	"net/netip"
	"syscall"
)

// DialControl returns a Control function for a [net.Dialer] that refuses every
// address but public ones. It sees the address that is dialled, after the name
// is resolved, so a name that resolves differently the second time gains
// nothing. With allowPrivate, addresses of private networks and of this machine
// are permitted too. Link-local (cloud metadata), multicast and reserved
// addresses, and those that embed another address, never are.
func DialControl(allowPrivate bool) func(network, address string, _ syscall.RawConn) error {
	return func(network, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || network != "tcp4" && network != "tcp6" {
			return fmt.Errorf("address of the network %s is refused", network)
		}
		ip := to.Addr()
		if ip.Zone() == "" && (isPublic(ip.Unmap()) || allowPrivate && isPrivate(ip.Unmap())) {
			return nil
		}
		return fmt.Errorf("address %s is not public", ip)
	}
}

// isPublic reports whether an address belongs to the public internet.
func isPublic(ip netip.Addr) bool {
	if ip.Is4() {
		return !inAny(ip, specialIPv4())
	}
	return inAny(ip, []string{"2000::/3"}) && !inAny(ip, specialIPv6())
}

// specialIPv4 returns the special-purpose ranges of the IANA registry, and
// multicast.
func specialIPv4() []string {
	return []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
		"192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16",
		"192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	}
}

// specialIPv6 returns the special-purpose ranges of 2000::/3: protocols and
// Teredo, documentation, 6to4. NAT64 (64:ff9b::/96), mapped, compatible, local
// and multicast addresses lie outside 2000::/3.
func specialIPv6() []string {
	return []string{"2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"}
}

// isPrivate reports whether an address belongs to this machine or to a private
// network.
func isPrivate(ip netip.Addr) bool {
	return inAny(ip, []string{"127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "::1/128", "fc00::/7"})
}

func inAny(ip netip.Addr, prefixes []string) bool {
	for _, p := range prefixes {
		if netip.MustParsePrefix(p).Contains(ip) {
			return true
		}
	}
	return false
}

package web

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"

	"code.dny.dev/ssrf"
)

// ErrAddress is the error of an address that may not be reached.
var ErrAddress = errors.New("this address may not be reached")

// azure is where virtual machines of one large host reach its agent: a
// metadata service under a public address.
var azure = netip.MustParsePrefix("168.63.129.16/32")

// guard returns what a dialer asks about each address right before it connects,
// after every redirect and name lookup.
func (w Web) guard() func(network, address string, _ syscall.RawConn) error {
	options := []ssrf.Option{ssrf.WithDeniedV4Prefixes(azure)}
	if w.Ports != nil {
		options = append(options, ssrf.WithPorts(w.Ports...))
	}
	public := ssrf.New(options...)
	return func(network, address string, conn syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrAddress, err)
		}
		addr := at.Addr().Unmap()
		for _, p := range w.Allow {
			if p.Contains(addr) {
				return nil
			}
		}
		if err := public.Safe(network, address, conn); err != nil {
			return fmt.Errorf("%w: %w", ErrAddress, err)
		}
		return notOwn(addr)
	}
}

// notOwn refuses the public addresses of this machine itself.
func notOwn(addr netip.Addr) error {
	own, err := net.InterfaceAddrs()
	if err != nil {
		return fmt.Errorf("%w: the addresses of this machine are not known: %w", ErrAddress, err)
	}
	for _, a := range own {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr() == addr {
			return fmt.Errorf("%w: %v is this machine", ErrAddress, addr)
		}
	}
	return nil
}

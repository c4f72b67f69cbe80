package web

import (
	"net"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

// TOOL-41: every address of this machine is refused, also a public one.
func TestOwnAddresses(t *testing.T) {
	addrs, err := net.InterfaceAddrs()
	require.NoError(t, err)
	require.NotEmpty(t, addrs)
	for _, a := range addrs {
		prefix, err := netip.ParsePrefix(a.String())
		require.NoError(t, err)
		require.ErrorIs(t, notOwn(prefix.Addr()), ErrAddress)
	}
	require.NoError(t, notOwn(netip.MustParseAddr("203.0.114.1")))
}

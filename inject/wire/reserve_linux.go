package wire

import (
	"net"
	"syscall"
)

// reserve keeps a port for the link while nobody listens there, until the
// function that it returns is called. Whoever connects is refused.
func reserve(at net.Addr) (release func()) {
	tcp, ok := at.(*net.TCPAddr)
	if !ok {
		return func() {}
	}
	family, where := syscall.AF_INET6, syscall.Sockaddr(&syscall.SockaddrInet6{Port: tcp.Port, Addr: [16]byte(tcp.IP.To16())})
	if ip := tcp.IP.To4(); ip != nil {
		family, where = syscall.AF_INET, &syscall.SockaddrInet4{Port: tcp.Port, Addr: [4]byte(ip)}
	}
	socket, err := syscall.Socket(family, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return func() {}
	}
	_ = syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1) // Up may listen beside it
	_ = syscall.Bind(socket, where)
	return func() { _ = syscall.Close(socket) }
}

package bench

import "sync"

// pool lends the buffers of a ReverseProxy.
type pool struct{}

var buffers = sync.Pool{New: func() any { b := make([]byte, 32<<10); return &b }}

func (pool) Get() []byte { return *buffers.Get().(*[]byte) }

func (pool) Put(b []byte) { buffers.Put(&b) }

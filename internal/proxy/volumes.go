package proxy

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/idemcheck/idemcheck/internal/proxy/settings"
)

// volumes is a series of files NAME-00001.jsonl, NAME-00002.jsonl ..., each
// whole by itself. The oldest are deleted to keep to a limit.
type volumes struct {
	dir, name   string
	file, limit int64 // bytes of one and of all

	now     *os.File
	number  int
	size    atomic.Int64 // of the current one
	sizes   []int64
	dropped atomic.Int64 // files that were deleted
}

func newVolumes(dir, name string, h settings.History, part int64) *volumes {
	file, limit := h.File, h.Limit
	if file == 0 {
		file = settings.DefaultFile
	}
	if limit == 0 {
		limit = max(settings.DefaultLimit, 2*file)
	}
	limit = limit * part / 4
	return &volumes{dir: dir, name: name, file: min(file, max(limit/2, 1)), limit: limit}
}

func (v *volumes) path(number int) string {
	return filepath.Join(v.dir, fmt.Sprintf("%s-%05d.jsonl", v.name, number))
}

// full tells whether a new file is due.
func (v *volumes) full() bool { return v.now == nil || v.size.Load() >= v.file }

// next opens a new file and deletes the oldest, so that all have room for one more.
func (v *volumes) next() (io.Writer, error) {
	if err := v.close(); err != nil {
		return nil, err
	}
	var all int64
	for _, n := range v.sizes {
		all += n
	}
	for len(v.sizes) > 0 && all+v.file > v.limit {
		os.Remove(v.path(v.number - len(v.sizes) + 1))
		all -= v.sizes[0]
		v.sizes = v.sizes[1:]
		v.dropped.Add(1)
	}
	f, err := os.Create(v.path(v.number + 1))
	if err != nil {
		return nil, err
	}
	v.number++
	v.now = f
	v.size.Store(0)
	return v, nil
}

// Write implements io.Writer on the current file.
func (v *volumes) Write(p []byte) (int, error) {
	n, err := v.now.Write(p)
	v.size.Add(int64(n))
	return n, err
}

func (v *volumes) close() error {
	if v.now == nil {
		return nil
	}
	err := v.now.Close()
	v.sizes = append(v.sizes, v.size.Load())
	v.now = nil
	return err
}

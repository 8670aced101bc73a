package proxy

import (
	"bytes"
	"io"
	"os"
	"testing"
)

func testStore(t *testing.T) *store {
	return &store{mostMemory: 1000, mostDisk: 5000, each: 100, dir: t.TempDir()}
}

func TestSpool(t *testing.T) {
	st := testStore(t)
	for _, size := range []int{0, 1, 100, 101, 3000} {
		s := st.spoolOf(-1)
		want := bytes.Repeat([]byte("0123456789"), size/10+1)[:size]
		for rest := want; len(rest) > 0; rest = rest[min(len(rest), 33):] {
			_, _ = s.Write(rest[:min(len(rest), 33)])
		}
		for range 2 { // it can be read more than once
			if got, err := io.ReadAll(s.reader()); err != nil || !bytes.Equal(got, want) || !s.whole() || s.length() != int64(size) {
				t.Errorf("%d bytes: %d, %v, whole %v", size, len(got), err, s.whole())
			}
		}
		s.close()
		s.close()
	}
	if left, _ := os.ReadDir(st.dir); len(left) != 0 || st.memory.Load() != 0 || st.disk.Load() != 0 {
		t.Errorf("left behind: %d files, %d and %d bytes", len(left), st.memory.Load(), st.disk.Load())
	}
}

// Beyond the limits a message is counted, and not kept.
func TestSpoolIsBounded(t *testing.T) {
	st := testStore(t)
	s := st.spoolOf(-1)
	n, err := s.Write(make([]byte, 6000))
	if n != 6000 || err != nil || s.whole() || s.length() != 6000 {
		t.Errorf("%d, %v, whole %v", n, err, s.whole())
	}
	s.close()
	var all []*spool
	for range 30 { // memory is full after ten, then files are used
		s := st.spoolOf(-1)
		_, _ = s.Write(make([]byte, 100))
		all = append(all, s)
	}
	if st.memory.Load() > st.mostMemory || st.disk.Load() != 2000 || !all[29].whole() {
		t.Errorf("%d in memory, %d on disk", st.memory.Load(), st.disk.Load())
	}
	for _, s := range all {
		s.close()
	}
}

// Who has room when it begins has it to the end.
func TestReservedRoom(t *testing.T) {
	st := testStore(t)
	first := st.spoolOf(4000)
	if second := st.spoolOf(2000); first == nil || second != nil {
		t.Fatal("there was room for both, or for none")
	}
	other := st.spoolOf(-1)
	_, _ = other.Write(make([]byte, 1500))
	_, _ = first.Write(make([]byte, 4000))
	if !first.whole() || other.whole() {
		t.Errorf("the first is whole: %v, the other: %v", first.whole(), other.whole())
	}
	first.close()
	other.close()
	if st.disk.Load() != 0 {
		t.Errorf("%d bytes are still claimed", st.disk.Load())
	}
}

func TestBeginning(t *testing.T) {
	st := testStore(t)
	s := st.beginning(50)
	_, _ = s.Write(bytes.Repeat([]byte("a"), 40))
	_, _ = s.Write(bytes.Repeat([]byte("b"), 40))
	if got := s.bytes(1000); len(got) != 50 || got[49] != 'b' || s.whole() || s.length() != 80 {
		t.Errorf("%q, whole %v, %d", got, s.whole(), s.length())
	}
	s.close()
}

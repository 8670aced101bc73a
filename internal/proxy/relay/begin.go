package relay

// begin finds the framing of the body and reads its start.
func (k *conn) begin(head int) (*verdict, error) {
	k.frame = frame{left: k.r.Length}
	k.all, k.have = k.r.Length == 0, head
	switch {
	case k.all:
		k.r.PeekAll, k.r.Peek = true, nil
		return nil, nil
	case k.r.Length < 0:
		if cap(k.peek) == 0 {
			k.peek = make([]byte, 0, MaxPeek)
		}
		k.frame = frame{chunked: true, chunks: chunks{keep: k.peek[:0]}}
		return k.beginChunks(head)
	}
	return nil, k.beginLength(head)
}

// beginLength reads the start of a body with a length.
func (k *conn) beginLength(head int) error {
	want := head + int(min(k.r.Length, MaxPeek))
	for k.in.w-k.in.r < want {
		k.makeRoom(head, want)
		if err := k.fill(k.now.Add(k.s.PeekTimeout)); isTimeout(err) {
			k.r.PeekCut = true
			break
		} else if err != nil {
			return err
		}
	}
	n, done, _ := k.frame.take(k.in.data()[head:])
	k.have, k.all = head+n, done
	k.r.Peek = k.in.data()[head:min(want, k.have)]
	k.r.PeekAll = int64(len(k.r.Peek)) == k.r.Length
	return nil
}

// beginChunks reads the start of a chunked body. Where Peek is cut does not depend
// on the packets: after MaxPeek bytes of data, or peekRaw bytes in all.
func (k *conn) beginChunks(head int) (v *verdict, err error) {
	k.makeRoom(head, head+peekRaw)
	for !k.all && len(k.frame.chunks.keep) < MaxPeek && k.have < head+peekRaw {
		if k.have == k.in.w-k.in.r {
			if err := k.fill(k.now.Add(k.s.PeekTimeout)); isTimeout(err) {
				k.r.PeekCut = true
				break
			} else if err != nil {
				return nil, err
			}
		}
		if v := k.takeChunks(head + peekRaw); v != nil {
			return v, nil
		}
	}
	k.r.Peek = k.frame.chunks.keep
	k.r.PeekAll = k.all && len(k.r.Peek) < MaxPeek
	if k.all {
		return nil, nil
	}
	return k.takeChunks(k.in.w - k.in.r), nil
}

// takeChunks scans what has come of a chunked body, up to a limit.
func (k *conn) takeChunks(limit int) *verdict {
	n, done, err := k.frame.take(k.in.data()[k.have:min(k.in.w-k.in.r, limit)])
	k.have, k.all = k.have+n, done
	if err != nil {
		return err.(*verdict)
	}
	return nil
}

// makeRoom makes room for the start of a message; the head may move.
func (k *conn) makeRoom(head, want int) {
	if len(k.in.b)-k.in.r >= want {
		return
	}
	before := k.r
	k.in.room(want)
	_ = parseRequest(k.in.data()[:head], &k.r)
	k.r.Start = before.Start
}

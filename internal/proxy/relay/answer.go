package relay

import (
	"errors"
	"io"
	"time"
)

// answer reads the answer and gives it to the caller.
func (k *conn) answer() error {
	for {
		n, err := k.answerHead()
		if err != nil {
			return err
		}
		v := parseAnswer(k.out.data()[:n], &k.a)
		k.a.First = k.first
		switch {
		case v != nil:
			return v
		case k.a.Status == 101:
			return badSwitch
		case k.a.Status >= 200:
			return k.answerBody(n)
		}
		if err := k.give(k.out.data()[:n]); err != nil {
			return err
		}
		k.out.use(n)
	}
}

// answerHead reads until there is a whole head, and tells its length.
func (k *conn) answerHead() (int, error) {
	looked := 0
	k.first = k.now.Sub(k.r.Start)
	for {
		data := k.out.data()
		n := headEnd(data, looked)
		switch {
		case n > k.s.MaxHead, n < 0 && len(data) > k.s.MaxHead:
			return 0, largeAnswer
		case n >= 0:
			return n, nil
		}
		looked = max(0, len(data)-2)
		k.out.room(0)
		n, err := k.hear(k.out.free())
		if n == 0 {
			return 0, ended(err, len(data) > 0)
		}
		k.out.w += n
		if len(data) == 0 {
			k.first = k.now.Sub(k.r.Start)
		}
	}
}

// ended says how the service's connection ended before its answer did.
func ended(err error, begun bool) error {
	switch {
	case !errors.Is(err, io.EOF):
		return err
	case !begun:
		return errNoAnswer
	}
	return errCut
}

// hear reads what the service says, however long that takes. While it is silent
// for long, the caller is watched.
func (k *conn) hear(b []byte) (n int, err error) {
	if err := k.heard; err != nil {
		k.heard = nil
		return 0, err
	}
	for k.watch == nil {
		n, err = k.says.read(b, k.now.Add(k.s.WatchAfter))
		k.now = time.Now()
		if n > 0 || !isTimeout(err) {
			return n, err
		}
		if k.pump != nil && !k.pump.over() {
			continue // it sees the caller leave
		}
		k.watch = startWatch(k)
		if err := k.says.set(time.Time{}); err != nil {
			return 0, err
		}
	}
	n, err = k.up.Read(b)
	k.now = time.Now()
	return n, err
}

// answerBody gives the answer: the head of n bytes and what has come with it, then
// the rest.
func (k *conn) answerBody(n int) error {
	f := k.a.body(k.r.Method)
	used, done, err := f.take(k.out.data()[n:])
	if err != nil {
		return err
	}
	if err := k.pass(k.out.data()[:n+used]); err != nil {
		return err
	}
	k.a.Length = int64(used)
	k.spare = k.out.w-k.out.r > n+used
	if !done {
		if err := k.answerRest(&f); err != nil {
			return err
		}
	}
	k.out.r, k.out.w = 0, 0
	k.a.Whole = true
	return k.instead()
}

// answerRest gives what comes after the first read.
func (k *conn) answerRest(f *frame) error {
	pooled := larges.Get().(*[]byte)
	defer larges.Put(pooled)
	for done := false; !done; {
		n, err := k.hear(*pooled)
		if n == 0 {
			if f.toEnd && errors.Is(err, io.EOF) {
				return nil
			}
			return ended(err, true)
		}
		var used int
		if used, done, err = f.take((*pooled)[:n]); err != nil {
			return err
		}
		k.spare = used < n
		k.a.Length += int64(used)
		if err := k.pass((*pooled)[:used]); err != nil {
			return err
		}
	}
	return nil
}

// pass hands on a part of the final answer.
func (k *conn) pass(b []byte) error {
	k.a.Took = k.now.Sub(k.r.Start)
	if k.act != nil && k.act.Answer != nil {
		_, _ = k.act.Answer.Write(b)
	}
	return k.give(b)
}

// give writes to the caller, unless a fault withholds the answer.
func (k *conn) give(b []byte) error {
	if k.act != nil && (k.act.Lose || k.act.Replace != nil) {
		return nil
	}
	return k.tell(b)
}

// instead gives the answer that replaces the service's.
func (k *conn) instead() error {
	if k.act == nil || k.act.Lose || k.act.Replace == nil {
		return nil
	}
	return k.tell(k.act.Replace)
}

func (k *conn) tell(b []byte) error {
	k.given = true
	if _, err := k.to.write(b, k.now); err != nil {
		return errGone
	}
	return nil
}

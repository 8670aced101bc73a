package relay

import (
	"errors"
	"time"
)

var (
	errNoAnswer = errors.New("the service closed the connection without an answer")
	errCut      = errors.New("the answer was cut off")
	errGone     = errors.New("the caller left")
	errClosed   = errors.New("the proxy was closed")
)

// exchange carries one request and its answer. False: the connection has ended.
func (k *conn) exchange() bool {
	if k.act = k.hooks.Begin(&k.r); k.odd() {
		return true
	}
	k.a, k.sentAll = Answer{}, false
	k.given, k.spare, k.lingers = false, false, false
	err := k.deliver()
	if err == nil {
		err = k.answer()
	}
	k.settle(err == nil)
	k.a.Err, k.a.SentAll, k.a.Given = err, k.sentAll, err == nil && k.given
	keep := k.conclude(err)
	k.hooks.End(&k.r, &k.a, k.act)
	if k.lingers {
		k.linger()
	}
	k.in.use(k.have)
	if k.pump != nil {
		k.in.push(k.pump.spare)
		k.pump.free()
		k.pump = nil
	}
	return keep
}

// odd: the hooks want the request to go elsewhere.
func (k *conn) odd() bool { return k.act != nil && k.act.Odd && k.s.Odd != nil }

// deliver sends the request, or begins to.
func (k *conn) deliver() error {
	if k.act != nil && k.act.Delay > 0 && !k.wait(k.act.Delay) {
		return errClosed
	}
	if k.up != nil && k.all && k.pulse.turns && (k.act == nil || k.act.Hold == nil) {
		if k.ask() {
			return nil
		}
		k.hangUp()
	}
	if err := k.connect(); err != nil {
		return err
	}
	if k.all {
		k.sendAll()
	} else {
		k.pump = startPump(k)
	}
	return nil
}

// send writes a part of the request; last: it ends there.
func (k *conn) send(b []byte, last bool, now time.Time) error {
	if k.act == nil {
		_, err := k.asks.write(b, now)
		return err
	}
	if k.act.Request != nil {
		_, _ = k.act.Request.Write(b)
	}
	if last && k.act.Hold != nil {
		if _, err := k.asks.write(b[:len(b)-1], now); err != nil {
			return err
		}
		k.act.Hold()
		b, now = b[len(b)-1:], time.Now()
	}
	_, err := k.asks.write(b, now)
	if last && err == nil && k.act.Sent != nil {
		k.act.Sent()
	}
	return err
}

// wait is for a fault; false: the server was closed.
func (k *conn) wait(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		k.now = time.Now()
		return true
	case <-k.s.ctx.Done():
		return false
	}
}

// settle waits until nobody but this goroutine uses the connections.
func (k *conn) settle(whole bool) {
	if k.watch != nil {
		k.watch.end()
		k.watch = nil
	}
	if k.pump == nil {
		return
	}
	if !whole || k.a.close || k.act != nil && k.act.Lose {
		k.pump.cancel()
	}
	<-k.pump.done
	k.sentAll = k.pump.sentAll
	k.r.Sent = max(0, k.pump.sent-int64(len(k.r.Head)))
}

// conclude ends the exchange for the caller, and tells whether another may follow.
func (k *conn) conclude(err error) bool {
	switch {
	case err != nil:
		k.fail(err)
		return false
	case k.act != nil && k.act.Lose:
		k.hangUp()
		reset(k.c)
		return false
	case k.a.close, k.r.close, k.spare, !k.sentAll, k.ended && k.in.w-k.in.r == k.have,
		k.s.draining.Load() && k.in.w-k.in.r == k.have:
		k.lingers = true
		return false
	}
	return true
}

// fail ends the exchange as it failed.
func (k *conn) fail(err error) {
	var dial *dialError
	var v *verdict
	switch {
	case k.given, errors.Is(err, errGone), errors.Is(err, errClosed):
		k.breakOff(k.a.ToEnd)
	case errors.As(err, &dial):
		k.say(notReachable)
	case k.pump != nil && k.pump.bad != nil:
		k.say(k.pump.bad)
	case errors.As(err, &v):
		k.say(v)
	default:
		k.breakOff(!errors.Is(err, errNoAnswer))
	}
}

// breakOff ends the caller's connection as the one to the service has ended.
func (k *conn) breakOff(broken bool) {
	k.hangUp()
	if broken {
		reset(k.c)
		return
	}
	_ = k.c.Close()
}

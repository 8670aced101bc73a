package wire

// Down makes the link refuse new connections and reset those that are open,
// until Up is called: the dependency is away. A Hook may call it.
func (l *Link) Down() {
	l.upDown.Lock()
	defer l.upDown.Unlock()
	l.mu.Lock()
	listener, open := l.listener, make([]*conn, 0, len(l.open))
	l.listener = nil
	for c := range l.open {
		open = append(open, c)
	}
	l.mu.Unlock()
	if listener != nil {
		listener.Close()
		l.release = reserve(listener.Addr())
	}
	for _, c := range open {
		c.cut()
	}
}

// Up ends Down. If another has taken the port meanwhile, Err says so.
func (l *Link) Up() {
	l.upDown.Lock()
	defer l.upDown.Unlock()
	if l.done.Err() != nil || l.isUp() {
		return
	}
	if err := l.listen(); err != nil {
		l.note(err)
		return
	}
	l.release()
}

func (l *Link) isUp() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.listener != nil
}

package observe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"sync"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/idemcheck/idemcheck/history"
)

// SMTP is a mail server that keeps nothing: the system under test sends its
// mails there, and each is an effect of the operation whose id it holds. It is
// recorded before the server says that it took the mail.
type SMTP struct {
	Name         string    // the observer's name: receipt
	ID           MailPlace // where a mail holds the id
	PerRecipient bool      // a mail counts once for each recipient, not once

	mu     sync.Mutex
	add    func(e history.Event, body []byte) (seq int64)
	ledger map[string]int
	closed bool
}

const (
	maxMail       = 8 << 20 // bytes of a mail
	maxRecipients = 100
	mailPatience  = 30 * time.Second // for each command of a client
)

// Listen serves on an address ("127.0.0.1:2525"; without a host, on loopback;
// port 0 for any) and returns it. stop closes every connection.
func (s *SMTP) Listen(address string) (at string, stop func(), err error) {
	if host, port, err := net.SplitHostPort(address); err == nil && host == "" {
		address = net.JoinHostPort("127.0.0.1", port)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return "", nil, err
	}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{sink: s}, nil }))
	server.Domain = "idemcheck"
	server.MaxMessageBytes, server.MaxRecipients = maxMail, maxRecipients
	server.ReadTimeout, server.WriteTimeout = mailPatience, mailPatience
	server.EnableSMTPUTF8 = true
	server.ErrorLog = log.New(io.Discard, "", 0) // what a client does wrong it is told
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(l) // ends by stop only
	}()
	return l.Addr().String(), func() {
		s.mu.Lock()
		s.closed = true
		s.mu.Unlock()
		_ = server.Close()
		_ = l.Close() // also if Serve had not begun
		<-served
	}, nil
}

// Attach says where mails are recorded from now on: (*history.Recorder).Add.
func (s *SMTP) Attach(record func(e history.Event, body []byte) (seq int64)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add = record
}

// Read implements Observer: the mails so far.
func (s *SMTP) Read(_ context.Context, q Query) (counts []Count, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range distinct(q.IDs) {
		counts = append(counts, Count{ID: id, N: s.ledger[id]})
	}
	return some(counts), nil
}

// take counts a mail.
func (s *SMTP) take(mail []byte, recipients int) error {
	id, err := s.ID.in(mail)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return errors.New("the run has ended")
	case err != nil:
		s.record(history.Event{Kind: history.Mark, Name: history.MarkNote, Cause: fmt.Sprintf("a mail could not be counted: %v", err)})
		return nil // a mail of somebody else is no reason to refuse it
	}
	if s.ledger == nil {
		s.ledger = map[string]int{}
	}
	n := 1
	if s.PerRecipient {
		n = recipients
	}
	for range n {
		s.ledger[id]++
		s.record(history.Event{Kind: history.Effect, Name: s.Name, Op: id, Count: s.ledger[id]})
	}
	return nil
}

// record is called with the lock held, so that counts are recorded in order.
func (s *SMTP) record(e history.Event) {
	e.Actor = "smtp/" + s.Name
	if s.add != nil {
		s.add(e, nil)
	}
}

// session is one connection of a client.
type session struct {
	sink       *SMTP
	recipients int
}

// Reset implements smtp.Session.
func (s *session) Reset() { s.recipients = 0 }

// Logout implements smtp.Session.
func (s *session) Logout() error { return nil }

// Mail implements smtp.Session.
func (s *session) Mail(string, *smtp.MailOptions) error { return nil }

// Rcpt implements smtp.Session.
func (s *session) Rcpt(string, *smtp.RcptOptions) error {
	s.recipients++
	return nil
}

// Data implements smtp.Session.
func (s *session) Data(r io.Reader) error {
	mail, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return s.sink.take(mail, s.recipients)
}

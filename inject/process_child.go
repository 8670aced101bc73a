package inject

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
)

// childOf reads which Process this one is; false: it is the test.
func childOf(text string) (is self, ok bool) {
	return is, text != "" && json.Unmarshal([]byte(text), &is) == nil
}

// parent is the test, as the process sees it.
type parent struct {
	run *Run
	out *line

	mu      sync.Mutex
	asked   int
	answers map[int]chan Fault
	tries   map[int]*attempt // by delivery
	due     []*attempt       // that run in the test, and have not come here yet
}

// serve is the life of the process.
func (r *Run) serve(arg string, boot func(string) func(context.Context, string) error) {
	p := &parent{run: r, out: newLine(os.NewFile(4, "to the test")), answers: map[int]chan Fault{}, tries: map[int]*attempt{}}
	r.parent = p
	ownFiles(3, 4)
	deliveries := make(chan word)
	go p.read(deliveries)
	work := boot(arg)
	_ = p.out.say(word{Say: "ready"}) // a test that is gone ends the reading
	for d := range deliveries {
		go p.work(d, work)
	}
}

// read ends the process when the test is gone.
func (p *parent) read(deliveries chan<- word) {
	from := json.NewDecoder(os.NewFile(3, "from the test"))
	for {
		var w word
		if from.Decode(&w) != nil {
			os.Exit(0)
		}
		switch w.Say {
		case "deliver":
			p.know(w)
			p.enter(w)
			deliveries <- w
		case "go":
			p.mu.Lock()
			p.answers[w.K] <- *w.Fault
			delete(p.answers, w.K)
			p.mu.Unlock()
		}
	}
}

func (p *parent) know(w word) {
	p.run.mu.Lock()
	defer p.run.mu.Unlock()
	for _, id := range w.IDs {
		p.run.know(id, 0)
	}
}

// work does one delivery. A panic ends the process, as it would without a test.
func (p *parent) work(w word, work func(context.Context, string) error) {
	p.mu.Lock()
	a := p.tries[w.N]
	p.mu.Unlock()
	err := errors.New("it ended its goroutine")
	<-p.run.on(a, func() {
		defer crash()
		err = work(context.WithValue(context.Background(), attemptKey{}, a), w.ID)
	})
	p.leave(w)
	answer := word{Say: "done", N: w.N}
	if err != nil {
		answer.Text = fmt.Sprintf("%v", err)
		if answer.Text == "" {
			answer.Text = fmt.Sprintf("%T", err)
		}
	}
	_ = p.out.say(answer)
}

// enter begins a delivery. Others that run in the test are on their way here:
// an effect waits for them.
func (p *parent) enter(w word) {
	op := p.run.operation(w.ID)
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.IndexFunc(p.due, func(a *attempt) bool { return a.op == op }); i >= 0 {
		p.tries[w.N] = p.due[i]
		p.due = slices.Delete(p.due, i, i+1)
	} else {
		p.tries[w.N] = p.begin(op)
	}
	for p.count(op) < w.Running {
		p.due = append(p.due, p.begin(op))
	}
}

func (p *parent) begin(op *operation) *attempt {
	a := p.run.enter(op, nil)
	p.run.mu.Lock()
	a.ours = true
	p.run.mu.Unlock()
	return a
}

func (p *parent) count(op *operation) int {
	p.run.mu.Lock()
	defer p.run.mu.Unlock()
	return len(op.running)
}

// leave ends a delivery. Who is still due when none runs will not come.
func (p *parent) leave(w word) {
	p.mu.Lock()
	defer p.mu.Unlock()
	op := p.tries[w.N].op
	p.run.leave(p.tries[w.N])
	delete(p.tries, w.N)
	for _, a := range p.tries {
		if a.op == op {
			return
		}
	}
	p.due = slices.DeleteFunc(p.due, func(a *attempt) bool {
		if a.op == op {
			p.run.leave(a)
		}
		return a.op == op
	})
}

// crash ends the process where there is a panic, which others would catch.
func crash() {
	const most = 16 // lines of the stack: the test tells the last lines only
	if reason := recover(); reason != nil {
		stack := strings.SplitN(string(debug.Stack()), "\n", most+1)
		fmt.Fprintf(os.Stderr, "panic: %v\n%s\n", reason, strings.Join(stack[:min(most, len(stack))], "\n"))
		os.Exit(2)
	}
}

// ask says something and waits for the answer, which may never come: then the
// process is killed.
func (p *parent) ask(w word) Fault {
	answer := make(chan Fault, 1)
	p.mu.Lock()
	p.asked++
	w.K = p.asked
	p.answers[w.K] = answer
	w.N = p.delivery(w.ID)
	p.mu.Unlock()
	if p.out.say(w) != nil {
		select {} // the test is gone, and so is this process at once
	}
	return <-answer
}

// delivery is the one on this goroutine, else any of the operation. It is called
// with mu held.
func (p *parent) delivery(id string) int {
	me, _ := here()
	p.run.mu.Lock()
	defer p.run.mu.Unlock()
	op := p.run.ops[id]
	if op == nil {
		return 0
	}
	a := op.on(me)
	for n, try := range p.tries {
		if try == a {
			return n
		}
	}
	return 0
}

// effect is Run.Effect in the process.
func (p *parent) effect(id string) {
	if op := p.run.operation(id); op != nil {
		p.run.meet(op)
	}
	p.ask(word{Say: "effect", By: hookEffect, ID: id, Effects: true})
}

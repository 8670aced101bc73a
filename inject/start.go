package inject

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// TB is what a run needs of a test. *testing.T, *testing.B, *testing.F and
// *rapid.T have it.
type TB interface {
	Helper()
	Name() string
	Cleanup(func())
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Options say how a run is made. The zero value strikes nothing.
type Options struct {
	// Faults strike the first attempts of the operations in turn, with one
	// operation in between that nothing strikes: each strikes as soon as there is
	// one operation more than there are faults. One that never struck makes the
	// history inconclusive.
	Faults []Fault

	// Provider are faults of the calls that the system makes through
	// [Run.Transport], in turn likewise: fail, refuse, slow, lose-answer. Of these,
	// Faults may hold all but lose-answer, which there strikes the caller.
	Provider []Fault

	// Schedule decides in the place of that turn. Faults are then only those that
	// must have struck.
	Schedule Schedule

	// Contract is what the system promises; it stands in the history's header.
	Contract contract.Contract

	// Name is what one operation is called, "order" by default: the ids of
	// [Run.IDs] are order-1, order-2 ...
	Name string

	// Say is how failure texts speak of one effect: "Order ${id} was charged".
	Say string

	// Expect is how many effects one operation has, 1 by default; below 0, the run
	// sees none, and History does not wait for any.
	Expect int

	// ID finds the operation whose attempt a request is; "" passes the request
	// through, untouched and unrecorded. By default it is the id of the run that
	// stands as a whole word in the request's path, query, headers or body, and
	// GET, HEAD, OPTIONS and TRACE are passed through.
	ID func(*http.Request) string
}

// Start begins a run in which faults strike deliveries. See [Options] for more
// than faults.
//
// The faults are those of requests (but cut-client), [Reorder] for a [Queue],
// [KillBefore] and [KillAfter], which end the goroutine of an attempt at
// [Run.Effect], those of providers for [Run.Transport], and [LoseReply] and [Refuse]
// for [Run.DB]. Another one is fatal.
//
// The seed comes from the test's name, so that each run is like the last one;
// the environment variable IDEMCHECK_SEED overrides it.
func Start(t TB, faults ...Fault) *Run {
	t.Helper()
	return Options{Faults: faults}.Start(t)
}

// Start begins a run.
func (o Options) Start(t TB) *Run {
	t.Helper()
	if err := o.check(); err != nil {
		t.Fatalf("inject.Start: %v", err)
	}
	seed, err := seedOf(t.Name())
	if err != nil {
		t.Fatalf("inject.Start: %v", err)
	}
	if o.Name == "" {
		o.Name = "order"
	}
	schedule := o.Schedule
	if schedule == nil {
		schedule = o.inTurn(seed)
	}
	h := history.Header{Run: "seed-" + strconv.FormatUint(seed, 10), Seed: seed, Target: t.Name(), Tool: "idemcheck/inject"}
	if !o.Contract.IsZero() {
		text, err := json.Marshal(o.Contract)
		if err != nil {
			t.Fatalf("inject.Start: contract: %v", err)
		}
		h.Contract = string(text)
	}
	rec, err := history.NewRecorder(nil, h, history.Redactor{})
	if err != nil {
		t.Fatalf("inject.Start: %v", err)
	}
	root, bubble := here()
	r := &Run{schedule: schedule, root: root, bubble: bubble, t: t, options: o, seed: seed, rec: rec, ops: map[string]*operation{}}
	r.add(history.Event{Kind: history.Mark, Name: history.MarkCase, Actor: tool, Attrs: map[string]string{"scenario": t.Name(), "operation": o.Name}}, nil)
	return r
}

// seedVariable is the one knob that runs a failure again.
const seedVariable = "IDEMCHECK_SEED"

func seedOf(name string) (uint64, error) {
	text := os.Getenv(seedVariable)
	if text == "" {
		h := fnv.New32a()
		_, _ = h.Write([]byte(name))
		return uint64(h.Sum32()), nil
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s=%q is no whole number from 0 on", seedVariable, text)
	}
	return seed, nil
}

// inTurn is the schedule of lists of faults.
func (o *Options) inTurn(seed uint64) Schedule {
	bySite := map[string][]Fault{}
	for _, f := range o.Faults {
		for _, site := range sitesOf(f) {
			bySite[site] = append(bySite[site], f)
		}
	}
	bySite[SiteProvider] = append(bySite[SiteProvider], o.Provider...)
	offset := mix(seed) % (1 << 32)
	return func(s Site) []Fault {
		fs := bySite[kindOf(s.Name)]
		if s.Attempt != 1 || len(fs) == 0 {
			return nil
		}
		if i := (uint64(s.Number) + offset) % uint64(len(fs)+1); i < uint64(len(fs)) {
			return fs[i : i+1 : i+1]
		}
		return nil
	}
}

// inRun are the faults that a run in process can do, by the kind of the site.
var inRun = map[string][]Fault{
	SiteRequest:  {LoseRequest, LoseAnswer, ReplaceAnswer, Delay, Repeat, Overlap, Late, ChangePayload, Reencode, KillBefore, KillAfter},
	SiteMessage:  {LoseRequest, LoseAnswer, Delay, Repeat, Overlap, Late, Reorder, KillBefore, KillAfter},
	SiteProvider: {Fail, Refuse, Slow},
	SiteLink:     {LoseReply, Refuse},
}

// sitesOf are the kinds of sites at which the turn strikes with a fault.
func sitesOf(f Fault) (sites []string) {
	for _, site := range []string{SiteRequest, SiteMessage, SiteProvider, SiteLink} {
		if has(inRun[site], f) {
			sites = append(sites, site)
		}
	}
	return sites
}

// check tells whether the faults can be done in process.
func (o *Options) check() error {
	for _, f := range o.Faults {
		if len(sitesOf(f)) == 0 {
			return fmt.Errorf("fault %s cannot be done in process, legal are: %s", f, legal(SiteRequest, SiteMessage, SiteProvider, SiteLink))
		}
	}
	for _, f := range o.Provider {
		if f.Name != LoseAnswer.Name && !has(inRun[SiteProvider], f) {
			return fmt.Errorf("fault %s cannot strike the calls to a provider, legal are: %s, %s", f, LoseAnswer, legal(SiteProvider))
		}
	}
	for _, f := range slices.Concat(o.Faults, o.Provider) {
		if f != Reorder {
			if err := f.Check(); err != nil {
				return err
			}
		}
	}
	return o.Contract.Validate()
}

func has(fs []Fault, f Fault) bool {
	_, ok := named(fs, f)
	return ok
}

// legal lists the names of the faults of some sites.
func legal(sites ...string) string {
	var names []string
	for _, site := range sites {
		for _, f := range inRun[site] {
			if !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	return strings.Join(names, ", ")
}

package scenarios

import (
	"context"
	"fmt"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/scenarios/observe"
)

// probe asks each observer once before anything is sent: a query without its
// columns or a database that is not there ends the run at once.
func (r *runner) probe(ctx context.Context) error {
	for _, o := range r.sys.Observers {
		if o.Read == nil {
			continue
		}
		none := r.opt.Run + "-0"
		if _, err := o.Read.Read(ctx, observe.Query{IDs: []string{none}, Keys: []string{none}, Run: r.opt.Run}); err != nil {
			return &ConfigurationError{fmt.Sprintf("observer %s: %v", o.Name, err)}
		}
	}
	return nil
}

// calibrate sends each operation twice without a fault, and the second once
// more after its effects were read.
func (r *runner) calibrate(ctx context.Context) {
	for _, o := range r.sys.Operations {
		if o.Test && r.fatal() == nil {
			if err := r.calibrateOne(ctx, o); err != nil {
				r.uncalibrated[o.Name] = "calibration: " + err.Error()
				r.mark(history.CaseCalibration, history.MarkNote, "", err.Error())
			}
		}
	}
	r.rec.Flush()
	r.calibration = checkers.Calibrate(r.rec.History())
}

func (r *runner) calibrateOne(ctx context.Context, o Operation) error {
	next := r.first[history.CaseCalibration+"/"+o.Name]
	for i := range 2 {
		op := r.open(o, next, next, r.sys.scope(""), history.CaseCalibration)
		next += r.cost(o)
		if err := r.send(ctx, op, role{}, nil, inject.Fault{}); err != nil {
			return err
		}
		if op.end.kind != history.OK {
			return fmt.Errorf("%s answered %s %.200s", o.Name, op.end.status, op.end.body)
		}
		r.settle(ctx, []*live{op})
		if i == 1 {
			return r.send(ctx, op, role{}, nil, inject.Fault{})
		}
	}
	return nil
}

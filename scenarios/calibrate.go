package scenarios

import (
	"context"
	"fmt"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
)

// calibrate sends each operation twice without a fault, and the second once
// more after its effects were read.
func (r *runner) calibrate(ctx context.Context) {
	for _, o := range r.sys.Operations {
		if o.Test && r.fatal() == nil {
			if err := r.calibrateOne(ctx, o); err != nil {
				r.uncalibrated[o.Name] = "calibration: " + err.Error() + r.strays()
				r.mark(history.CaseCalibration, history.MarkNote, "", err.Error())
			}
		}
	}
	r.rec.Flush()
	r.calibration = checkers.Calibrate(r.rec.History())
}

func (r *runner) calibrateOne(ctx context.Context, o Operation) error {
	if r.board != nil { // doctor tells which steps an operation makes
		r.board.begin(history.CaseCalibration)
		defer r.board.end()
	}
	next := r.first[history.CaseCalibration+"/"+o.Name]
	var ids []string
	for i := range 2 {
		op := r.open(live{Operation: o, number: next, block: next, scope: r.sys.scope(""), case_: history.CaseCalibration})
		next += r.cost(o)
		if err := r.unseen(ctx, op); err != nil {
			return err
		}
		end, err := r.send(ctx, op, way{})
		if err != nil {
			return err
		}
		if end.kind != history.OK {
			return fmt.Errorf("%s answered %s", o.Name, end.said())
		}
		if err := r.settleWhole(ctx, op, []*live{op}); err != nil {
			return err
		}
		if ids = append(ids, op.id); i == 1 {
			r.learn(o.Name, ids[0], ids[1])
			_, err := r.send(ctx, op, way{})
			return err
		}
	}
	return nil
}

// unseen makes sure that no effect of an operation is there before it is sent:
// effects of an earlier run under the same id would be taken for its own.
func (r *runner) unseen(ctx context.Context, op *live) error {
	asked := *op
	asked.begun, asked.sent = true, []string{op.key}
	got, err := r.read(ctx, []*live{&asked})
	if err != nil {
		return nil // settling will meet it again, and say so
	}
	for s, n := range got {
		if n.n > 0 {
			return fmt.Errorf("%s showed %d for %s before it was sent: it counts those of others as well, or the run id %s was used before", s.observer, n.n, op.id, r.opt.Run)
		}
	}
	return nil
}

// strays says that a provider got calls that it could not tell apart: then its
// id: is wrong, or the service does not pass the id on.
func (r *runner) strays() string {
	for name, p := range r.sys.Providers {
		if n := p.Strays(); n > 0 {
			return fmt.Sprintf(" (%s got %d calls without an id at %s)", name, n, p.ID)
		}
	}
	return ""
}

package wire

// sync ends what belongs together. If something was written and no transaction
// was begun, this keeps it: a COMMIT that nobody wrote.
func (f *pgFront) sync(size int) error {
	m, err := f.in.take(size, pgBuffer)
	if err != nil {
		return err
	}
	if !f.s.isLoose() || !f.s.settle() {
		return f.plainSync(m)
	}
	act := sqlAct{name: "COMMIT", kind: sqlImplicit, text: "Sync"}
	step, action, err := f.before(act)
	if err != nil {
		return err
	}
	if action == Pass {
		step.sync = true
		return f.deliver(step, m)
	}
	if err := f.refuseExecute(step, act, action); err != nil {
		return err
	}
	return f.plainSync(m)
}

// plainSync sends a Sync; after a refused COMMIT the server is told to roll back, too.
func (f *pgFront) plainSync(m []byte) error {
	f.s.asks()
	if !f.rollback {
		return f.write(m)
	}
	f.rollback = false
	return f.write(m, pgMessage('Q', pgRollback))
}

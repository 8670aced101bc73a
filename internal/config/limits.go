package config

import "github.com/idemcheck/idemcheck/internal/strict"

// limits are settle: and limits:.
func (r *reader) limits(v strict.Value) {
	l := &r.file.Limits
	if s := v.Field("settle"); s.Exists() {
		s.Fields("bound")
		l.Settle = s.Need("bound").Duration()
		positive(s.Field("bound"), l.Settle > 0)
	}
	limits := v.Field("limits")
	if !limits.Exists() {
		return
	}
	for _, f := range limits.Fields("attempt", "attempts", "rate", "run") {
		good := false
		switch f.Name {
		case "attempt":
			l.Attempt = f.Value.Duration()
			good = l.Attempt > 0
		case "attempts":
			l.Attempts = f.Value.Int()
			good = l.Attempts > 0
		case "rate":
			l.Rate = f.Value.Float()
			good = l.Rate > 0
		case "run":
			l.Run = f.Value.Duration()
			good = l.Run > 0
		}
		positive(f.Value, good)
	}
}

func positive(v strict.Value, good bool) {
	if !good {
		v.Errorf("must be above zero")
	}
}

// redact are the fields and headers whose values no artefact may hold.
func (r *reader) redact(v strict.Value) {
	if !v.Exists() {
		return
	}
	v.Fields("fields", "headers")
	r.file.Redact.Fields = names(v.Field("fields"))
	r.file.Redact.Headers = names(v.Field("headers"))
}

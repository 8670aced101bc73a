package scenarios

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/idemcheck/idemcheck/inject"
)

// missingWorker names the line that would let a step touch workers.
func (sys System) missingWorker(s Step) string {
	switch {
	case s.site() != inject.SiteWorker:
		return ""
	case len(sys.Workers) == 0:
		return "no worker is known, which could be killed: add   workers: {api: {run: ./payments --port 8080, ready: GET /healthz}}"
	case len(find(sys.Workers, s.whose())) == 0:
		return notNamed(s.whose(), "worker", sys.Workers, "api-2: {run: ./payments --port 8081, ready: GET http://127.0.0.1:8081/healthz}")
	case s.Do == doArm && len(sys.Links) == 0 && sys.Points == nil:
		return noMoments
	}
	return ""
}

// missingLink names the line that would let a step touch links.
func (sys System) missingLink(s Step) string {
	switch {
	case s.site() != inject.SiteLink:
		return ""
	case s.Fault.Name == inject.Hold.Name && s.whose() == "" && sys.Points != nil:
		return ""
	case len(sys.Links) == 0:
		return noMoments
	case len(find(sys.Links, s.whose())) == 0:
		return notNamed(s.whose(), "link", sys.Links, s.whose()+": {protocol: postgres, to: 127.0.0.1:5432}")
	}
	return ""
}

// noMoments is why nothing can be struck at a moment.
const noMoments = "no link is known, which shows the moments of an operation: " + addLink

// notNamed says that there are others, and what would add one.
func notNamed[T interface{ Name() string }](name, what string, all []T, example string) string {
	if n, err := strconv.Atoi(name); err == nil {
		return fmt.Sprintf("it needs %d %ss, and the file has %d: add   %ss: {%s}", n, what, len(all), what, example)
	}
	var names []string
	for _, w := range all {
		names = append(names, w.Name())
	}
	return fmt.Sprintf("%s %s is not known: the file has %s", what, name, strings.Join(names, ", "))
}

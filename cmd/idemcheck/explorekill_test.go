package main

import (
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/scenarios"
)

// TestExploreKills holds that a search kills workers at moments where it can, finds
// what only that shows, and accuses no sound service.
func TestExploreKills(t *testing.T) {
	unraced(t)
	if amount(true, false, false) {
		t.Skip("takes a minute: set IDEMCHECK_REQUIRE=all, as .ci/run does, or IDEMCHECK_LONG=1")
	}
	plans := amount(40, 40, 300)
	for _, defect := range []string{"", "mark-then-effect"} {
		id, err := newRun()
		if err != nil {
			t.Fatal(err)
		}
		systems, end, err := mapped{Defect: defect}.start(t.Context(), t.TempDir(), id)
		defer end()
		if err != nil {
			t.Fatal(err)
		}
		did, report, _, err := scenarios.Explore(t.Context(), systems[0], scenarios.ExploreOptions{Run: id, Seed: 1, Plans: plans, Time: 3 * time.Minute, First: true, Tool: tool()})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%q: %d plans, %d passed, %d inconclusive, %.1f s, fired %v", defect, did.Plans, did.Passed, did.Inconclusive, did.Seconds, did.Fired)
		switch {
		case defect == "" && (len(did.Finds) > 0 || did.Failed > 0 || did.Fired["kill-after"]+did.Fired["kill-before"] == 0):
			t.Errorf("the service is sound: %s %q", findsText(did), report.Problems)
		case defect != "" && (len(did.Finds) != 1 || did.Finds[0].Steps > 4 || did.Finds[0].Failed == 0):
			t.Errorf("%s: %+v", defect, did)
		case defect != "":
			t.Logf("%s", findsText(did))
		}
	}
}

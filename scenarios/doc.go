// Package scenarios runs plans against a system, draws the maps of its windows,
// searches for plans that fail, and records and judges what happens.
//
//	plan, _ := scenarios.Lookup("lost-answer")
//	report, history, err := scenarios.Run(ctx, sys, scenarios.Options{Run: "r7k2m9", Plans: []scenarios.Plan{plan}})
//	maps, report, history, err := scenarios.RunMap(ctx, []scenarios.System{sys}, scenarios.MapOptions{Run: "r7k2m8"})
//
// # Plans
//
// A [Plan] is data: who sends what, which fault strikes, when. [Catalogue] holds
// those that come with idemcheck, a YAML file each under catalogue/; [Parse]
// reads one. [Cases] are the plans on the operations of a System, with swept
// values; [Enable] says which line of the configuration a skipped one needs.
//
// # Systems
//
// A [System] is all that a run needs: how operations are delivered (package
// target), how effects are counted (package observe), the contract, and what can
// be struck: providers, links, points of code, workers.
//
// # Runs
//
// [Run] calibrates each operation, carries out the cases, reads the effects, and
// judges the history. [RunMap] learns the steps that an operation makes (a
// [Moment] each), strikes at each with each fault (a [Window] each), and says in
// a [Map] what became of it. [Explore] draws plans that no catalogue lists, cuts
// down those that fail, and tells what failures have in common: each a [Find].
package scenarios

//go:build !unix

package worker

import "os"

// canLock is false: OpenJournal gives none, and the rest is never called.
const canLock = false

func lock(*os.File) error      { return nil }
func tryLock(*os.File) bool    { return false }
func birth(int) (string, bool) { return "", false }

func remains(string, []note) []remain { return nil }

//go:build unix

package inject

import "syscall"

// ownFiles keeps open files from the programs that this process starts.
func ownFiles(files ...int) {
	for _, f := range files {
		syscall.CloseOnExec(f)
	}
}

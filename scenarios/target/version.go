package target

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/internal/template"
)

// manyVersions is how many versions an operation has that counts them itself,
// by ${version}.
const manyVersions = 9

// VersionCount is how many versions of its entity the operation can send; 0 if
// it knows nothing of versions.
func (o Operation) VersionCount() int {
	if n := len(o.Versions); n > 0 {
		return n
	}
	if slices.Contains(o.names(), "version") || slices.Contains(o.Path.Names(), "version") {
		return manyVersions
	}
	return 0
}

// checkVersion tells whether the operation has that version.
func (o Operation) checkVersion(n int) error {
	switch most := o.VersionCount(); {
	case n <= most:
		return nil
	case most == 0:
		return fmt.Errorf("it has no versions: add   versions: [{status: active}, {status: cancelled}]   or put ${version} into its body")
	default:
		return fmt.Errorf("it has %d versions, there is no version %d", most, n)
	}
}

// versioned is the body's tree with the fields of the draft's version.
func (d *draft) versioned(tree template.Node) (template.Node, error) {
	n := d.once.Version
	if n < 1 || n > len(d.op.Versions) {
		return tree, nil
	}
	for _, f := range d.op.Versions[n-1].Fields {
		var err error
		if tree, err = tree.With(pointerOf(f.Name), f.Node); err != nil {
			return tree, fmt.Errorf("version %d: %w", n, err)
		}
	}
	return tree, nil
}

// pointerOf is a JSON pointer, made from a field's name if it is not one.
func pointerOf(field string) string {
	if strings.HasPrefix(field, "/") {
		return field
	}
	return "/" + template.Token(field)
}

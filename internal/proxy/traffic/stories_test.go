package traffic

import (
	"bytes"
	"compress/gzip"
	"fmt"
)

// htmlPage makes both answers HTML with a token of its own each.
func htmlPage(r *Repeat) {
	r.First.Body = []byte(`<form><input name="csrf" value="a1b2c3d4"></form>`)
	r.Second.Body = []byte(`<form><input name="csrf" value="e5f6a7b8"></form>`)
}

// noise makes both answers bytes that differ.
func noise(r *Repeat) {
	r.First.Body, r.Second.Body = []byte{0, 1, 2, 0xff}, []byte{0, 1, 3, 0xfe}
}

func zipped(r *Repeat) {
	for _, a := range []*Answer{&r.First, &r.Second} {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write(a.Body)
		w.Close()
		a.Body = b.Bytes()
		a.Header.Set("Content-Encoding", "gzip")
	}
}

// duplicateOf answers looks: the second thing says that it is none of its own.
func duplicateOf() func(string) Answer {
	seen, before := 0, ""
	return func(target string) Answer {
		seen++
		switch seen % 3 {
		case 1:
			before = last(target)
			return answer(fmt.Sprintf(`200 {"id":%q,"state":"active"}`, before))
		case 2:
			return answer(fmt.Sprintf(`200 {"id":%q,"state":"void"}`, last(target)))
		}
		return Answer{Status: 404}
	}
}

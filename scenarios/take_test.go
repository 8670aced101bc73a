package scenarios

import (
	"net/http"
	"testing"
)

func TestTake(t *testing.T) {
	e := ending{body: []byte(`{"id":7,"a/b":["x"]}`), header: http.Header{"Etag": {`"v1"`}}}
	for place, want := range map[string]string{"/id": "7", "/a~1b/0": "x", "header ETag": `"v1"`, "header X": "", "/none": ""} {
		text, number, err := e.value(place)
		if text != want || number != (place == "/id") || (err != nil) != (want == "") {
			t.Errorf("%s: %q, %v, %v", place, text, number, err)
		}
	}
}

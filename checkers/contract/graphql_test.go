package contract

import "testing"

func TestClassifyGraphQL(t *testing.T) {
	c := Contract{}
	for body, want := range map[string]Class{
		`{"data":{"charge":{"id":"1"}}}`:                                                OK,
		`{"data":{"charge":{"id":"1","userErrors":[]}}}`:                                OK,
		`{"data":{"charge":{"userErrors":[{"code":"X"}]}}}`:                             Refused,
		`{"errors":[{"message":"no","extensions":{"errorClass":"VALIDATION"}}]}`:        Refused,
		`{"errors":[{"message":"no"}],"data":{"charge":null}}`:                          Refused,
		`{"errors":[{"message":"no"}],"data":{"charge":{"id":"1"}}}`:                    OK,
		`{"errors":[{"message":"no","extensions":{"code":"INTERNAL_SERVER_ERROR"}}]}`:   Unknown,
		`{"errors":[{"extensions":{"errorClass":"SERVICE_AVAILABILITY"}}],"data":null}`: Unknown,
		`{"errors":`: OK, `{"errors":"many"}`: OK, ``: OK,
	} {
		if got, err := c.ClassifyAnswer("200", []byte(body)); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", body, got, err, want)
		}
	}
	if got, _ := c.ClassifyAnswer("500", []byte(`{"errors":[{}]}`)); got != Unknown {
		t.Error("a 500 is unknown whatever it says")
	}
	if got, _ := c.ClassifyAnswer("200", []byte(`{"id":"ch_1","errors":[{}]}`)); got != OK {
		t.Error("an object of another form is no answer of GraphQL")
	}
}

func FuzzGraphQL(f *testing.F) {
	f.Add([]byte(`{"errors":[{"extensions":{"code":"X"}}],"data":{"a":{"userErrors":[1]}}}`))
	f.Fuzz(func(t *testing.T, body []byte) { graphQL(body) })
}

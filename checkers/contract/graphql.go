package contract

import (
	"bytes"
	"encoding/json"
	"strings"
)

// ClassifyAnswer is Classify for an answer with a body. A 2xx in the form of
// GraphQL may say that nothing was done: in errors without data, or in
// userErrors. An error of the service itself leaves it unknown.
func (c Contract) ClassifyAnswer(status string, body []byte) (Class, error) {
	class, err := c.Classify(status)
	if err != nil || class != OK {
		return class, err
	}
	return graphQL(body), nil
}

// graphQL reads an answer of a GraphQL service (spec.graphql.org, October 2021,
// 7.1): errors without data mean that nothing was carried out.
func graphQL(body []byte) Class {
	var answer struct {
		Errors []struct {
			Extensions struct{ Code, ErrorClass string }
		}
		Data map[string]json.RawMessage
	}
	if !graphQLForm(body) || json.Unmarshal(body, &answer) != nil {
		return OK
	}
	some := false
	for _, field := range answer.Data {
		var object struct{ UserErrors []json.RawMessage }
		if json.Unmarshal(field, &object) == nil && len(object.UserErrors) > 0 {
			return Refused
		}
		some = some || string(field) != "null"
	}
	if len(answer.Errors) == 0 || some {
		return OK
	}
	for _, e := range answer.Errors {
		for _, code := range []string{e.Extensions.Code, e.Extensions.ErrorClass} {
			if strings.Contains(code, "INTERNAL") || strings.Contains(code, "UNKNOWN") || strings.Contains(code, "AVAILABILITY") || strings.Contains(code, "TIMEOUT") {
				return Unknown
			}
		}
	}
	return Refused
}

// graphQLForm reports whether a body is an object of nothing but what an answer
// of GraphQL has.
func graphQLForm(body []byte) bool {
	var fields map[string]json.RawMessage
	if !bytes.Contains(body, []byte(`rrors"`)) || json.Unmarshal(body, &fields) != nil {
		return false
	}
	for name := range fields {
		if name != "data" && name != "errors" && name != "extensions" {
			return false
		}
	}
	return true
}

package schema

import "github.com/idemcheck/idemcheck/internal/proxy/settings"

// proxy is the block of the staging proxy.
func proxy() *node {
	door := anyOf(text, object(fields{"address": text, "cert": text.doc("file in PEM"), "key": text.doc("file in PEM")}, "address"))
	to := anyOf(text, object(fields{"url": text, "ca": text.doc("file in PEM"), "insecure": truth.doc("its certificate is not checked")}, "url"))
	size := anyOf(text)
	match := anyOf(text, object(fields{
		"method": texts, "path": text.doc("/charges/*, /v1/**"), "header": headers.doc("name to value, * for any"),
		"key": words("present", "absent", "any"), "type": text.doc("of the content"),
	}))
	return object(fields{
		"listen":  anyOf(door, list(door)).doc("HOST:PORT or unix:/path, where callers come in"),
		"to":      anyOf(to, list(to)).doc("the service and its replicas; by default the target"),
		"page":    text.doc("HOST:PORT of the page, the metrics and the health"),
		"share":   text.doc("of the requests that match, as in 5%"),
		"fault":   proxyFault().doc("of rules that name none"),
		"budget":  whole.doc("duplicates a minute"),
		"breaker": words("none").doc("errors of the service do not end the striking"),
		"exclude": texts.doc("paths that are never struck"),
		"off":     text.doc("nothing is struck while this file exists"),
		"history": anyOf(words("none"), object(fields{"limit": size.doc("of all files"), "file": size.doc("of one file")})).doc("how much of the traffic is kept"),
		"rules": list(object(fields{
			"match": match.doc("POST /charges, or what must be so"), "fault": proxyFault(), "share": text,
			"first": whole.doc("only so many"), "every": whole.doc("each nth"),
			"id": text.doc("where the operation's id stands: body /pointer, header NAME, query NAME, path 2"),
		})),
	})
}

func proxyFault() *node {
	f := fields{}
	for _, one := range settings.Faults {
		f[one.Fault.Name] = text.doc(one.Doc)
	}
	return anyOf(text, object(f))
}

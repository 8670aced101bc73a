package schema

import "github.com/idemcheck/idemcheck/checkers/contract"

// Config is the schema of idemcheck.yaml.
func Config() []byte {
	n := object(fields{
		"target":     anyOf(text, list(text)).doc("base URL of the service, or those of its replicas"),
		"protocol":   text.doc("h2: HTTP/2, also without TLS"),
		"operations": operations(),
		"contract":   promises().doc("what the service promises; each stated field is judged"),
		"scopes":     named(object(fields{"headers": headers}, "headers")).doc("tenants; the first is used where nothing else is said"),
		"effects":    anyOf(words("none"), named(effect())).doc("how effects are counted, from outside"),
		"links":      named(link()).doc("what the service reaches its dependencies through"),
		"workers":    named(process()).doc("its processes, which are started, killed, paused"),
		"age":        age().doc("how deduplication records are made older"),
		"rules":      list(rule()).doc("invariants of your own"),
		"settle":     object(fields{"bound": duration.doc("how long effects may take to show")}, "bound"),
		"limits": object(fields{
			"attempt": duration.doc("the time of one attempt"), "attempts": whole.doc("attempts in all"),
			"rate": number.doc("attempts a second"), "run": duration.doc("the time of the run"),
		}),
		"redact":    object(fields{"fields": texts, "headers": texts}).doc("what no file of a run may hold"),
		"exclusive": truth.doc("nobody else uses this system"),
		"allow":     list(text).doc("hosts beyond loopback that may be touched, without scheme and port"),
		"accept":    list(object(fields{"case": text, "rule": text, "reason": text, "until": text}, "case", "reason", "until")).doc("failures that are known"),
		"proxy":     proxy().doc("the staging proxy"),
	})
	n.AnyOf = []*node{{Required: []string{"target", "operations"}}, {Required: []string{"proxy"}}}
	n.Schema, n.Title = draft, "idemcheck.yaml"
	return n.print()
}

var (
	headers = free(text)
	body    = anyOf(free(anything), list(anything), text)
)

func operations() *node {
	key := anyOf(text, list(text), object(fields{"header": text, "body": text, "query": text, "value": text}))
	n := named(object(fields{
		"send":        text.doc("METHOD /path?query below the target"),
		"key":         key.doc("where the key travels: header NAME, body /pointer, query NAME, graphql, derived, none, or several"),
		"headers":     headers.doc("headers of each attempt"),
		"body":        body.doc("a mapping or list is sent as JSON, a text as it is"),
		"per_attempt": object(fields{"headers": headers, "body": free(anything)}).doc("rendered anew at each attempt"),
		"before":      texts.doc("operations that are sent first"),
		"take":        named(text).doc("values for those it runs before: a name and a JSON pointer into the answer"),
		"test":        truth.doc("whether it is under test"),
		"find":        anyOf(text, object(fields{"send": text, "body": body}, "send")).doc("how a caller asks whether it happened"),
		"versions":    list(free(anything)).doc("fields of the body for each version of one entity"),
		"entry_of":    text.doc("another entry point for this operation"),
		"sign": object(fields{"header": text, "scheme": text, "prefix": text, "secret": text}, "scheme", "secret").
			doc("a signature, made after the payload was faulted"),
	}, "send"))
	n.MinFields = 1
	return n
}

// promises is a preset's name, or the axes of a contract.
func promises() *node {
	var presets []string
	for _, c := range contract.Catalogue {
		presets = append(presets, c.Name)
	}
	f := fields{
		"like": words(presets...).doc("the preset that it is like"), "name": text,
		"life":  duration.doc("how long a key is kept"),
		"claim": duration.doc("how long a key in progress blocks others"),
	}
	for _, a := range contract.Axes {
		f[a.Name] = texts.doc(a.Doc + " " + a.Legal)
	}
	return anyOf(words(presets...), object(f))
}

func effect() *node {
	return object(fields{
		"of":    texts.doc("the operations that it counts for"),
		"by":    words("id", "key"),
		"say":   text.doc("the effect in business terms: Order ${id} was charged"),
		"query": text.doc("returns id or key, perhaps n, scope, version"), "sql": text.doc("URL of a database, read only"),
		"http": text.doc("METHOD /path or URL with ${id} or ${key}"), "count": text.doc("JSON pointer to a number or a list"), "headers": headers,
		"version": text.doc("JSON pointer to the version of the entity"), "scoped": truth.doc("ask for each scope by itself"),
		"redis": text.doc("URL of a Redis server"), "field": text.doc("of a hash"), "command": texts.doc("a program that counts"),
		"smtp":   object(fields{"listen": text, "id": text, "per": words("recipient")}, "listen", "id").doc("a mail server that the service sends through"),
		"expect": whole.doc("effects of one operation"), "unique": words("id"),
		"provider": provider().doc("a stand-in that the service calls instead of its provider"),
	})
}

func provider() *node {
	return object(fields{
		"listen": text, "effect": text.doc("METHOD /path of the calls that count"), "id": text.doc("where the operation's id stands: body /pointer, header NAME"),
		"version": text, "one_at_a_time": truth, "contract": promises(),
		"answer": object(fields{"status": whole, "body": body}),
	}, "listen", "effect", "id")
}

func age() *node {
	return object(fields{
		"sql": text, "exec": texts, "redis": text, "keys": texts, "http": text, "headers": headers, "body": body,
		"command": texts, "wait": truth, "by": duration.doc("what one ageing makes of it, whatever is asked for"),
	})
}

func rule() *node {
	totals := object(fields{"sql": text, "query": text, "provider": text, "sum": text})
	return object(fields{
		"name": text, "sql": text, "of": texts, "within": anyOf(text, list(anything)),
		"empty": text.doc("a query that must return no rows"),
		"expr":  text.doc("an expression that must be true"), "each": text.doc("an expression that must be true of each operation"),
		"conserved": text, "bounded": text, "same": text,
		"metrics": texts.doc("URL of the page of metrics, or those of all replicas"), "headers": headers, "counted": text.doc("the metric that counts what was done"),
		"agree": object(fields{"own": totals, "outside": totals}),
	}, "name")
}

func link() *node {
	return object(fields{
		"protocol": words("postgres", "http", "tcp"),
		"to":       text.doc("HOST:PORT, unix:/path, or provider/NAME"),
		"listen":   text.doc("HOST:PORT or unix:/path; by default a free port, which is ${link.NAME} for workers"),
		"toxics": list(object(fields{
			"type":     words("latency", "bandwidth", "slow_close", "timeout", "reset_peer", "slicer", "limit_data"),
			"upstream": truth.doc("on what the service sends; else on what it receives"),
			"latency":  duration, "jitter": duration, "rate": whole.doc("KB a second"), "delay": duration, "timeout": duration,
			"average_size": whole, "size_variation": whole, "bytes": whole,
		}, "type")).doc("faults on bytes, for the whole run"),
	}, "protocol", "to")
}

func process() *node {
	ready := anyOf(text, object(fields{"http": text.doc("GET /path on the target, or a URL"), "addr": text, "line": text.doc("a regular expression"), "within": duration}))
	return object(fields{
		"run":    texts.doc("the program and its arguments; no shell"),
		"dir":    text.doc("where it runs"),
		"ready":  ready.doc("GET /healthz, or started; by default when the target accepts connections"),
		"log":    text.doc("the file for what it prints"),
		"env":    free(text).doc("${link.NAME}, ${provider.NAME}, ${run} and ${VARIABLES}"),
		"points": truth.doc("its points of code meet the tool"),
	}, "run")
}

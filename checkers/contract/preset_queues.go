package contract

import "time"

const (
	tools    = "github.com/aws-powertools/powertools-lambda-python, docs"
	sqs      = "docs.aws.amazon.com, SQS FIFO key terms"
	nats     = "github.com/nats-io/nats.docs"
	temporal = "github.com/temporalio/documentation, workflowid-runid"
	river    = "github.com/riverqueue/river, insert_opts.go"
	asynq    = "github.com/hibiken/asynq, client.go"
)

// libraries run inside the service that uses them.
var libraries = []Contract{
	{
		Name: "powertools", Doc: "AWS Lambda Powertools; the key is a hash of the event or of a part of it",
		Life: time.Hour, LifeFrom: lasting(tools, Primary, "exactly"),
		Carrier:     field(tools, Primary, "derived"),
		Missing:     field(tools, Primary, "run", "reject"),
		Scope:       field(tools, Primary, "endpoint"),
		AfterLife:   field(tools, Primary, "new"),
		Replay:      field(tools, Primary, "verbatim"),
		Mismatch:    field(tools, Primary, "replay", "reject"),
		Fingerprint: field(tools, Primary, "fields"),
		InFlight:    field(tools+" names an exception; which status it becomes is the application's", Unverified, "reject", "500", "502"),
		Stored:      field(tools, Primary, "2xx"),
		Replay5xx:   field(tools, Primary, "execute"),
		Kind:        field(tools, Primary, "replay"),
	},
}

// queues drop duplicates of messages and jobs.
var queues = []Contract{
	{
		Name: "sqs-fifo", Doc: "SQS and SNS FIFO: a duplicate is accepted and not delivered",
		Life: 5 * time.Minute, LifeFrom: lasting(sqs, Primary, "exactly"),
		Carrier:   field(sqs, Primary, "message MessageDeduplicationId", "derived"),
		Missing:   field(sqs, Primary, "reject"),
		AfterLife: field(sqs, Primary, "new"),
		Replay:    field(sqs, Primary, "accepted"),
		Kind:      field(sqs, Primary, "window"),
	},
	{
		Name: "nats", Doc: "NATS JetStream: a duplicate is acknowledged and dropped; the window is set for each stream",
		Life: 2 * time.Minute, LifeFrom: lasting(nats, Primary, "exactly"),
		Carrier:     field(nats, Primary, "message Nats-Msg-Id"),
		AfterLife:   field(nats, Primary, "new"),
		Replay:      field(nats, Primary, "accepted"),
		Marker:      field(nats, Primary, "duplicate: true"),
		Mismatch:    field(nats, Primary, "replay"),
		Fingerprint: field(nats, Primary, "key"),
		Kind:        field(nats, Primary, "window"),
	},
	{
		Name: "temporal", Doc: "Temporal: one running workflow of an id in a namespace",
		Carrier:     field(temporal, Primary, "message workflow id"),
		Replay:      field(temporal+": AllowDuplicate after the end, by default", Primary, "none"),
		InFlight:    field(temporal+": Fail, UseExisting or TerminateExisting", Primary, "reject", "wait"),
		Fingerprint: field(temporal, Primary, "key"),
		Kind:        field(temporal, Primary, "unique"),
	},
	{
		Name: "river", Doc: "River: unique jobs; two inserts on either side of a period's border both run",
		Carrier:     field(river, Primary, "derived"),
		Replay:      field(river, Primary, "accepted"),
		Marker:      field(river, Primary, "UniqueSkippedAsDuplicate: true"),
		Fingerprint: field(river, Primary, "fields"),
		Kind:        field(river, Primary, "unique"),
	},
	{
		Name: "asynq", Doc: "asynq: unique tasks, until they succeed or their time is over",
		Carrier:     field(asynq, Primary, "derived", "message TaskID"),
		Replay:      field(asynq+", ErrDuplicateTask and ErrTaskIDConflict", Primary, "conflict"),
		InFlight:    field(asynq, Primary, "reject"),
		Fingerprint: field(asynq, Primary, "canonical"),
		Kind:        field(asynq, Primary, "unique"),
	},
}

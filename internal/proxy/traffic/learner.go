package traffic

import (
	"slices"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// Options say what a learner knows before the traffic tells it.
type Options struct {
	Operations []Operation       // named by the file
	Masks      []string          // JSON pointers whose values never count, * for any token
	Keys       []string          // headers that carry keys, besides those of the presets
	Redact     history.Redactor  // what examples must not show
	Listen     string            // the URL of the proxy, for the lines that repeat an example
	Target     string            // the service
	History    string            // the folder of its files
	Routes     int               // at most; 0: 2,000
	KeyTable   int               // keys remembered; 0: 200,000
	Now        func() time.Time  // nil: time.Now
	Contract   contract.Contract // of operations without one
}

// Operation is one of the file's.
type Operation struct {
	Name, Method, Path string // Path is a pattern: {} stands for one segment
	Contract           contract.Contract
	Expect             map[string]int // effects wanted for each request, by observer; 1 where it is not named
}

// Learner gathers. It is safe for use by many goroutines.
type Learner struct {
	options Options
	carriers
	tree   tree
	keys   table // by key and caller
	bodies table // by body, path and caller
	habits habits
	start  time.Time

	mu     sync.Mutex // all below, and what routes learn of repeats
	fresh  fresh
	looks  looks
	album  album
	totals totals

	breaking bool // repeats fail on all routes; first requests do not
}

// New makes a learner.
func New(o Options) *Learner {
	if o.Routes == 0 {
		o.Routes = 2000
	}
	if o.KeyTable == 0 {
		o.KeyTable = 200_000
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	l := &Learner{options: o, carriers: newCarriers(o), start: o.Now()}
	l.tree.init(o)
	l.keys.init(o.KeyTable)
	l.bodies.init(o.KeyTable)
	if rec, err := history.NewRecorder(nil, history.Header{}, shortened(o.Redact)); err == nil {
		l.album.rec = rec
	}
	return l
}

// shortened keeps less of a body than a history would.
func shortened(r history.Redactor) history.Redactor {
	r.Limit = 64 << 10
	r.Fields = slices.Concat(r.Fields, SecretFields)
	return r
}

// SecretFields are names of fields in bodies and queries that are secret whatever
// the file says: real traffic has people's passwords in it.
var SecretFields = []string{
	"password", "passwd", "passphrase", "pwd", "new_password", "old_password", "newPassword", "oldPassword", "current_password", "password_confirmation",
	"secret", "client_secret", "clientSecret", "shared_secret", "private_key", "privateKey",
	"token", "access_token", "accessToken", "refresh_token", "refreshToken", "id_token", "idToken", "auth_token", "authToken", "csrf_token", "api_token", "bearer",
	"api_key", "apikey", "api-key", "access_key", "secret_key", "authorization", "credentials",
	"pin", "otp", "totp", "mfa_code", "cvv", "cvc", "cvv2", "card_number", "cardNumber", "iban", "ssn", "sig", "signature", "sessionid", "session_id", "jwt",
}

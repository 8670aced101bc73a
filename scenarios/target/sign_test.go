package target

import (
	"strings"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/inject"
)

// The vectors are GitHub's and Standard Webhooks' own; the others were made
// with openssl dgst -sha256 -hmac.
func TestSign(t *testing.T) {
	at := time.Unix(1614265330, 0)
	for name, c := range map[string]struct {
		sign           Sign
		body, id, want string
		header         string
	}{
		"github": {
			Sign{Scheme: schemeHex, Header: "X-Hub-Signature-256", Prefix: "sha256=", Secret: "It's a Secret to Everybody"}, "Hello, World!", "",
			"sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17", "X-Hub-Signature-256",
		},
		"base64": {Sign{Scheme: schemeBase64, Header: "X-Sig", Secret: "k"}, `{"a":1}`, "", "w6kv+eJ0zczieljBWnjsbcu9vQA4qH56EbrvICj9i/8=", "X-Sig"},
		"stripe": {
			Sign{Scheme: schemeStripe, Secret: "whsec_test_secret"}, `{"test": 2432232314}`, "",
			"t=1614265330,v1=10c96c6fd3f320fcfc264cdc4f476c15060ede8e8a08404cea2ddf3b72544a9c", "Stripe-Signature",
		},
		"standard": {
			Sign{Scheme: schemeStandard, Secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}, `{"test": 2432232314}`, "msg_p5jXN8AQM9LWM0D4loKWxJek",
			"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", "webhook-signature",
		},
	} {
		if err := c.sign.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		d := &draft{op: Operation{Sign: c.sign}, header: map[string][]string{}, body: []byte(c.body), key: c.id}
		d.fresh.Now = at
		if err := d.sign(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := d.header.Get(c.header); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
		if c.id != "" && (d.header.Get("webhook-id") != c.id || d.header.Get("webhook-timestamp") != "1614265330") {
			t.Errorf("%s: %v", name, d.header)
		}
	}
}

// A changed payload is signed as it goes out; a repeat has the same signature.
func TestSignAfterFaults(t *testing.T) {
	op := charge(t)
	op.Sign = Sign{Scheme: schemeHex, Header: "X-Sig", Secret: "k"}
	h := target(t, "http://h", op)
	seen := map[string]string{}
	for _, f := range []inject.Fault{{}, inject.ChangePayload, inject.Reencode} {
		m := render(t, h, attempt(), f)
		sig := m.Header.Get("X-Sig")
		if was, again := seen[sig]; again || len(sig) != 64 {
			t.Errorf("%s and %s have one signature", was, m.Body)
		}
		seen[sig] = string(m.Body)
	}
	if m := render(t, h, attempt(), inject.Fault{}); seen[m.Header.Get("X-Sig")] != string(m.Body) {
		t.Error("a repeat is signed otherwise")
	}
	op.Key = carrier(t, "header webhook-id")
	op.Sign = Sign{Scheme: schemeStandard, Secret: "a2V5"}
	h.Operations["charge"] = op
	if m := render(t, h, attempt(), inject.Fault{}); m.Header.Get("webhook-id") != Key("r7-1") || !strings.HasPrefix(m.Header.Get("webhook-signature"), "v1,") {
		t.Errorf("%v", m.Header)
	}
}

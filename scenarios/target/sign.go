package target

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// schemes of a Sign.
const (
	schemeHex      = "hmac-sha256"        // of the body, in hexadecimal digits
	schemeBase64   = "hmac-sha256-base64" // of the body
	schemeStripe   = "stripe"             // t=TIME,v1=HEX of "TIME.BODY"
	schemeStandard = "standard-webhooks"  // webhook-id, webhook-timestamp, webhook-signature
)

// schemes are the legal values of Sign.Scheme.
var schemes = []string{schemeHex, schemeBase64, schemeStripe, schemeStandard}

// Sign signs the bytes of each request after all that a fault changes in them,
// so that the service refuses a changed payload for its own reasons only. Times
// are those of the attempt. The zero Sign signs nothing.
type Sign struct {
	Scheme string // hmac-sha256, hmac-sha256-base64, stripe or standard-webhooks; "": no signature
	Header string // where it goes; of stripe Stripe-Signature by default, of standard-webhooks always the three of their own
	Prefix string // before the value: "sha256="
	Secret string // of the service: the key of the signature
}

// Check tells whether the scheme is known and has what it needs.
func (s Sign) Check() error {
	switch {
	case !slices.Contains(schemes, s.Scheme):
		return fmt.Errorf("unknown scheme %q, legal are: %s", s.Scheme, strings.Join(schemes, ", "))
	case s.Secret == "":
		return fmt.Errorf("the secret is empty")
	case s.Scheme == schemeStandard && s.Header != "":
		return fmt.Errorf("%s has headers of its own: webhook-id, webhook-timestamp, webhook-signature", s.Scheme)
	case (s.Scheme == schemeHex || s.Scheme == schemeBase64) && s.Header == "":
		return fmt.Errorf("%s needs the name of a header, as in  header: X-Signature", s.Scheme)
	case s.Scheme == schemeStandard:
		if _, err := s.standardKey(); err != nil {
			return fmt.Errorf("%s: the secret is not base64, perhaps after whsec_", s.Scheme)
		}
	}
	return nil
}

// sign adds the signature to a message that is otherwise done.
func (d *draft) sign() error {
	s := d.op.Sign
	now := strconv.FormatInt(d.fresh.Now.Unix(), 10)
	switch s.Scheme {
	case "":
	case schemeHex:
		d.header.Set(s.Header, s.Prefix+hex.EncodeToString(mac(s.Secret, d.body)))
	case schemeBase64:
		d.header.Set(s.Header, s.Prefix+base64.StdEncoding.EncodeToString(mac(s.Secret, d.body)))
	case schemeStripe:
		name := s.Header
		if name == "" {
			name = "Stripe-Signature"
		}
		d.header.Set(name, s.Prefix+"t="+now+",v1="+hex.EncodeToString(mac(s.Secret, []byte(now+"."), d.body)))
	case schemeStandard:
		return d.signStandard(now)
	default:
		return s.Check()
	}
	return nil
}

// signStandard is https://www.standardwebhooks.com. The id of a message stays
// the same when it is delivered again: the key, if the operation has one.
func (d *draft) signStandard(now string) error {
	key, err := d.op.Sign.standardKey()
	if err != nil {
		return fmt.Errorf("sign: %w", err)
	}
	id := d.header.Get("webhook-id")
	if _, own := d.header[http.CanonicalHeaderKey("webhook-id")]; !own {
		if id = d.key; id == "" {
			id = d.once.ID
		}
		d.header.Set("webhook-id", id)
	}
	d.header.Set("webhook-timestamp", now)
	sum := mac(string(key), []byte(id+"."+now+"."), d.body)
	d.header.Set("webhook-signature", d.op.Sign.Prefix+"v1,"+base64.StdEncoding.EncodeToString(sum))
	return nil
}

// standardKey is the secret in bytes.
func (s Sign) standardKey() ([]byte, error) {
	return base64.StdEncoding.DecodeString(strings.TrimPrefix(s.Secret, "whsec_"))
}

func mac(key string, parts ...[]byte) []byte {
	h := hmac.New(sha256.New, []byte(key))
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

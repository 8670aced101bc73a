package relay

// A verdict is why the relay does not carry a message. Nil: it does.
type verdict struct {
	status int // of the refusal; 0: lawful, but odd
	why    string
}

// Error makes a verdict an error where bodies are read.
func (v *verdict) Error() string { return v.why }

var (
	oddVersion    = &verdict{0, "another version of HTTP"}
	oddTarget     = &verdict{0, "a target that is no path"}
	oddUpgrade    = &verdict{0, "an upgrade"}
	oddExpect     = &verdict{0, "an expectation"}
	oddTrailer    = &verdict{0, "trailers"}
	oddConnection = &verdict{0, "connection options"}
	oddEncoding   = &verdict{0, "a transfer encoding in an unusual spelling"}

	badStart       = &verdict{400, "the start line is malformed"}
	badVersion     = &verdict{505, "this version of HTTP is not spoken here"}
	badLine        = &verdict{400, "a line does not end with CRLF"}
	badFold        = &verdict{400, "a header field is folded"}
	badName        = &verdict{400, "the name of a header field is malformed"}
	badValue       = &verdict{400, "the value of a header field holds a control character"}
	badHost        = &verdict{400, "there must be one Host field, and well-formed"}
	badLength      = &verdict{400, "the Content-Length is malformed"}
	badLengths     = &verdict{400, "more than one Content-Length"}
	badBoth        = &verdict{400, "both Content-Length and Transfer-Encoding"}
	badEncodings   = &verdict{400, "more than one Transfer-Encoding"}
	badEncoding    = &verdict{501, "this transfer encoding is not spoken here"}
	badChunk       = &verdict{400, "the chunked body is malformed"}
	badChunkLarge  = &verdict{400, "a chunk is too large, or its extensions are"}
	badTrailer     = &verdict{400, "the trailers are malformed or too large"}
	largeHead      = &verdict{431, "the head is too large"}
	slowHead       = &verdict{408, "the head came too slowly"}
	slowBody       = &verdict{408, "the body came too slowly"}
	badStatus      = &verdict{502, "the status line is malformed"}
	badSwitch      = &verdict{502, "the service switched protocols unasked"}
	largeAnswer    = &verdict{502, "the head of the answer is too large"}
	notReachable   = &verdict{502, "the service cannot be reached"}
	notCarriedHere = &verdict{501, "this kind of request is not carried here"}
)

package draft

import (
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// formats are samples for the formats of texts.
var formats = map[string]string{
	"uuid": "5b0c8c1e-58f5-4d55-9c3e-0c8a4b6f7d21", "date": "2030-01-02", "date-time": "2030-01-02T03:04:05Z", "time": "03:04:05Z",
	"email": "${id}@shop.example", "uri": "https://shop.example/", "url": "https://shop.example/", "uri-reference": "/",
	"hostname": "shop.example", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "byte": "aWRlbQ==", "duration": "P1D",
}

// usual are samples by the field's name.
var usual = map[string]string{
	"currency": "EUR", "currencycode": "EUR", "country": "DE", "countrycode": "DE", "email": "${id}@shop.example", "name": "Jane Doe",
	"firstname": "Jane", "lastname": "Doe", "phone": "+4915112345678", "language": "en", "locale": "en-GB", "city": "Berlin", "amount": "10.00",
}

// usually is the name by which usual knows a field: iso_currency_code is a currency.
func usually(name string) string {
	name = plain(name)
	for _, end := range []string{"currency", "currencycode", "countrycode"} {
		if strings.HasSuffix(name, end) {
			return end
		}
	}
	return name
}

// text is one that the schema allows, as far as that is known.
func (g *generator) text(s *openapi3.Schema, name string) string {
	candidates := []string{formats[s.Format], usual[usually(name)], template(strings.TrimSpace(s.Title)), "text"}
	if s.Pattern != "" {
		candidates = append(candidates, matching(s.Pattern))
	}
	candidates = append(candidates, "A", "EUR", "DE", "1", "1.00")
	lower := strings.Contains(strings.ToLower(s.Description), "lowercase")
	for _, c := range candidates {
		if c == "" {
			continue
		}
		if lower {
			c = strings.ToLower(c)
		}
		for _, text := range []string{c, fitted(c, s)} {
			if g.invalid(&Value{Kind: Text, Text: text}, &openapi3.SchemaRef{Value: s}) == nil {
				return text
			}
		}
	}
	return fitted("text", s)
}

// fitted is a text that is as long as the schema wants.
func fitted(text string, s *openapi3.Schema) string {
	for uint64(len(text)) < min(s.MinLength, 4096) {
		text += "x"
	}
	if s.MaxLength != nil && uint64(len(text)) > *s.MaxLength && !strings.Contains(text, "${") {
		text = text[:*s.MaxLength]
	}
	return text
}

// matching is a text that a pattern matches, "" if none is found.
func matching(pattern string) string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	var b strings.Builder
	write(&b, re.Simplify())
	if compiled, err := regexp.Compile(pattern); err != nil || !compiled.MatchString(b.String()) {
		return ""
	}
	return template(b.String())
}

// longest bounds what a pattern such as (a{1000}){1000} writes.
const longest = 4096

func write(b *strings.Builder, re *syntax.Regexp) {
	if b.Len() > longest {
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			b.WriteRune(r)
		}
	case syntax.OpCharClass:
		b.WriteRune(nicest(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
	case syntax.OpCapture, syntax.OpPlus:
		write(b, re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			write(b, sub)
		}
	case syntax.OpAlternate:
		write(b, re.Sub[0])
	case syntax.OpRepeat:
		for range re.Min {
			write(b, re.Sub[0])
		}
	}
}

// nicest is a character of a class that people would write.
func nicest(class []rune) rune {
	for _, want := range "a1A0" {
		for i := 0; i+1 < len(class); i += 2 {
			if class[i] <= want && want <= class[i+1] {
				return want
			}
		}
	}
	for i := 0; i+1 < len(class); i += 2 {
		if class[i+1] >= ' ' {
			return max(class[i], ' ')
		}
	}
	return 'a'
}

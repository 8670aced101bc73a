package traffic

const longestWord = 64 // of a path; what is longer is a value

// named reports whether a segment of a path looks like the name of one thing: a
// number, a UUID, an id with a prefix, a long mix of letters and digits. Words
// of an API are none: v1, oauth2, order-items, getUserAccount.
func named(segment []byte) bool {
	if len(segment) == 0 || len(segment) > longestWord {
		return len(segment) > 0
	}
	s := shapeOf(segment)
	switch {
	case s.odd:
		return s.digits > 0 && len(segment) >= 6 // an address, a date, an encoded text
	case s.digits == len(segment):
		return true
	case s.hex && s.digits > 0 && len(segment) >= 8:
		return true
	case s.hex && len(segment) >= 24:
		return true
	case s.digits >= 2 && s.turns >= 3 && len(segment) >= 8:
		return true
	case s.digits >= 1 && s.upper > 0 && s.lower > 0 && s.turns >= 2 && len(segment) >= 12:
		return true
	}
	return s.parted(segment)
}

// shape counts what a segment is made of.
type shape struct {
	digits, upper, lower, turns int
	hex, odd                    bool
	part                        int // the place of the last - or _, -1 without
}

func shapeOf(segment []byte) shape {
	s := shape{hex: true, part: -1}
	digit := false
	for i, b := range segment {
		was := digit
		digit = false
		switch {
		case '0' <= b && b <= '9':
			digit = true
			s.digits++
		case 'a' <= b && b <= 'z':
			s.lower++
			s.hex = s.hex && b <= 'f'
		case 'A' <= b && b <= 'Z':
			s.upper++
			s.hex = s.hex && b <= 'F'
		case b == '-' || b == '_':
			s.part = i
		case b == '.' || b == '~':
			s.hex = false
		default:
			s.odd = true
		}
		if i > 0 && was != digit {
			s.turns++
		}
	}
	return s
}

// parted reports whether what follows the last - or _ is like an id: order-7,
// ch_3welx, cus_9AbCdEfGh.
func (s shape) parted(segment []byte) bool {
	if s.part < 0 || s.part == len(segment)-1 {
		return false
	}
	end := shapeOf(segment[s.part+1:])
	n := len(segment) - s.part - 1
	switch {
	case end.odd:
		return false
	case end.digits == n:
		return true
	}
	return end.digits > 0 && n >= 4
}

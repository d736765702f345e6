package sheet

import (
	"strconv"
	"strings"
	"unicode"

	"ativa/internal/api"
	"ativa/internal/sheet/columns"
	"ativa/internal/sheet/names"
)

// speeds finds internet speeds by id, text or megabits per second.
type speeds struct {
	byID   map[int]*api.InternetSpeed
	byText map[string]api.Int // by speedKey of speed and slug
	byMbps map[int]api.Int
	cells  meanings
	values mappedValues
}

func newSpeeds(list []api.InternetSpeed) *speeds {
	s := &speeds{
		byID:   map[int]*api.InternetSpeed{},
		byText: map[string]api.Int{},
		byMbps: map[int]api.Int{},
		cells:  meanings{},
	}
	for i := range list {
		speed := &list[i]
		s.byID[int(speed.ID)] = speed
		for _, text := range []string{speed.Speed, speed.Slug} {
			// Of two speeds with the same text the first counts: additions to the list do not change the
			// meaning of a file.
			if n, ok := mbps(text); ok && s.byMbps[n] == 0 {
				s.byMbps[n] = speed.ID
			}
			if _, err := strconv.Atoi(trim(text)); err != nil && s.byText[speedKey(text)] == 0 {
				s.byText[speedKey(text)] = speed.ID
			}
		}
	}
	delete(s.byText, "") // from empty slugs; cells of punctuation have this key, too
	return s
}

// SpeedID returns the internet speed that a text means, read like a cell of a file: its id, its name
// in the list, or megabits per second with their unit. The error is a *[Problem].
func SpeedID(list []api.InternetSpeed, s string) (api.Int, error) {
	value, _ := clean(s)
	found := newSpeeds(list).find(value, columns.ReadID)
	if err := found.fault.problem(api.FieldInternetSpeedID, s); err != nil {
		return 0, err
	}
	return found.ids[0], nil
}

// speedKey makes texts of speeds comparable. If there are digits, only case is ignored, because
// 1.0 is not 10.
func speedKey(s string) string {
	if strings.ContainsFunc(s, unicode.IsDigit) {
		return strings.ToLower(trim(s))
	}
	return names.Fold(s)
}

// read finds the speed of a cell that is not empty. The meaning of a bare number depends on the
// name of its column.
func (s *speeds) read(cell string, how columns.Reading) meaning {
	return s.cells.of(cell, func(cell string) meaning { return s.find(cell, how) })
}

// mapped returns what a value mapping means.
func (s *speeds) mapped(text string) meaning {
	m := s.find(text, columns.ReadEither)
	if m.fault.code == CodeAmbiguousSpeed { // an id as `ativa subscribers speeds` lists them
		m = s.find(text, columns.ReadID)
	}
	return m
}

func (s *speeds) find(cell string, how columns.Reading) meaning {
	if m := s.values.of(cell); m != nil {
		return m.meaning
	}
	unknown := meaning{fault: valueFault(api.CodeUnknownInternetSpeed, api.FieldInternetSpeedID, cell, nil)}
	text := cell
	if digits, ok := decimalTail(text); ok {
		text = digits
	}
	if n, err := strconv.Atoi(text); err == nil {
		byID, isID := s.byID[n]
		id, isMbps := s.byMbps[n]
		switch {
		case isID && how == columns.ReadID:
			return meaning{ids: []api.Int{byID.ID}}
		case isID && how == columns.ReadEither && (!isMbps || id != byID.ID):
			return meaning{fault: valueFault(CodeAmbiguousSpeed, api.FieldInternetSpeedID, cell, map[string]string{"number": text, "other": byID.Speed})}
		case isMbps && how != columns.ReadID:
			return meaning{ids: []api.Int{id}}
		}
		return unknown
	}
	if id, ok := s.byText[speedKey(text)]; ok {
		return meaning{ids: []api.Int{id}}
	}
	if n, ok := mbps(text); ok && s.byMbps[n] != 0 {
		return meaning{ids: []api.Int{s.byMbps[n]}}
	}
	return unknown
}

// mbps returns the megabits per second of a speed in words, such as `100 Mega`, `Fibra 500MB` or
// `1,5 Giga`. It must contain exactly one number, followed by a unit.
func mbps(s string) (int, bool) {
	start := strings.IndexFunc(s, unicode.IsDigit)
	if start < 0 {
		return 0, false
	}
	rest := strings.TrimLeft(s[start:], "0123456789.,")
	digits := s[start : len(s)-len(rest)]
	if strings.IndexFunc(rest, unicode.IsDigit) >= 0 {
		return 0, false
	}
	words := names.FoldEachWord(rest)
	if len(words) == 0 {
		return 0, false
	}
	var factor float64
	switch words[0] {
	case "m", "mb", "mbit", "mbits", "mbps", "mega", "megas", "megabit", "megabits":
		factor = 1
	case "g", "gb", "gbit", "gbits", "gbps", "giga", "gigas", "gigabit", "gigabits":
		factor = 1000
	default:
		return 0, false
	}
	digits = strings.ReplaceAll(strings.TrimRight(digits, ".,"), ",", ".")
	if whole, fraction, ok := strings.Cut(digits, "."); ok && len(fraction) == 3 && whole != "0" {
		digits = whole + fraction // 1.000 Mega: a thousands separator
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || n*factor != float64(int(n*factor)) {
		return 0, false
	}
	return int(n * factor), true
}

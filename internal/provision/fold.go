package provision

import (
	"strings"
	"unicode"
)

// Fold lowers the case and strips the accents of Latin letters, so that
// "JOÃO" and "joao" compare equal, however Unicode composes them.
func Fold(s string) string {
	ascii := true
	for i := range len(s) {
		if c := s[i]; c >= 0x80 || 'A' <= c && c <= 'Z' {
			ascii = false
			break
		}
	}
	if ascii {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		r = unicode.ToLower(r)
		switch {
		case r < 0x80:
			b.WriteByte(byte(r))
		case unicode.In(r, unicode.Mn, unicode.Cf): // a combining accent; what is not seen
		default:
			b.WriteString(foldRune(r))
		}
	}
	return b.String()
}

// foldRune is the letter without what is above, below and across it. Those of
// Latin that Unicode composes are all here; a test compares.
func foldRune(r rune) string {
	switch r {
	case 'ª', 'à', 'á', 'â', 'ã', 'ä', 'å', 'ā', 'ă', 'ą', 'ǎ', 'ǟ', 'ǡ', 'ǻ', 'ȁ', 'ȃ', 'ȧ', 'ḁ',
		'ạ', 'ả', 'ấ', 'ầ', 'ẩ', 'ẫ', 'ậ', 'ắ', 'ằ', 'ẳ', 'ẵ', 'ặ':
		return "a"
	case 'ƀ', 'ḃ', 'ḅ', 'ḇ':
		return "b"
	case 'ç', 'ć', 'ĉ', 'ċ', 'č', 'ḉ':
		return "c"
	case 'ď', 'đ', 'ḋ', 'ḍ', 'ḏ', 'ḑ', 'ḓ':
		return "d"
	case 'è', 'é', 'ê', 'ë', 'ē', 'ĕ', 'ė', 'ę', 'ě', 'ȅ', 'ȇ', 'ȩ', 'ḕ', 'ḗ', 'ḙ', 'ḛ', 'ḝ', 'ẹ',
		'ẻ', 'ẽ', 'ế', 'ề', 'ể', 'ễ', 'ệ':
		return "e"
	case 'ḟ':
		return "f"
	case 'ĝ', 'ğ', 'ġ', 'ģ', 'ǥ', 'ǧ', 'ǵ', 'ḡ':
		return "g"
	case 'ĥ', 'ħ', 'ȟ', 'ḣ', 'ḥ', 'ḧ', 'ḩ', 'ḫ', 'ẖ':
		return "h"
	case 'ì', 'í', 'î', 'ï', 'ĩ', 'ī', 'ĭ', 'į', 'ı', 'ǐ', 'ȉ', 'ȋ', 'ḭ', 'ḯ', 'ỉ', 'ị':
		return "i"
	case 'ĵ', 'ǰ':
		return "j"
	case 'ķ', 'ǩ', 'ḱ', 'ḳ', 'ḵ':
		return "k"
	case 'ĺ', 'ļ', 'ľ', 'ł', 'ḷ', 'ḹ', 'ḻ', 'ḽ':
		return "l"
	case 'ḿ', 'ṁ', 'ṃ':
		return "m"
	case 'ñ', 'ń', 'ņ', 'ň', 'ǹ', 'ṅ', 'ṇ', 'ṉ', 'ṋ':
		return "n"
	case 'º', 'ò', 'ó', 'ô', 'õ', 'ö', 'ø', 'ō', 'ŏ', 'ő', 'ơ', 'ǒ', 'ǫ', 'ǭ', 'ǿ', 'ȍ', 'ȏ', 'ȫ',
		'ȭ', 'ȯ', 'ȱ', 'ṍ', 'ṏ', 'ṑ', 'ṓ', 'ọ', 'ỏ', 'ố', 'ồ', 'ổ', 'ỗ', 'ộ', 'ớ', 'ờ', 'ở', 'ỡ',
		'ợ':
		return "o"
	case 'ṕ', 'ṗ':
		return "p"
	case 'ŕ', 'ŗ', 'ř', 'ȑ', 'ȓ', 'ṙ', 'ṛ', 'ṝ', 'ṟ':
		return "r"
	case 'ś', 'ŝ', 'ş', 'š', 'ș', 'ṡ', 'ṣ', 'ṥ', 'ṧ', 'ṩ':
		return "s"
	case 'ţ', 'ť', 'ŧ', 'ț', 'ṫ', 'ṭ', 'ṯ', 'ṱ', 'ẗ':
		return "t"
	case 'ù', 'ú', 'û', 'ü', 'ũ', 'ū', 'ŭ', 'ů', 'ű', 'ų', 'ư', 'ǔ', 'ǖ', 'ǘ', 'ǚ', 'ǜ', 'ȕ', 'ȗ',
		'ṳ', 'ṵ', 'ṷ', 'ṹ', 'ṻ', 'ụ', 'ủ', 'ứ', 'ừ', 'ử', 'ữ', 'ự':
		return "u"
	case 'ṽ', 'ṿ':
		return "v"
	case 'ŵ', 'ẁ', 'ẃ', 'ẅ', 'ẇ', 'ẉ', 'ẘ':
		return "w"
	case 'ẋ', 'ẍ':
		return "x"
	case 'ý', 'ÿ', 'ŷ', 'ȳ', 'ẏ', 'ẙ', 'ỳ', 'ỵ', 'ỷ', 'ỹ':
		return "y"
	case 'ź', 'ż', 'ž', 'ƶ', 'ẑ', 'ẓ', 'ẕ':
		return "z"
	case 'ß':
		return "ss"
	case 'æ', 'ǣ', 'ǽ':
		return "ae"
	case 'œ':
		return "oe"
	}
	return string(r)
}

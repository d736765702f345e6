package provision

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
)

// Logo is an image in the encoding that newLogo gave it, so that nothing of the
// file it came from is left but its pixels.
type Logo []byte

// The limits of a logo. It stands in every e-mail.
const (
	maxLogoBytes = 100_000
	maxLogoSide  = 1200 // pixels
)

// newLogo decodes a PNG or JPEG image and encodes it anew. No bytes are no logo.
func newLogo(file []byte) (Logo, error) {
	switch {
	case len(file) == 0:
		return nil, nil
	case len(file) > maxLogoBytes:
		return nil, invalid("logo", "at most 100 kB: save it with fewer pixels")
	}
	decodeConfig, decode, encode := png.DecodeConfig, png.Decode, encodePNG
	if Logo(file).MediaType() == mediaJPEG {
		decodeConfig, decode, encode = jpeg.DecodeConfig, jpeg.Decode, encodeJPEG
	}
	size, err := decodeConfig(bytes.NewReader(file)) // before any pixel is decoded
	if err != nil {
		return nil, invalid("logo", "a PNG or JPEG image")
	}
	if size.Width > maxLogoSide || size.Height > maxLogoSide {
		return nil, invalid("logo", "at most 1,200 pixels wide and high: save it smaller")
	}
	pixels, err := decode(bytes.NewReader(file))
	if err != nil {
		return nil, invalid("logo", "a whole PNG or JPEG image: this one is damaged")
	}
	var b bytes.Buffer
	if err := encode(&b, pixels); err != nil {
		return nil, fmt.Errorf("encoding the logo: %w", err)
	}
	if b.Len() > 2*maxLogoBytes {
		return nil, invalid("logo", "too many details to be sent in every e-mail: save it with fewer pixels")
	}
	return b.Bytes(), nil
}

func encodePNG(b *bytes.Buffer, pixels image.Image) error {
	return (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(b, pixels)
}

func encodeJPEG(b *bytes.Buffer, pixels image.Image) error {
	return jpeg.Encode(b, pixels, &jpeg.Options{Quality: 90})
}

const (
	mediaPNG  = "image/png"
	mediaJPEG = "image/jpeg"
)

// MediaType is image/png or image/jpeg.
func (l Logo) MediaType() string {
	if bytes.HasPrefix(l, []byte("\xff\xd8")) {
		return mediaJPEG
	}
	return mediaPNG
}

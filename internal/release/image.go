package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"io"
	"os"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// user is the id of the account nonroot of distroless images.
const user = 65532

// writeImage writes an image in the format of `docker save`, which docker, podman, nerdctl, skopeo
// and crane read. docs/compose/Containerfile builds the same image.
func writeImage(w io.Writer, o options) error {
	program, err := os.ReadFile(o.binary)
	if err != nil {
		return err
	}
	license, err := os.ReadFile(o.license)
	if err != nil {
		return err
	}
	img, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{
		OS: "linux", Architecture: o.arch, Created: v1.Time{Time: o.created}, Config: imageConfig(o), RootFS: v1.RootFS{Type: "layers"},
	})
	if err != nil {
		return err
	}
	for _, l := range []struct {
		about string
		files []tar.Header
		data  [][]byte
	}{
		{"certificates, licence, a place for the database", []tar.Header{
			{Name: "etc/ssl/certs/ca-certificates.crt", Mode: 0o644},
			{Name: "usr/share/doc/ativa/copyright", Mode: 0o644},
			{Name: "data/", Typeflag: tar.TypeDir, Mode: 0o700, Uid: user, Gid: user},
		}, [][]byte{rootCertificates(), license, nil}},
		{"ativa " + o.version, []tar.Header{{Name: "usr/bin/ativa", Mode: 0o755}}, [][]byte{program}},
	} {
		content, err := archive(o.created, l.files, l.data)
		if err != nil {
			return err
		}
		layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil })
		if err != nil {
			return err
		}
		img, err = mutate.Append(img, mutate.Addendum{Layer: layer, History: v1.History{Created: v1.Time{Time: o.created}, CreatedBy: l.about}})
		if err != nil {
			return err
		}
	}
	tag, err := name.NewTag(o.name + ":" + o.version)
	if err != nil {
		return err
	}
	return tarball.Write(tag, img, w)
}

// imageConfig returns the settings of the image: not as root, writing only to /data.
func imageConfig(o options) v1.Config {
	return v1.Config{
		User: "65532:65532",
		Env: []string{"PATH=/usr/bin", "TMPDIR=/data", // the image has no /tmp
			"ATIVA_DB=sqlite:/data/ativa.db", "ATIVA_LISTEN=0.0.0.0:8080", "ATIVA_LOG_FORMAT=json"},
		Entrypoint:   []string{"/usr/bin/ativa"},
		Cmd:          []string{"serve"},
		Volumes:      map[string]struct{}{"/data": {}},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}},
		Healthcheck: &v1.HealthConfig{Test: []string{"CMD", "/usr/bin/ativa", "serve", "--check-ready"},
			Interval: 30 * time.Second, Timeout: 10 * time.Second, StartPeriod: 60 * time.Second},
		Labels: map[string]string{
			"org.opencontainers.image.title":    "ativa",
			"org.opencontainers.image.version":  o.version,
			"org.opencontainers.image.revision": o.revision,
			"org.opencontainers.image.created":  o.created.UTC().Format(time.RFC3339),
			"org.opencontainers.image.licenses": "MIT",
			"org.opencontainers.image.url":      o.homepage,
		},
	}
}

// rootCertificates returns the authorities that Mozilla trusts, as a PEM file. It omits those
// distrusted from a certain date on, because the file cannot express that.
func rootCertificates() (all []byte) {
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			all = append(all, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})...)
		}
	}
	return all
}

// archive returns a tar file with the headers, which it completes, and their contents.
func archive(modified time.Time, headers []tar.Header, contents [][]byte) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i, h := range headers {
		h.Size, h.ModTime = int64(len(contents[i])), modified
		if err := w.WriteHeader(&h); err != nil {
			return nil, err
		}
		if _, err := w.Write(contents[i]); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), w.Close()
}

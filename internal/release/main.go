// Command release makes what goreleaser does not: the container image of a program, and the list of
// its modules. goreleaser calls it for each program that it builds (.goreleaser.yaml); it is not
// part of ativa. It decides what an image contains, and refuses to know where the image
// goes.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

// options are the flags of both verbs.
type options struct {
	binary   string    // the program
	version  string    // of the release, without a v
	revision string    // the commit
	created  time.Time // of the commit, so that the same commit produces the same bytes
	out      string    // the file to write
	arch     string    // image: amd64 or arm64
	license  string    // image: the file LICENSE
	name     string    // image: its name in a registry, without a tag
	homepage string    // image: a URL
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	verbs := map[string]func(io.Writer, options) error{"image": writeImage, "sbom": writeSBOM}
	if len(args) == 0 || verbs[args[0]] == nil {
		return fmt.Errorf("the first argument is image or sbom")
	}
	var o options
	f := flag.NewFlagSet(args[0], flag.ContinueOnError)
	f.StringVar(&o.binary, "binary", "", "the built program")
	f.StringVar(&o.version, "version", "", "version of the release")
	f.StringVar(&o.revision, "revision", "", "the commit")
	f.TextVar(&o.created, "created", time.Time{}, "time of the commit")
	f.StringVar(&o.out, "out", "", "the file to write")
	f.StringVar(&o.arch, "arch", "", "architecture of the image")
	f.StringVar(&o.license, "license", "LICENSE", "licence that the image holds")
	f.StringVar(&o.name, "name", "", "name of the image in a registry")
	f.StringVar(&o.homepage, "homepage", "", "page of the project")
	if err := f.Parse(args[1:]); err != nil {
		return err
	}
	file, err := os.Create(o.out)
	if err != nil {
		return err
	}
	if err := verbs[args[0]](file, o); err != nil {
		_ = file.Close()
		_ = os.Remove(o.out)
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return file.Close()
}

package settings

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"ativa/internal/failure"
	"ativa/internal/lang"
	"ativa/internal/system"
)

// lockWait is how long an edit waits for other edits of the file.
const lockWait = 10 * time.Second

// Edit changes the file. It takes a lock and reads the file again first, so that concurrent
// commands keep each other's changes. A lock time-out has the code locked.
func (f *File) Edit(change func() error) error {
	if f.NoPath != nil {
		return f.NoPath
	}
	path := linkTarget(f.Path)
	unlock, err := system.LockFile(context.Background(), path, lockWait)
	if errors.Is(err, context.DeadlineExceeded) {
		return inFile(f.Path, &failure.Failure{Exit: failure.ExitUnavailable, Code: "locked", Message: lang.Msg("another command is changing it"), Hint: lang.Msg("try again later")})
	}
	if err != nil {
		return notWritten(f.Path, err)
	}
	defer unlock()
	if err := f.read(); err != nil {
		return err
	}
	if err := change(); err != nil {
		return err
	}
	return f.write(path)
}

// linkTarget returns the file to which a link leads, even if that does not exist yet, else path.
func linkTarget(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	for range 40 { // a circle ends, too
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return path
}

// Set sets a key of the file, or removes it if the text is empty. The context of a key must
// exist, and so must a new default context.
func (f *File) Set(name, in, text string) error {
	k, err := Named(f.Keys, name)
	if err != nil {
		return err
	}
	return f.Edit(func() error {
		m := f.root
		switch {
		case k.InContext:
			if m = f.contextNode(in); m == nil {
				_, err := f.ContextNamed(in)
				return err
			}
		case k.Name == "context" && text != "":
			if _, err := f.ContextNamed(text); err != nil {
				return err
			}
		}
		switch {
		case text == "":
			unsetField(m, k.Name)
		case k.isBool():
			setField(m, k.Name, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: text})
		case k.Map:
			var v yaml.Node
			if err := v.Encode(Entries(text)); err != nil {
				return err
			}
			setField(m, k.Name, &v)
		default:
			setField(m, k.Name, textNode(text))
		}
		return nil
	})
}

// Put adds a context or replaces the one with its name, and makes it the default if use is true.
// It must be called within [File.Edit].
func (f *File) Put(c Context, use bool) error {
	var values yaml.Node
	if err := values.Encode(c); err != nil {
		return err
	}
	m := f.contextNode(c.Name)
	if m == nil {
		m = &yaml.Node{Kind: yaml.MappingNode}
		list := field(f.root, "contexts")
		if list == nil {
			list = &yaml.Node{}
			setField(f.root, "contexts", list)
		}
		list.Kind, list.Tag, list.Value, list.Style = yaml.SequenceNode, "", "", 0
		list.Content = append(list.Content, m)
	}
	for _, k := range f.keysOf(true) {
		if field(&values, k.Name) == nil {
			unsetField(m, k.Name)
		}
	}
	for i := 0; i+1 < len(values.Content); i += 2 {
		setField(m, values.Content[i].Value, values.Content[i+1])
	}
	if use {
		setField(f.root, "context", textNode(c.Name))
	}
	return nil
}

// Remove removes a context.
func (f *File) Remove(name string) error {
	return f.Edit(func() error {
		if _, err := f.ContextNamed(name); err != nil {
			return err
		}
		m, list := f.contextNode(name), field(f.root, "contexts")
		list.Content = slices.DeleteFunc(list.Content, func(c *yaml.Node) bool { return c == m })
		if f.Context == name {
			unsetField(f.root, "context")
		}
		return nil
	})
}

// contextNode returns the mapping of a context, nil if there is none.
func (f *File) contextNode(name string) *yaml.Node {
	list := field(f.root, "contexts")
	if list == nil {
		return nil
	}
	for _, c := range list.Content {
		if scalar(c, "name") == name {
			return c
		}
	}
	return nil
}

// write replaces the file at path atomically. path is the settings file or, for a link, its
// target.
func (f *File) write(path string) error {
	text, err := f.encode()
	if err != nil {
		return err
	}
	after := File{Options: f.Options}
	if err := after.parse(text); err != nil { // never write an invalid file
		return err
	}
	if err := system.WritePrivate(path, text); err != nil {
		return notWritten(f.Path, err)
	}
	*f = after
	return nil
}

func (f *File) encode() ([]byte, error) {
	var b bytes.Buffer
	if len(f.root.Content) > 0 && onlyComments(f.text) {
		b.Write(append(bytes.TrimRight(f.text, "\r\n"), '\n'))
	}
	if len(f.root.Content) == 0 && f.root.HeadComment == "" {
		return b.Bytes(), nil
	}
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(f.root); err != nil {
		return nil, err
	}
	return b.Bytes(), encoder.Close()
}

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"ativa/internal/credentials"
)

// checkFile refuses what the configuration file must not hold: unknown keys,
// values of a wrong kind, contexts without or with the same name.
func checkFile(root *yaml.Node) error {
	if root.Kind != yaml.MappingNode {
		return &fileError{root.Line, Msg("the file must hold keys and values"), Message{}}
	}
	var own, inContext []string
	for _, k := range Keys() {
		if k.InContext {
			inContext = append(inContext, k.Name)
		} else {
			own = append(own, k.Name)
		}
	}
	if err := checkKeys(root, append(own, "contexts")); err != nil {
		return err
	}
	list := field(root, "contexts")
	if list == nil || list.Tag == "!!null" {
		return nil
	}
	if list.Kind != yaml.SequenceNode {
		return &fileError{list.Line, Msg("contexts must be a list"), Message{}}
	}
	seen := map[string]bool{}
	for _, c := range list.Content {
		if c.Kind != yaml.MappingNode {
			return &fileError{c.Line, Msg("a context must have a name and a server"), Message{}}
		}
		if err := checkKeys(c, append([]string{"name"}, inContext...)); err != nil {
			return err
		}
		name := scalar(c, "name")
		switch {
		case name == "":
			return &fileError{c.Line, Msg("a context has no name"), Message{}}
		case seen[name]:
			return &fileError{c.Line, Msg("a second context is called %q", name), Message{}}
		}
		seen[name] = true
	}
	return nil
}

// checkKeys checks the keys of a mapping, and the values of those that take one.
func checkKeys(m *yaml.Node, known []string) error {
	for i := 0; i+1 < len(m.Content); i += 2 {
		name, v := m.Content[i], m.Content[i+1]
		if !slices.Contains(known, name.Value) {
			return &fileError{name.Line, Msg("unknown key %q", name.Value), DidYouMean(name.Value, known)}
		}
		if name.Value == "contexts" {
			continue
		}
		if v.Kind != yaml.ScalarNode {
			return &fileError{v.Line, Msg("%s must be a single value", name.Value), Message{}}
		}
		if k, err := FindKey(name.Value); err == nil && v.Tag != "!!null" {
			if why := k.Wrong(v.Value); !why.IsEmpty() {
				return &fileError{v.Line, Msg("%s %s", name.Value, why), Message{}}
			}
		}
	}
	return nil
}

// field is the value of a key in a mapping, nil if it is not there.
func field(m *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == name {
			return m.Content[i+1]
		}
	}
	return nil
}

func scalar(m *yaml.Node, name string) string {
	if v := field(m, name); v != nil && v.Tag != "!!null" {
		return v.Value
	}
	return ""
}

// setField sets a key of a mapping; what else stands on its line stays.
func setField(m *yaml.Node, name, text string) {
	v := field(m, name)
	if v == nil {
		v = &yaml.Node{}
		m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name}, v)
	}
	comment := v.LineComment
	if k, err := FindKey(name); err == nil && k.isBool() {
		*v = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: text}
	} else {
		v.SetString(text)
	}
	v.LineComment = comment
}

func unsetField(m *yaml.Node, name string) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == name {
			m.Content = slices.Delete(m.Content, i, i+2)
			return
		}
	}
}

// contextNode is the mapping of a context, nil if there is none of that name.
func (s *Config) contextNode(name string) *yaml.Node {
	list := field(s.root, "contexts")
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

// lockWait is how long a command waits for others that change the file.
const lockWait = 10 * time.Second

// Edit changes the file. It holds a lock meanwhile and reads the file again
// first, so that commands at the same time lose nothing of each other.
func (s *Config) Edit(change func() error) error {
	if s.homeless != nil {
		return s.homeless
	}
	path := s.Path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	unlock, err := credentials.LockFile(context.Background(), path, lockWait)
	if errors.Is(err, context.DeadlineExceeded) {
		return &Failure{Exit: ExitUnavailable, Code: "locked", Message: Msg("configuration file %s: another command is changing it", s.Path), Hint: Msg("try again later")}
	}
	if err != nil {
		return fmt.Errorf("configuration file %s: %w", s.Path, err)
	}
	defer unlock()
	if err := s.read(); err != nil {
		return err
	}
	if err := change(); err != nil {
		return err
	}
	return s.write(path)
}

// Set sets a key of the file, or with "" takes it out. The context of a key
// that belongs to one must exist, and so must one that becomes the default.
func (s *Config) Set(k Key, in, text string) error {
	return s.Edit(func() error {
		m := s.root
		switch {
		case k.InContext:
			if m = s.contextNode(in); m == nil {
				_, err := s.ContextNamed(in)
				return err
			}
		case k.Name == "context" && text != "":
			if _, err := s.ContextNamed(text); err != nil {
				return err
			}
		}
		if text == "" {
			unsetField(m, k.Name)
		} else {
			setField(m, k.Name, text)
		}
		return nil
	})
}

// Put adds a context or replaces the one of its name, and makes it the default
// if use. It is called while the file is edited.
func (s *Config) Put(c Context, use bool) {
	m := s.contextNode(c.Name)
	if m == nil {
		m = &yaml.Node{Kind: yaml.MappingNode}
		setField(m, "name", c.Name)
		list := field(s.root, "contexts")
		if list == nil {
			list = &yaml.Node{}
			s.root.Content = append(s.root.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: "contexts"}, list)
		}
		list.Kind, list.Tag, list.Value, list.Style = yaml.SequenceNode, "", "", 0
		list.Content = append(list.Content, m)
	}
	for _, k := range Keys() {
		switch text := c.value(k.Name); {
		case !k.InContext:
		case text == "":
			unsetField(m, k.Name)
		default:
			setField(m, k.Name, text)
		}
	}
	if use {
		setField(s.root, "context", c.Name)
	}
}

// Remove takes a context out.
func (s *Config) Remove(name string) error {
	return s.Edit(func() error {
		if _, err := s.ContextNamed(name); err != nil {
			return err
		}
		m := s.contextNode(name)
		list := field(s.root, "contexts")
		list.Content = slices.DeleteFunc(list.Content, func(c *yaml.Node) bool { return c == m })
		if s.Context == name {
			unsetField(s.root, "context")
		}
		return nil
	})
}

// write replaces the file at path at once, readable by its owner only: the
// file of the settings, or what it points to where it is a link.
func (s *Config) write(path string) error {
	text, err := s.encode()
	if err != nil {
		return err
	}
	if err := credentials.WritePrivateFile(path, text); err != nil {
		return fmt.Errorf("configuration file %s: %w", s.Path, err)
	}
	return s.parse(text)
}

func (s *Config) encode() ([]byte, error) {
	var b bytes.Buffer
	if len(s.root.Content) > 0 && onlyComments(s.text) {
		b.Write(s.text)
	}
	if len(s.root.Content) == 0 && s.root.HeadComment == "" {
		return b.Bytes(), nil
	}
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(s.root); err != nil {
		return nil, err
	}
	return b.Bytes(), encoder.Close()
}

// onlyComments tells of a text without any key: YAML has no place for its
// comments, so they are written again as they are.
func onlyComments(text []byte) bool {
	var doc yaml.Node
	return len(text) > 0 && yaml.Unmarshal(text, &doc) == nil && doc.Kind == 0
}

// IsPrivate tells whether only its owner can read and write a file.
func IsPrivate(info os.FileInfo) bool { return info.Mode().Perm()&0o077 == 0 }

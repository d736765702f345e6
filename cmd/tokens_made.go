package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/system"
)

// madeTokens is what `tokens create --file` has made so far, in a file beside its output: a line of
// JSON with the name before a token is asked for, and one with the token and its secret once it is
// made. Each line is on disk before the next request is sent. Whatever ends the command, no secret
// that arrived is lost, and the same command goes on with the rest.
type madeTokens struct {
	path   string
	server string
	rows   []cli.SecretRow[tokenItem]
	asked  string   // the token whose secret has not arrived; empty for none
	file   *os.File // nil before the first line is written
	size   int64    // of whole lines
}

// madeLine is a line of the file; only one of its parts is set.
type madeLine struct {
	Server      string          `json:"server,omitempty"` // of the first line
	Asked       string          `json:"asked,omitempty"`
	Refused     bool            `json:"refused,omitempty"` // what was asked for was not made
	Token       json.RawMessage `json:"token,omitempty"`
	AccessToken string          `json:"access_token,omitempty"`
}

// readMadeTokens reads what an interrupted command left, nothing if there is no file.
func readMadeTokens(path, server string) (*madeTokens, error) {
	m := &madeTokens{path: path, server: server}
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	invalid := func(why cli.Message) error {
		return &cli.Failure{Exit: cli.ExitInvalidInput, Code: "other_run", Message: cli.Msg("%s: %s; nothing was made", path, why),
			Hint: cli.Msg("it may hold secrets: keep it, and name another file with --output-file")}
	}
	for len(content) > 0 {
		text, rest, whole := bytes.Cut(content, []byte("\n"))
		if !whole { // the write was cut short
			break
		}
		var l madeLine
		var t api.Token
		if json.Unmarshal(text, &l) != nil || l.Token != nil && json.Unmarshal(l.Token, &t) != nil || (m.size == 0) != (l.Server != "") {
			return nil, invalid(cli.Msg("it is not what `ativa tokens create --file` left"))
		}
		switch {
		case l.Server != "" && l.Server != server:
			return nil, invalid(cli.Msg("it is of the server %s, not of %s", l.Server, server))
		case l.Token != nil:
			m.rows, m.asked = append(m.rows, cli.SecretRow[tokenItem]{Row: tokenItem{Raw: l.Token, Value: t}, Secret: l.AccessToken}), ""
		default:
			m.asked = l.Asked
		}
		m.size += int64(len(text)) + 1
		content = rest
	}
	return m, nil
}

// isNew reports whether nothing was asked for yet.
func (m *madeTokens) isNew() bool { return m.size == 0 }

// has reports whether the token with the name is made.
func (m *madeTokens) has(name string) bool {
	for _, r := range m.rows {
		if r.Row.Value.Name == name {
			return true
		}
	}
	return false
}

// ask notes that the token with the name is asked for.
func (m *madeTokens) ask(name string) error {
	m.asked = name
	return m.write(madeLine{Asked: name})
}

// refuse notes that the token that was asked for was not made.
func (m *madeTokens) refuse() error {
	m.asked = ""
	return m.write(madeLine{Refused: true})
}

// add notes that the token that was asked for is made.
func (m *madeTokens) add(t tokenItem, secret string) error {
	m.rows, m.asked = append(m.rows, cli.SecretRow[tokenItem]{Row: t, Secret: secret}), ""
	return m.write(madeLine{Token: t.Raw, AccessToken: secret})
}

// write returns when the line is on disk.
func (m *madeTokens) write(l madeLine) error {
	lines := append(cli.ToJSON(l), '\n')
	if m.file == nil {
		if err := m.open(); err != nil {
			return err
		}
		if m.size == 0 {
			lines = append(append(cli.ToJSON(madeLine{Server: m.server}), '\n'), lines...)
		}
	}
	if _, err := m.file.WriteAt(lines, m.size); err != nil {
		return err
	}
	m.size += int64(len(lines))
	return m.file.Sync()
}

// open opens the file after its last whole line; without one it creates it.
func (m *madeTokens) open() (err error) {
	if m.size > 0 {
		if m.file, err = system.OpenPrivate(m.path, os.O_WRONLY); err != nil {
			return err
		}
		return m.file.Truncate(m.size)
	}
	if m.file, err = createFile(m.path); err != nil {
		return err
	}
	return system.SyncDir(filepath.Dir(m.path))
}

// finish writes text, which holds all secrets, into the file at path, and then removes this one.
func (m *madeTokens) finish(path string, text []byte) error {
	f, err := createFile(path)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return errors.Join(system.SyncDir(filepath.Dir(path)), m.remove())
}

// remove removes the file.
func (m *madeTokens) remove() error {
	err := m.close()
	if failed := os.Remove(m.path); !errors.Is(failed, fs.ErrNotExist) {
		err = errors.Join(err, failed)
	}
	return err
}

func (m *madeTokens) close() error {
	if m.file == nil {
		return nil
	}
	f := m.file
	m.file = nil
	return f.Close()
}

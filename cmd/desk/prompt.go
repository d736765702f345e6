package desk

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"ativa/internal/cli"
	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/support"
)

// promptKind is the kind of answer that a prompt expects.
type promptKind int

const (
	promptMenu    promptKind = iota // an action
	promptChoice                    // a product
	promptConfirm                   // Enter
	promptWord                      // the word for a cancellation
	promptName                      // the name of the protected context
	promptMessage                   // none: it shows a text
	promptForm                      // the fields of a subscriber
)

// prompt is a question at the bottom of the screen.
type prompt struct {
	kind      promptKind
	title     cli.Message // describes the step to confirm
	entries   []entry     // choices
	chosen    int         // of the entries, or the first line of the text
	text      string      // text to show
	form      *form
	confirmed func() tea.Cmd // runs after the confirmation
	step      *support.Step  // to confirm; nil for none
	typed     input          // a word or name
	// quiet counts the keys since the prompt was shown. Enter counts only after quietTime without
	// a key: keys typed ahead confirm nothing.
	quiet int
	armed bool
	// renewed means that the entries changed while shown: then digits count like Enter.
	renewed bool
}

// quietTime is the time without a key after which Enter counts.
const quietTime = 300 * time.Millisecond

// armMsg means that no key was pressed for quietTime.
type armMsg struct {
	prompt *prompt
	quiet  int
}

// showPrompt shows a prompt.
func (m *model) showPrompt(p *prompt) tea.Cmd {
	m.prompt = p
	return p.arm()
}

// arm starts the wait for quietTime without a key.
func (p *prompt) arm() tea.Cmd {
	p.quiet++
	p.armed = false
	quiet := p.quiet
	return tea.Tick(quietTime, func(time.Time) tea.Msg { return armMsg{p, quiet} })
}

// isText reports whether the prompt is answered by typing a word.
func (p *prompt) isText() bool { return p.kind == promptWord || p.kind == promptName }

// answer handles a key while a prompt is shown. Esc declines; a letter starts the next search,
// unless the prompt takes text.
func (m *model) answer(k tea.KeyPressMsg) tea.Cmd {
	p, key := m.prompt, k.String()
	switch {
	case key == "esc":
		return m.decline()
	case p.kind == promptForm:
		return m.pressInForm(k)
	case !p.armed && (key == "enter" || p.isText() || p.renewed && unicode.IsDigit(k.Code)):
		return p.arm()
	case key == "enter":
		return m.accept()
	case p.kind == promptMessage && strings.TrimSpace(k.Text) == "":
		m.scrollMessage(key)
		return nil
	case p.isText():
		p.typed.press(k)
		return nil
	case p.kind == promptConfirm || p.kind == promptMessage:
		return m.typeSearch(k)
	}
	switch n, err := strconv.Atoi(k.Text); {
	case key == "up" || key == "shift+tab":
		p.chosen = max(0, p.chosen-1)
	case key == "down" || key == "tab":
		p.chosen = min(len(p.entries)-1, p.chosen+1)
	case err == nil && 1 <= n && n <= len(p.entries):
		p.chosen = n - 1
		return m.accept()
	default:
		return m.typeSearch(k)
	}
	return nil
}

// typeSearch starts a search with a character typed elsewhere.
func (m *model) typeSearch(k tea.KeyPressMsg) tea.Cmd {
	if strings.TrimSpace(k.Text) == "" {
		return nil
	}
	m.prompt, m.onCard, m.search.over = nil, false, false
	m.search.input.clear()
	m.search.input.press(k)
	return m.typed()
}

// accept accepts the choice or input.
func (m *model) accept() tea.Cmd {
	p := m.prompt
	typed := strings.TrimSpace(p.typed.text())
	switch {
	case len(p.entries) > 0:
		m.prompt = nil
		return p.entries[p.chosen].do()
	case p.kind == promptMessage:
		m.prompt = nil
		return nil
	case p.kind == promptName && typed != m.context, p.kind == promptWord && !strings.EqualFold(typed, m.cancelWord()):
		return m.decline()
	}
	m.prompt = nil
	return p.confirmed()
}

// cancelWord returns the word that confirms a cancellation.
func (m *model) cancelWord() string {
	if m.lang == lang.Portuguese {
		return "cancelar"
	}
	return "cancel"
}

// decline leaves the prompt: a choice goes back to its menu, the name that a form asks for to the
// form, others to the card.
func (m *model) decline() tea.Cmd {
	asked, form := m.prompt.kind, m.prompt.form
	m.prompt = nil
	switch {
	case asked == promptChoice && m.hasMenu():
		return m.openMenu()
	case asked == promptName && form != nil:
		form.problem = cli.Msg("not confirmed; nothing was sent")
		return m.showPrompt(&prompt{kind: promptForm, form: form})
	case asked != promptMenu && asked != promptMessage:
		m.setNotice(notice{message: cli.Msg("not confirmed; nothing was sent"), colour: render.Yellow})
	}
	return nil
}

// place is the cursor's position: its column, and its lines above the last.
type place struct{ column, up int }

// promptLines returns the lines of the prompt, at most most for a list, and its cursor, nil for
// none.
func (m *model) promptLines(most int) (lines []line, cursor *place) {
	p := m.prompt
	switch p.kind {
	case promptMessage:
		return m.messageLines(), nil
	case promptForm:
		return m.formLines()
	case promptConfirm:
		lines = wrapped(coloured(render.Bold, m.translate(cli.Msg("%s?", p.title))), 1, m.width-1)
		return append(lines, m.readyLine(cli.Msg("Enter yes   Esc no"))), nil
	case promptWord, promptName:
		lines = wrapped(coloured(render.Bold, m.translate(p.title)), 1, m.width-1)
		if !p.armed {
			return append(lines, m.readyLine(cli.Message{})), nil
		}
		question := cli.Msg("Context %s is protected. Type its name to continue:", m.context)
		answer := m.context
		if p.kind == promptWord {
			answer = m.cancelWord()
			question = cli.Msg("This cannot be undone. Type %s and Enter, or Esc:", answer)
		}
		lines = append(lines, wrapped(coloured(render.Red, m.translate(question)), 1, m.width-1)...)
		ask := slices.Concat(lines[len(lines)-1], line{spaces(1)})
		if room := m.width - ask.width() - 2; len(answer) <= room {
			lines = lines[:len(lines)-1]
		} else {
			ask = line{spaces(1)}
		}
		shown, at := p.typed.view(m.width - ask.width() - 1)
		return append(lines, append(ask, text(shown))), &place{column: ask.width() + at}
	}
	lines = []line{{spaces(1), coloured(render.Bold, m.translate(p.title))}}
	rows := max(1, most-2)
	first := max(0, min(p.chosen-rows/2, len(p.entries)-rows))
	for i := first; i < min(first+rows, len(p.entries)); i++ {
		digit := " " // only nine entries have one
		if i < 9 {
			digit = strconv.Itoa(i + 1)
		}
		lines = append(lines, m.selectable(i == p.chosen, line{coloured(render.Bold, digit), spaces(2), text(m.translate(p.entries[i].label))}))
	}
	return append(lines, m.readyLine(cli.Msg("digit, or ↑↓ and Enter   Esc leave"))), nil
}

// readyLine shows the keys that answer, once they count.
func (m *model) readyLine(hint cli.Message) line {
	if !m.prompt.armed {
		hint = cli.Msg("…")
	}
	return m.hintLine(hint)
}

package desk

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/cpf"
	"ativa/internal/lifecycle"
	"ativa/internal/render"
	"ativa/internal/sheet"
	"ativa/internal/support"
)

// form edits the data of a subscriber to correct or register.
type form struct {
	subscriber api.Subscriber // to correct; the zero value for a new one
	fields     []field
	at         int         // index of the field in focus
	problem    cli.Message // error of that field
}

// field is one line of a form. check returns the value in the API's format, or an error; an
// unchanged value is not checked.
type field struct {
	name   string // the API's name
	label  cli.Message
	before string // what typed returned at first
	input  input
	check  func(string) (string, error)
}

// newForm returns a form with the data of a subscriber, or an empty one to register somebody.
func newForm(s api.Subscriber) *form {
	f := &form{subscriber: s}
	add := func(name string, label cli.Message, value string, check func(string) (string, error)) {
		x := field{name: name, label: label, check: check}
		x.input.insert(value)
		x.before = x.typed()
		f.fields = append(f.fields, x)
	}
	add(api.FieldName, cli.Msg("name"), s.Name, checkName)
	if s.Document == "" {
		add(api.FieldDocument, cli.Msg("CPF"), "", cli.ParseDocument)
	}
	add(api.FieldEmail, cli.Msg("e-mail"), s.Email, sheet.Email)
	add(api.FieldPhone, cli.Msg("telephone"), cpf.FormatPhone(s.Phone), sheet.Phone)
	add(api.FieldCustomerPlan, cli.Msg("plan"), s.CustomerPlan, sheet.Plan)
	return f
}

func checkName(name string) (string, error) {
	if name == "" {
		return "", cli.Usage("the name is missing")
	}
	return sheet.Name(name)
}

// fill puts a search term into the matching field. A number that is no telephone number goes into
// the field of the CPF, which says what is wrong with it.
func (f *form) fill(term string) {
	name := api.FieldName
	_, notDocument := cli.ParseDocument(term)
	_, notPhone := sheet.Phone(term)
	switch {
	case strings.Contains(term, "@"):
		name = api.FieldEmail
	case notDocument != nil && notPhone == nil:
		name = api.FieldPhone
	case !strings.ContainsFunc(term, unicode.IsLetter):
		name = api.FieldDocument
	}
	for i := range f.fields {
		if f.fields[i].name == name {
			f.fields[i].input.insert(term)
		}
	}
}

// isNew reports whether the form registers somebody.
func (f *form) isNew() bool { return f.subscriber.Document == "" }

// typed returns the text with single spaces: a paste may have line breaks.
func (x *field) typed() string { return strings.Join(strings.Fields(x.input.text()), " ") }

// value validates a field and reports whether it was changed.
func (f *form) value(i int) (value string, changed bool, err error) {
	x := &f.fields[i]
	typed := x.typed()
	if typed == x.before && !f.isNew() {
		return typed, false, nil
	}
	value, err = x.check(typed)
	return value, true, err
}

// move moves to another field, unless the text of this one is refused.
func (f *form) move(by int) {
	f.problem = cli.Message{}
	if _, _, err := f.value(f.at); err != nil && f.fields[f.at].input.text() != "" {
		f.problem = cli.Msg("%s", err)
		return
	}
	f.at = max(0, min(f.at+by, len(f.fields)-1))
}

// values returns the changed values by field. If one is refused, the form shows why and ok
// is false.
func (f *form) values() (changed map[string]string, ok bool) {
	changed = map[string]string{}
	for i := range f.fields {
		value, isNew, err := f.value(i)
		if err != nil {
			f.at, f.problem = i, cli.Msg("%s", err)
			return nil, false
		}
		if isNew {
			changed[f.fields[i].name] = value
		}
	}
	return changed, true
}

// mayManage reports whether the person may register and correct subscribers.
func (m *model) mayManage(c *support.Catalog) bool {
	return !m.readOnly && c != nil && c.InScope(lifecycle.Resend)
}

func (m *model) correct() tea.Cmd {
	return m.showPrompt(&prompt{kind: promptForm, form: newForm(m.card.subscriber)})
}

func (m *model) register() tea.Cmd {
	m.search.over = true
	f := newForm(api.Subscriber{})
	f.fill(m.search.typedTerm())
	return m.showPrompt(&prompt{kind: promptForm, form: f})
}

// pressInForm handles a key of a form. Keys typed before it was shown are ignored.
func (m *model) pressInForm(k tea.KeyPressMsg) tea.Cmd {
	p, f := m.prompt, m.prompt.form
	switch key := k.String(); {
	case !p.armed:
		return p.arm()
	case key == "tab" || key == "down":
		f.move(+1)
	case key == "shift+tab" || key == "up":
		f.move(-1)
	case key == "ctrl+s" || key == "enter" && f.at == len(f.fields)-1:
		return m.save(f)
	case key == "enter":
		f.move(+1)
	default:
		f.problem = cli.Message{}
		f.fields[f.at].input.press(k)
	}
	return nil
}

// save sends the changes. In a protected context it first asks for the name.
func (m *model) save(f *form) tea.Cmd {
	values, ok := f.values()
	switch {
	case !ok:
		return nil
	case m.performing != nil:
		return m.wait()
	case len(values) == 0:
		m.prompt = nil
		m.setNotice(notice{message: cli.Msg("nothing was changed"), colour: render.Yellow})
		return nil
	case m.asksName:
		return m.showPrompt(&prompt{kind: promptName, title: f.title(), form: f, confirmed: func() tea.Cmd { return m.send(f, values) }})
	}
	m.prompt = nil
	return m.send(f, values)
}

// savedMsg is the outcome of a form.
type savedMsg struct {
	form   *form
	values map[string]string
	sentAt focus
	err    error
}

func (m *model) send(f *form, values map[string]string) tea.Cmd {
	sentAt := m.focus()
	c := change{f.title(), cmp.Or(values[api.FieldDocument], cpf.OnlyDigits(f.subscriber.Document))}
	return m.perform(c, func() tea.Msg { return savedMsg{f, values, sentAt, f.send(m.ctx, m.server, values)} })
}

func (f *form) send(ctx context.Context, s server, values map[string]string) error {
	if f.isNew() {
		return s.Register(ctx, api.SubscriberCreate{Name: values[api.FieldName], Document: values[api.FieldDocument], Email: values[api.FieldEmail],
			Phone: values[api.FieldPhone], CustomerPlan: values[api.FieldCustomerPlan], InternetSpeedID: api.Some(api.Int(api.DefaultInternetSpeed))})
	}
	var u api.SubscriberUpdate
	for name, to := range map[string]*api.Optional[string]{api.FieldName: &u.Name, api.FieldEmail: &u.Email, api.FieldPhone: &u.Phone, api.FieldCustomerPlan: &u.CustomerPlan} {
		if value, changed := values[name]; changed {
			*to = api.Some(value)
		}
	}
	return s.Update(ctx, cpf.OnlyDigits(f.subscriber.Document), u)
}

// saved reports the outcome of a form. A refused form opens again with its input, and the card of
// a new subscriber opens, unless the person has turned to something else.
func (m *model) saved(s savedMsg) tea.Cmd {
	m.performing = nil
	turnedAway := m.prompt != nil || m.focus() != s.sentAt
	if s.err != nil {
		failed := m.failChange(s.form.title(), s.err)
		if turnedAway || m.ctx.Err() != nil {
			return failed
		}
		s.form.problem = m.notice.message
		return tea.Batch(failed, m.showPrompt(&prompt{kind: promptForm, form: s.form}))
	}
	if s.form.isNew() {
		n := notice{message: cli.Msg("%s is registered", s.values[api.FieldName]), colour: render.Green}
		if turnedAway {
			m.setNotice(n)
			return m.reached()
		}
		n.hint = cli.Msg("Enter activates a product")
		m.setNotice(n)
		return tea.Batch(m.reached(), m.open(api.Subscriber{Name: s.values[api.FieldName], Document: s.values[api.FieldDocument], Email: s.values[api.FieldEmail]}))
	}
	n := notice{message: cli.Msg("the data of %s are corrected", s.form.subscriber.Name), colour: render.Green}
	activating := slices.ContainsFunc(s.form.subscriber.Services, func(x api.Service) bool { return lifecycle.Of(x.StatusID).WaitsFor == lifecycle.WaitsForSubscriber })
	if s.values[api.FieldEmail] != "" && activating {
		n.hint = cli.Msg("the activation e-mail went to the address before: send it again")
	}
	m.setNotice(n)
	return tea.Batch(m.reached(), m.refresh())
}

func (f *form) title() cli.Message {
	if f.isNew() {
		return cli.Msg("Register a subscriber")
	}
	return cli.Msg("Correct the data of %s", f.subscriber.Name)
}

// formLines returns the fields, the error of one, and the cursor's position.
func (m *model) formLines() (lines []line, cursor *place) {
	const labelWidth = 12
	f := m.prompt.form
	lines = []line{{spaces(1), coloured(render.Bold, m.translate(f.title()))}}
	for i := range f.fields {
		shown, at := f.fields[i].input.view(m.width - labelWidth - 1)
		label := line{spaces(2), coloured(render.Grey, m.translate(f.fields[i].label))}
		if i == f.at {
			label = line{text("›"), spaces(1), coloured(render.Bold, m.translate(f.fields[i].label))}
			cursor = &place{column: labelWidth + at, up: len(f.fields) - i}
		}
		lines = append(lines, label.pad(labelWidth).and(text(shown)))
	}
	if !f.problem.IsEmpty() {
		problem := wrapped(coloured(render.Red, m.translate(f.problem)), 1, m.width-1)
		problem = problem[:min(mostNotice, len(problem))]
		cursor.up += len(problem)
		lines = append(lines, problem...)
	}
	return append(lines, m.readyLine(cli.Msg("Tab next field   Ctrl-S or Enter on the last saves   Esc leaves"))), cursor
}

// Update changes fields of a subscriber.
func (s *service) Update(ctx context.Context, document string, u api.SubscriberUpdate) error {
	_, err := s.client.UpdateSubscriber(ctx, document, u, client.NewIdempotencyKey())
	return err
}

// Register adds a subscriber.
func (s *service) Register(ctx context.Context, n api.SubscriberCreate) error {
	_, err := s.client.CreateSubscriber(ctx, n, client.NewIdempotencyKey())
	return err
}

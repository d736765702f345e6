package desk

import (
	"context"
	"errors"
	"runtime/debug"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"ativa/internal/cli"
)

// screen runs a model on the terminal and restores the terminal, however that ends.
type screen struct {
	env     *cli.Env
	program *tea.Program
	crashed atomic.Bool
}

func (s *screen) run(ctx context.Context, m tea.Model, o ...tea.ProgramOption) error {
	s.program = tea.NewProgram(guarded{m, s}, append(o, tea.WithoutSignalHandler(), tea.WithEnvironment(environment(s.env)))...)
	defer context.AfterFunc(ctx, s.program.Quit)() // tea.WithContext would not wait for the end of reading
	defer handleSuspension(s.program)()
	_, err := s.program.Run()
	switch {
	case s.crashed.Load(), errors.Is(err, tea.ErrProgramPanic):
		return errors.New("the desk has crashed; what was confirmed before has been sent")
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return err
}

// guarded is a model whose panics end the program as a key does. The library would print the stack
// over the screen; here only --debug prints it.
type guarded struct {
	tea.Model
	screen *screen
}

// Init implements tea.Model.
func (g guarded) Init() tea.Cmd { return g.guard(g.Model.Init()) }

// Update implements tea.Model.
func (g guarded) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	func() {
		defer g.end()
		_, cmd = g.Model.Update(message)
	}()
	return g, g.guard(cmd)
}

// View implements tea.Model.
func (g guarded) View() tea.View {
	defer g.end()
	return g.Model.View()
}

// guard returns a command that recovers panics, in cmd and in all that it leads to.
func (g guarded) guard(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		defer g.end()
		message := cmd()
		if batch, ok := message.(tea.BatchMsg); ok {
			for i, c := range batch {
				batch[i] = g.guard(c)
			}
		}
		return message
	}
}

// end recovers a panic. It must be deferred.
func (g guarded) end() {
	if recover() == nil {
		return
	}
	g.screen.crashed.Store(true)
	if g.screen.env.Global.Debug {
		_, _ = g.screen.env.Err.Write(debug.Stack())
	}
	go g.screen.program.Quit() // the program may be waiting for this very call
}

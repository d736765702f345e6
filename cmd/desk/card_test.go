package desk

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ativa/internal/api"
)

func TestTheCPFIsShownByAKey(t *testing.T) {
	on(t, options{}, func(x *stage) {
		openAna(x)
		x.lacks("529.982.247-25")
		x.keys("d")
		x.wants("529.982.247-25")
		x.keys("d")
		x.lacks("529.982.247-25")
	})
}

func TestTheMessageForTheSubscriberIsPortuguese(t *testing.T) {
	on(t, options{}, func(x *stage) {
		openAna(x)
		x.keys("m")
		x.wants("sent to the clipboard")
		got := x.m.card.record.SubscriberMessage()
		for _, want := range []string{"Olá, Ana!", "Play Basic está ativo", "clique no link"} {
			if !strings.Contains(got, want) {
				t.Errorf("the message lacks %q: %s", want, got)
			}
		}
		if strings.Contains(got, "529") || strings.Contains(got, "Premium") {
			t.Errorf("the message says too much: %s", got)
		}
	})
}

// What comes from the server cannot reach the terminal unescaped.
func TestDataOfTheServerIsEscaped(t *testing.T) {
	on(t, options{colours: true}, func(x *stage) {
		evil := "Ana\x1b]0;owned\x07\r\n\u202eSouza"
		s := x.server.people["52998224725"]
		s.Name, s.Email, s.CustomerPlan = evil, evil, evil
		s.Services[1].ProductName, s.Services[1].Status, s.Services[1].StatusID = evil, evil, 99
		x.server.people["52998224725"] = s
		x.server.events[2].Reason = evil
		x.server.events[1].Trigger = evil
		x.keys("ana")
		for _, keys := range []string{"", "<enter>", "x", "<esc>m"} {
			x.keys(keys)
			content := x.m.View().Content
			if strings.Contains(content, "\x1b]") || strings.ContainsAny(content, "\x07\r\u202e") {
				t.Errorf("after %q the screen holds what a terminal obeys: %q", keys, content)
			}
			x.screen()
		}
	})
}

func TestASmallTerminalWaitsForMoreRoom(t *testing.T) {
	on(t, options{}, func(x *stage) {
		openAna(x)
		for _, size := range [][2]int{{59, 20}, {60, 19}, {20, 5}, {1, 1}} {
			x.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			x.keys("sq")
			if shown := x.screen(); size[0] > 10 && !strings.Contains(shown, "terminal") {
				t.Errorf("%v: it says %q", size, shown)
			}
		}
		if len(x.server.performed) > 0 || x.quit {
			t.Errorf("keys acted: %v, quit %v", x.server.performed, x.quit)
		}
		x.send(tea.WindowSizeMsg{Width: 60, Height: 20})
		x.wants("Ana Souza", "Play Basic")
	})
}

func TestWithoutColoursThereIsNoEscapeSequence(t *testing.T) {
	on(t, options{protected: true}, func(x *stage) {
		openAna(x)
		if content := x.m.View().Content; strings.Contains(content, "\x1b") {
			t.Errorf("the screen has colours: %q", content)
		}
	})
}

// The row in focus is on the screen however small it is.
func TestTheFocusIsAlwaysOnTheScreen(t *testing.T) {
	on(t, options{}, func(x *stage) {
		ana := x.server.people["52998224725"]
		for i := range 30 {
			s := ana.Services[2]
			s.ProductID, s.ProductName = api.Int(100+i), "Canal "+string(rune('A'+i))
			ana.Services = append(ana.Services, s)
		}
		x.server.people["52998224725"] = ana
		x.send(tea.WindowSizeMsg{Width: 60, Height: 20})
		openAna(x)
		for range 36 {
			if !strings.Contains(x.screen(), "\n› ") {
				t.Fatalf("the focus is not on the screen:\n%s", x.screen())
			}
			x.keys("<down>")
		}
		for range 36 {
			x.keys("<up>")
		}
		x.wants("ana@example.com", "› Play Basic")
	})
}

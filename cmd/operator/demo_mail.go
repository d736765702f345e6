package operator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/http"
	"net/mail"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"ativa/internal/cli"
)

// notFollowed is the number of demo subscribers who do not follow their link.
const notFollowed = 5

// activateByMail acts as the subscribers: it opens the link in each e-mail and presses the button.
func (d *demo) activateByMail(ctx context.Context) error {
	d.title("The subscribers open their e-mails and press the button")
	all, err := d.subscribers(ctx)
	if err != nil {
		return err
	}
	expected := 0
	for _, s := range all {
		expected += len(s.Value.Services)
	}
	emails, err := WaitForEmails(ctx, d.mail, expected)
	if err != nil {
		return err
	}
	for _, path := range emails[:max(0, len(emails)-notFollowed)] {
		link, err := ActivationLink(path)
		if err != nil {
			return err
		}
		if err := FollowLink(ctx, link); err != nil {
			return err
		}
	}
	d.print("%d e-mails in the mail directory; %d links followed, %d left alone", len(emails), max(0, len(emails)-notFollowed), min(notFollowed, len(emails)))
	return nil
}

// WaitForEmails waits until a mail directory contains the expected number of e-mails, and returns
// the paths of their files.
func WaitForEmails(ctx context.Context, dir string, expected int) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		emails, err := fs.Glob(os.DirFS(dir), "*.eml") // dir itself must not be read as a pattern
		emails = slices.Compact(emails)                // a file renamed meanwhile may be listed twice
		if err != nil || len(emails) >= expected {
			return cli.Map(emails, func(name string) string { return filepath.Join(dir, name) }), err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%d of %d e-mails arrived: %w", len(emails), expected, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// ActivationLink returns the activation link in the file of an e-mail.
func ActivationLink(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	m, err := mail.ReadMessage(f)
	if err != nil {
		return "", err
	}
	return LinkInMessage(m)
}

// LinkInMessage returns the activation link in the text part of an e-mail.
func LinkInMessage(m *mail.Message) (string, error) {
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		return "", err
	}
	part, err := multipart.NewReader(m.Body, params["boundary"]).NextRawPart()
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(quotedprintable.NewReader(part))
	if err != nil {
		return "", err
	}
	link := regexp.MustCompile(`https?://\S+/activate/\S+`).Find(text)
	if link == nil {
		return "", errors.New("an e-mail has no activation link")
	}
	return string(link), nil
}

// FollowLink opens the activation page and presses its button.
func FollowLink(ctx context.Context, link string) error {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		req, err := http.NewRequestWithContext(ctx, method, link, strings.NewReader(""))
		if err != nil {
			return err
		}
		if method == http.MethodPost {
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			return err
		}
		if err := res.Body.Close(); err != nil {
			return err
		}
		if res.StatusCode != http.StatusOK {
			return fmt.Errorf("activation page, %s: %s", method, res.Status)
		}
	}
	return nil
}

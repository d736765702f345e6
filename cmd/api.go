package cmd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/failure"
	"ativa/internal/render"
)

type apiOptions struct {
	method, path string
	fields       []string // NAME=VALUE
	input        string
	paginate     bool
}

func newAPI(e *cli.Env) *cobra.Command {
	var o apiOptions
	c := &cobra.Command{
		Use: "api METHOD PATH", Short: "Send any request to the API and print the response unchanged", GroupID: "programs", Args: cli.Args(cobra.ExactArgs(2)),
		ValidArgsFunction: completeRequest,
		Annotations:       map[string]string{cli.ExitCodes: cli.ConnectedExits + " 5"},
		Long: `Send any request to the API, with the server, token, retries and time-outs of
the context, and print the body of the response unchanged. The exit code follows
from its status.

-f NAME=VALUE adds a text, -f NAME[]=VALUE an element of a list. They form a
JSON body, or the query of GET and HEAD. --input sends a file as the body.
--paginate requests every page of a list, or of /events, and prints the
responses one after the other.`,
		Example: "  ativa api GET /products --jq '.content_supplier_products[].code'\n  ativa api POST /provision/suspend -f contentSupplierProduct=1 \\\n      -f documents[]=52998224725\n  ativa api GET /subscribers --paginate --jq '.data[].document'",
		RunE: func(c *cobra.Command, args []string) error {
			o.method, o.path = strings.ToUpper(args[0]), args[1]
			return runAPI(c.Context(), e, o)
		},
	}
	f := c.Flags()
	cli.AddRepeatedFlag(f, &o.fields, "field", "f", "add a text: NAME=VALUE")
	f.StringVar(&o.input, "input", "", "send this file as the body, - for standard input")
	f.BoolVar(&o.paginate, "paginate", false, "ask for all pages")
	c.MarkFlagsMutuallyExclusive("input", "field")
	return c
}

// completeRequest completes the method and the path of a request.
func completeRequest(c *cobra.Command, given []string, typed string) ([]string, cobra.ShellCompDirective) {
	words := [][]string{
		{"GET", "POST", "PUT", "DELETE"},
		{api.PathSubscribers, api.PathInternetSpeeds, api.PathImport, api.PathResend, api.PathProducts, api.PathStatuses,
			api.PathActivate, api.PathSuspend, api.PathDeactivate, api.PathChange, api.PathOverdue, api.PathSettle, api.PathEvents},
	}
	if len(given) >= len(words) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return cli.Words(func() []string { return words[len(given)] })(c, given, typed)
}

func runAPI(ctx context.Context, e *cli.Env, o apiOptions) error {
	show, err := e.RenderOptions()
	if err != nil {
		return err
	}
	show.OnWhole = nil                                             // a page is not the whole
	if show.JQ != "" || show.Template != "" || show.Format != "" { // refused before sending
		if err := render.Raw(ctx, io.Discard, show, json.RawMessage("null")); exitOf(err) == cli.ExitUsage {
			return err
		}
	}
	request, err := o.request(ctx, e)
	if err != nil {
		return err
	}
	return e.WithClientFor(ctx, !o.reads(), func(ctx context.Context, c *client.Client) error {
		if !o.reads() {
			if err := e.Confirm(cli.Confirmation{Title: cli.Msg("%s %s", request.Method, request.Path)}); err != nil {
				return err
			}
		}
		for {
			answer, err := c.Do(ctx, request)
			if answer.Status != 0 {
				if printed := o.print(ctx, e, show, answer, err); printed != nil && err == nil {
					return printed
				}
			}
			if err != nil || !o.paginate {
				return err
			}
			next, more := nextPage(request.Path, answer.Body)
			if !more {
				return nil
			}
			request.Path = next
		}
	})
}

func (o apiOptions) reads() bool { return o.method == http.MethodGet || o.method == http.MethodHead }

// request builds the request that the flags describe.
func (o apiOptions) request(ctx context.Context, e *cli.Env) (client.Request, error) {
	path, _, _ := strings.Cut(o.path, "?")
	methods := []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	r := client.Request{Method: o.method}
	switch {
	case !slices.Contains(methods, o.method):
		return r, cli.Usage("%q is not a method", o.method).WithHint("%s", failure.DidYouMean(o.method, methods))
	case strings.Contains(path, "://"):
		return r, cli.Usage("PATH is a path such as /products, not a URL").WithHint("the server is chosen by --server or the context")
	case o.paginate && o.method != http.MethodGet:
		return r, cli.Usage("--paginate goes with GET")
	case o.input != "" && o.reads():
		return r, cli.Usage("--input is a body, and %s has none", o.method)
	}
	r.Path = "/" + strings.TrimPrefix(o.path, "/")
	var err error
	switch {
	case o.input != "":
		r.Body, err = o.readInput(ctx, e)
	case o.reads():
		r.Path, err = o.withQuery(r.Path)
	case len(o.fields) > 0:
		r.Body, err = o.object()
	}
	return r, err
}

// object returns the JSON object of the fields.
func (o apiOptions) object() ([]byte, error) {
	object := map[string]any{}
	for _, field := range o.fields {
		name, text, err := parseField(field)
		if err != nil {
			return nil, err
		}
		name, isList := strings.CutSuffix(name, "[]")
		if !isList {
			object[name] = text
			continue
		}
		list, ok := object[name].([]string)
		if object[name] != nil && !ok {
			return nil, cli.Usage("%q: not a list of values", name)
		}
		object[name] = append(list, text)
	}
	return json.Marshal(object)
}

func parseField(field string) (name, text string, err error) {
	name, text, ok := strings.Cut(field, "=")
	if !ok || name == "" {
		err = cli.Usage("-f %q is not NAME=VALUE", field)
	}
	return name, text, err
}

// readInput reads the file of --input, or standard input for "-".
func (o apiOptions) readInput(ctx context.Context, e *cli.Env) ([]byte, error) {
	if o.input != cli.StandardInput {
		return cli.ReadFile(ctx, o.input)
	}
	in, err := e.InputFile()
	if err != nil {
		return nil, err
	}
	return cli.ReadStream(in)
}

// withQuery adds the fields to the query of a path.
func (o apiOptions) withQuery(path string) (string, error) {
	path, query, _ := strings.Cut(path, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return "", cli.Usage("the query of %q cannot be read", path)
	}
	for _, field := range o.fields {
		name, text, err := parseField(field)
		if err != nil {
			return "", err
		}
		values.Add(name, text)
	}
	if o.paginate && !strings.HasSuffix(path, api.PathEvents) {
		values.Set(api.ParamPaginate, "S")
	}
	if len(values) == 0 {
		return path, nil
	}
	return path + "?" + values.Encode(), nil
}

// nextPage returns the path of the page after body: the next page of a list, or the feed after
// next_cursor. It returns false for the last one.
func nextPage(path string, body []byte) (string, bool) {
	var page struct {
		Links struct {
			Next *string `json:"next"`
		} `json:"links"`
		Meta struct {
			Current api.Int `json:"current_page"`
		} `json:"meta"`
		Events []json.RawMessage `json:"events"`
		Cursor string            `json:"next_cursor"`
	}
	if json.Unmarshal(body, &page) != nil {
		return "", false
	}
	route, query, _ := strings.Cut(path, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return "", false
	}
	switch {
	case page.Links.Next != nil:
		before, err := strconv.Atoi(cmp.Or(values.Get(api.ParamPage), "1"))
		next := int(page.Meta.Current) + 1
		if err != nil || next <= before {
			return "", false // the server repeats a page
		}
		values.Set(api.ParamPage, strconv.Itoa(next))
	case len(page.Events) > 0 && page.Cursor != "" && page.Cursor != values.Get(api.ParamAfter):
		values.Set(api.ParamAfter, page.Cursor)
	default:
		return "", false
	}
	return route + "?" + values.Encode(), true
}

// print writes the body of a response unchanged, unless an output option is set or standard output
// is a terminal.
func (o apiOptions) print(ctx context.Context, e *cli.Env, show render.Options, a client.Response, failed error) error {
	if failed != nil { // replace "response": "success", which contradicts the status
		var err error
		if a.Body, err = render.WithResponse(a.Body, cli.Response(failed, false)); err != nil {
			return err
		}
	}
	body := bytes.TrimSpace(a.Body)
	asked := show.Format != "" || show.JQ != "" || show.Template != ""
	switch {
	case len(body) == 0:
		return nil
	case json.Valid(body) && (asked || show.Screen.Terminal):
		return render.Raw(ctx, e.Out, show, body)
	case asked:
		return &cli.Failure{Exit: cli.ExitError, Code: "not_json", Message: cli.Msg("the response is not JSON, so it cannot be formatted"),
			Hint: cli.Msg("without --output, --jq and --template it is printed unchanged")}
	case show.Screen.Terminal:
		return printLines(e, strings.ReplaceAll(string(body), "\r\n", "\n"))
	}
	_, err := e.Out.Write(a.Body)
	if err == nil && o.paginate && !bytes.HasSuffix(a.Body, []byte("\n")) {
		_, err = io.WriteString(e.Out, "\n")
	}
	return err
}

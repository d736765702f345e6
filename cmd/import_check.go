package cmd

import (
	"context"
	"fmt"
	"path/filepath"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/sheet"
)

// check checks the whole file against the server's lists and prints the result.
func (i *importRun) check(ctx context.Context) (*sheet.Summary, error) {
	_, s, err := checkFile(ctx, i.Env, i.client, i.file, i.readingOptions)
	if err != nil {
		return nil, err
	}
	i.checked, i.unprinted = true, unprintedProblem(i.Env, s)
	i.summary.File, i.summary.DryRun = filepath.Base(i.path), i.dryRun
	i.summary.Rows, i.summary.NotSent, i.summary.Invalid, i.summary.Merged = s.Rows, s.Valid, s.Invalid, s.Merged
	noticeCheck(i.Env, s)
	if !i.file.Has(api.FieldProductsIDs) {
		i.Notice("the file has no column of products: subscribers are registered without services (--map products_ids=COLUMN names one)")
	}
	return s, nil
}

// checkFile checks the whole file against the server's products and speeds, returns these, prints how
// the file is read, and stores the mappings of --save-map.
func checkFile(ctx context.Context, e *cli.Env, c *client.Client, f *sheet.File, o readingOptions) (catalog sheet.Catalog, s *sheet.Summary, err error) {
	if d := f.Dialect; d.Workbook {
		e.Notice("reading sheet %q", d.Sheet)
	} else {
		between := "TAB"
		if d.Delimiter != '\t' {
			between = fmt.Sprintf("'%c'", d.Delimiter)
		}
		e.Notice("reading %s, columns separated by %s", d.Encoding, between)
	}
	products, err := c.Products(ctx)
	if err != nil {
		return catalog, nil, err
	}
	speeds, err := c.InternetSpeeds(ctx)
	if err != nil {
		return catalog, nil, err
	}
	catalog = sheet.Catalog{Products: client.Values(products), Speeds: client.Values(speeds)}
	s, err = f.Check(ctx, catalog)
	for _, n := range f.Notices { // complete only after the check
		e.Notice("%s", &n)
	}
	if err == nil {
		err = o.store(e)
	}
	return catalog, s, err
}

// noticeCheck prints the result of a check of the whole file.
func noticeCheck(e *cli.Env, s *sheet.Summary) {
	e.Notice("%d [row|rows]: %d valid, %d invalid, %d merged into others", s.Rows, s.Valid, s.Invalid, s.Merged)
	if s.Hidden > 0 {
		e.Notice("%d of the rows [is|are] hidden in the workbook, perhaps by a filter, and read like the others", s.Hidden)
	}
	if s.SharedEmails > 0 {
		e.Notice("%d e-mail [address belongs|addresses belong] to several subscribers, who get each other's links", s.SharedEmails)
	}
	if s.Nameless > 0 {
		e.Notice("%d [row has|rows have] a value in a column without a name, which is left out; name the column if it is needed", s.Nameless)
	}
	noticeRepairs(e, s)
	noticeProblems(e, s)
}

// noticeRepairs prints the kinds of repairs and their numbers.
func noticeRepairs(e *cli.Env, s *sheet.Summary) {
	for _, r := range s.Repairs {
		e.Notice("repaired: %d × %s (%s)", r.N, cli.Msg(sheet.Messages()[r.Code]), fieldName(e.Lang, r.Field))
	}
}

// noticeProblems lists the problems by kind, with their number and first places. A place omits
// the text of the kind.
func noticeProblems(e *cli.Env, s *sheet.Summary) {
	for _, c := range s.Problems {
		kind := sheet.KindText(e.Lang, c.Code)
		e.Notice("%d × %s", c.N, fieldOfProblem(e, c.Field)+kind)
		if noticeValues(e, s, c) {
			continue
		}
		shown := 0
		for _, p := range s.First {
			if p.Field != c.Field || p.Code != c.Code {
				continue
			}
			if shown++; p.ReasonText(e.Lang) == kind {
				e.Notice("  %s", p.PlaceText(e.Lang))
			} else {
				e.Notice("  %s", &p)
			}
		}
		if shown > 0 && shown < c.N {
			e.Notice("  and %d more: see the report", c.N-shown)
		}
	}
}

// unprintedProblem returns the first problem of a file, for the command's error, if --quiet hid it
// or a program reads the error, else nil.
func unprintedProblem(e *cli.Env, s *sheet.Summary) error {
	if !e.Global.Quiet && !e.HasErrorObjects() || len(s.First) == 0 {
		return nil
	}
	return &s.First[0]
}

// noticeValues lists the distinct values of a kind of problem, and reports whether there are
// any.
func noticeValues(e *cli.Env, s *sheet.Summary, c sheet.Count) bool {
	shown, more := 0, 0
	for _, v := range s.Values {
		switch {
		case v.First.Field != c.Field || v.First.Code != c.Code:
		case shown < sheet.KeptProblems:
			shown++
			e.Notice("  %d [row|rows], first in line %d: %s", v.Rows, v.First.Line, v.First.ReasonText(e.Lang))
		default:
			more++
		}
	}
	if more > 0 {
		e.Notice("  and %d other [value|values]: see the report", more)
	}
	return shown > 0
}

// fieldOfProblem returns the field as a prefix of a kind of problem: `document ` or `documento: `.
func fieldOfProblem(e *cli.Env, field string) string {
	switch {
	case field == "":
		return ""
	case e.Lang == lang.English:
		return field + " "
	}
	return fieldName(e.Lang, field) + ": "
}

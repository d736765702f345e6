// Package invoice compares a supplier's bill with what was enabled (cli.md, Report; decisions.md
// 14). It decides which lines and services agree. It refuses to know how the file is written, how
// usage is requested and how differences are printed.
//
// Memory grows with the lines of the invoice and with the services that it does not bill, by
// about eighty bytes each.
package invoice

import (
	"strconv"

	"ativa/internal/api"
	"ativa/internal/sheet"
)

// Kinds of a difference.
const (
	BilledNotEnabled = "billed_not_enabled"
	EnabledNotBilled = "enabled_not_billed"
	DaysDiffer       = "days_differ"
	NotVerifiable    = "not_verifiable"
)

// Reasons of a difference, besides the codes of [sheet] for lines that cannot be read.
const (
	ReasonUnknownDocument = "unknown_document"   // the service has no subscriber with it, perhaps no longer
	ReasonIncomplete      = "history_incomplete" // retention has cut events
	ReasonBilledAgain     = "billed_again"       // more lines than services, and no days to distinguish them
)

// Difference is a difference between the invoice and the service.
type Difference struct {
	Kind      string             `json:"kind"`
	Document  api.NullableString `json:"document"` // digits; null when it cannot be read
	ProductID api.NullableInt    `json:"content_supplier_product_id"`
	// BilledDays is null without a bill or without days in it, EnabledDays without a service.
	BilledDays  *int               `json:"billed_days"`
	EnabledDays *int               `json:"enabled_days"`
	Line        api.NullableInt    `json:"line"`  // of the file: the first that bills it
	Lines       int                `json:"lines"` // number of lines that bill it
	Reason      api.NullableString `json:"reason"`
}

// Summary counts an invoice. A pair is one document with one product.
type Summary struct {
	Lines            int `json:"lines"`    // of the file, after the header
	LeftOut          int `json:"left_out"` // totals and remarks, and lines of no product
	Billed           int `json:"billed"`   // pairs that are billed, and unreadable lines
	Enabled          int `json:"enabled"`  // pairs that were enabled
	Matched          int `json:"matched"`
	BilledNotEnabled int `json:"billed_not_enabled"`
	EnabledNotBilled int `json:"enabled_not_billed"`
	DaysDiffer       int `json:"days_differ"`
	NotVerifiable    int `json:"not_verifiable"`
	BilledDays       int `json:"billed_days"`  // the sum, if the file has days
	EnabledDays      int `json:"enabled_days"` // the sum of all that was enabled
	// Deleted counts the services enabled for deleted subscribers: the invoice may bill them under
	// documents that are now unknown.
	Deleted int `json:"deleted"`
}

// Differences returns the number of differences.
func (s Summary) Differences() int {
	return s.BilledNotEnabled + s.EnabledNotBilled + s.DaysDiffer + s.NotVerifiable
}

// pairKey is a document and a product. A server has few products.
type pairKey struct {
	document uint64
	product  api.Int
}

// pair is the data of one document with one product.
type pair struct {
	key                     pairKey
	billedDays, enabledDays int32
	lines, services, line   int32
	withoutDays             bool // a line has no days
	// unread is the code of what cannot be read in a line: the days, or another product.
	unread string
}

// unread is a line whose document or product cannot be read.
type unread struct {
	line     int
	document string // "" if it cannot be read
	product  api.Int
	days     api.Optional[int]
	reason   string
}

// Comparison takes the lines of an invoice, then the services, and then returns the differences.
// It is not safe for concurrent use.
type Comparison struct {
	summary Summary
	places  map[pairKey]int32
	pairs   []pair
	unread  []unread
	unknown map[uint64]bool // documents of no subscriber, see Unconfirmed
}

// New starts a comparison.
func New() *Comparison { return &Comparison{places: map[pairKey]int32{}} }

// Bill adds a line of the invoice.
func (c *Comparison) Bill(row *sheet.Row) {
	c.summary.Lines++
	switch {
	case len(row.Problems) > 0 && (row.Problems[0].Code == sheet.CodeTotalRow || row.Problems[0].Code == sheet.CodeRepeatedHeader),
		len(row.Problems) == 0 && len(row.ProductsIDs) == 0:
		c.summary.LeftOut++
		return
	case row.Document == "" || len(row.ProductsIDs) == 0:
		c.billUnread(row)
		return
	}
	document, _ := strconv.ParseUint(row.Document, 10, 64)
	for _, product := range row.ProductsIDs {
		p := c.pair(pairKey{document, product})
		if p.lines == 0 {
			p.line = int32(row.Line)
		}
		c.summary.BilledDays += row.Days.Value
		p.lines++
		if len(row.Problems) > 0 {
			p.unread = row.Problems[0].Code
		}
		p.billedDays += int32(row.Days.Value)
		p.withoutDays = p.withoutDays || !row.Days.Set
	}
}

// billUnread adds a line whose document or product cannot be read.
func (c *Comparison) billUnread(row *sheet.Row) {
	u := unread{line: row.Line, document: row.Document, days: row.Days, reason: row.Problems[0].Code}
	if len(row.ProductsIDs) == 1 {
		u.product = row.ProductsIDs[0]
	}
	c.summary.BilledDays += u.days.Value
	c.unread = append(c.unread, u)
}

// HasLines reports whether any line bills an identified subscriber.
func (c *Comparison) HasLines() bool {
	return len(c.pairs) > 0
}

func (c *Comparison) pair(key pairKey) *pair {
	place, known := c.places[key]
	if !known {
		place = int32(len(c.pairs))
		c.places[key] = place
		c.pairs = append(c.pairs, pair{key: key})
	}
	return &c.pairs[place]
}

// Enabled adds a service that was enabled in the period.
func (c *Comparison) Enabled(u api.TokenUsage) {
	c.summary.EnabledDays += int(u.EnabledDays)
	document, err := strconv.ParseUint(string(u.Document), 10, 64)
	if err != nil { // null: the subscriber is deleted
		c.summary.Deleted++
		return
	}
	p := c.pair(pairKey{document, u.ProductID})
	p.services++
	p.enabledDays += int32(u.EnabledDays)
}

// Unconfirmed reports whether something is billed that was not enabled. The caller then passes the
// document of each subscriber of the service to Known.
func (c *Comparison) Unconfirmed() bool {
	c.unknown = map[uint64]bool{}
	for _, p := range c.pairs {
		if p.lines > 0 && p.services == 0 {
			c.unknown[p.key.document] = true
		}
	}
	return len(c.unknown) > 0
}

// Known records that the service has a subscriber with the document.
func (c *Comparison) Known(document string) {
	if n, err := strconv.ParseUint(document, 10, 64); err == nil {
		delete(c.unknown, n)
	}
}

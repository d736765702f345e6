package csvfile

import (
	"hash/maphash"
	"strconv"

	"ativa/internal/api"
	"ativa/internal/cpf"
)

// Row is one record of the file, checked. It may be kept when the next one is
// read. Rows may share their lists of products.
type Row struct {
	// ImportRow is what to send. Its document is digits only, its telephone
	// E.164, its speed always set. What has problems is empty.
	api.ImportRow
	// Status is the API's name of the wished status; only [Sync] fills it.
	Status string

	// Line is the physical line on which the row starts, from 1.
	Line int
	// MergedInto is the line of the row that carries this one's products, 0 for
	// a row of its own. A merged row is not sent.
	MergedInto int

	Repairs  []Repair
	Problems []Problem

	document cpf.Document // also when other cells are wrong
	raw      []byte       // as the scanner saw it; nil when too long
	long     span         // where it stands then
	text     []byte       // raw without the line end
	cells    int
	hidden   bool // in a workbook
	trimmed  bool // by Trim
	nameless bool // has a value in a column without a name
}

// OK reports whether the row is to be sent: without problems and not merged
// into another.
func (r *Row) OK() bool { return len(r.Problems) == 0 && r.MergedInto == 0 }

// Trim forgets how the row stands in the file, which takes memory:
// [RejectedWriter] leaves the row out then. Its line is the same in another
// pass over the file.
func (r *Row) Trim() { r.raw, r.text, r.trimmed = nil, nil, true }

// fingerprint tells whether two rows are equal but for the products.
func (r *Row) fingerprint(seed maphash.Seed) uint32 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, s := range [...]string{r.Name, r.Email, r.Phone, r.CustomerPlan, r.Status} {
		_, _ = h.WriteString(s)
		_ = h.WriteByte(0)
	}
	_, _ = h.WriteString(strconv.Itoa(int(r.InternetSpeedID.Value)))
	return uint32(h.Sum64())
}

// cells is one record by field. The tags are what [slotName] gives.
type cells struct {
	Name      string `csv:"name"`
	Surname   string `csv:"surname"`
	Email     string `csv:"email"`
	Document  string `csv:"document"`
	Phone1    string `csv:"phone"`
	Phone2    string `csv:"phone_2"`
	Phone3    string `csv:"phone_3"`
	Phone4    string `csv:"phone_4"`
	Phone5    string `csv:"phone_5"`
	Area1     string `csv:"area_code"`
	Area2     string `csv:"area_code_2"`
	Area3     string `csv:"area_code_3"`
	Area4     string `csv:"area_code_4"`
	Area5     string `csv:"area_code_5"`
	Speed     string `csv:"internet_speed_id"`
	Plan      string `csv:"customer_plan"`
	Products1 string `csv:"products_ids"`
	Products2 string `csv:"products_ids_2"`
	Products3 string `csv:"products_ids_3"`
	Products4 string `csv:"products_ids_4"`
	Products5 string `csv:"products_ids_5"`
	Status1   string `csv:"status"`
	Status2   string `csv:"status_2"`
	Status3   string `csv:"status_3"`
	Status4   string `csv:"status_4"`
	Status5   string `csv:"status_5"`
}

func (c *cells) phones() [MaxColumns]string {
	return [...]string{c.Phone1, c.Phone2, c.Phone3, c.Phone4, c.Phone5}
}

func (c *cells) areas() [MaxColumns]string {
	return [...]string{c.Area1, c.Area2, c.Area3, c.Area4, c.Area5}
}

func (c *cells) products() [MaxColumns]string {
	return [...]string{c.Products1, c.Products2, c.Products3, c.Products4, c.Products5}
}

func (c *cells) statuses() [MaxColumns]string {
	return [...]string{c.Status1, c.Status2, c.Status3, c.Status4, c.Status5}
}

// slotName names the n-th column (from 1) of a field.
func slotName(field string, n int) string {
	if n == 1 {
		return field
	}
	return field + "_" + strconv.Itoa(n)
}

package sheet

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ativa/internal/api"
	"ativa/internal/sheet/names"
)

// Catalog holds the products and speeds that the server lists. It is not changed while a file is
// checked.
type Catalog struct {
	Products []api.Product
	Speeds   []api.InternetSpeed
}

// products finds products by id, code or name.
type products struct {
	byName map[string][]*api.Product // by productKey of id, code and name
	cells  meanings                  // of cells seen already
	values mappedValues
	// activates means that the products will be activated, so they must permit it.
	activates bool
}

// meaning is the meaning of a cell: products, or one internet speed.
type meaning struct {
	ids    []api.Int
	repair string
	fault  fault
}

// meanings caches the meanings of cells: a file has few different ones.
type meanings map[string]meaning

// of returns the meaning of a cell. It calls find if it is not cached.
func (m meanings) of(cell string, find func(cell string) meaning) meaning {
	c, known := m[cell]
	if known {
		return c
	}
	c = find(cell)
	const most = 4096
	if len(m) < most {
		m[cell] = c
	}
	return c
}

func newProducts(list []api.Product, profile Profile) *products {
	p := &products{byName: map[string][]*api.Product{}, cells: meanings{}, activates: profile != Invoice}
	for i := range list {
		product := &list[i]
		for _, name := range []string{strconv.Itoa(int(product.ID)), product.Code, product.Name} {
			if key := productKey(name); key != "" && !slices.Contains(p.byName[key], product) {
				p.byName[key] = append(p.byName[key], product)
			}
		}
	}
	return p
}

// productSeparators separate several products in a cell, in the order in which they are tried. A
// name that is found whole is not split.
var productSeparators = []string{";|\n\r", ",", "+/"}

// productKey folds a name part by part, so that `1;2` is not the product 12. It returns "" for
// digits with punctuation between them.
func productKey(s string) string {
	parts := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(";|\n\r,+/", r) })
	for i := range parts {
		parts[i] = names.Fold(parts[i])
	}
	key := strings.Join(parts, "+")
	if digitsOnly(key) && !digitsOnly(trim(s)) {
		return ""
	}
	return key
}

// read finds the products of a cell.
func (p *products) read(cell string) meaning { return p.cells.of(cell, p.find) }

func (p *products) find(text string) (c meaning) {
	p.add(&c, text, productSeparators)
	return c
}

// add resolves text as a whole, or else its parts between the first separators that it contains.
func (p *products) add(c *meaning, text string, separators []string) {
	text = trim(text)
	if text == "" || c.fault.code != "" {
		return
	}
	if m := p.values.of(text); m != nil {
		c.addCell(m.meaning)
		return
	}
	found := p.byName[productKey(text)]
	if digits, ok := decimalTail(text); ok && len(found) == 0 {
		if found = p.byName[digits]; len(found) == 1 {
			c.repair = RepairDecimalTail
		}
	}
	switch {
	case len(found) == 1:
		p.addProduct(c, found[0], text)
		return
	case len(found) > 1:
		c.fault = productFault(CodeAmbiguousProduct, text, map[string]string{"candidates": productList(found)})
		return
	}
	for i, s := range separators {
		if !strings.ContainsAny(text, s) {
			continue
		}
		for _, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(s, r) }) {
			p.add(c, part, separators[i+1:])
		}
		return
	}
	c.fault = productFault(api.CodeUnknownProduct, text, map[string]string{"suggestion": p.suggestion(text)})
}

// noProduct is the meaning of a value that means no product, such as Nenhum.
const noProduct = "-"

func productFault(code, text string, args map[string]string) fault {
	return valueFault(code, api.FieldProductsIDs, text, args)
}

// addCell adds the products of another cell.
func (m *meaning) addCell(other meaning) {
	for _, id := range other.ids {
		if !slices.Contains(m.ids, id) {
			m.ids = append(m.ids, id)
		}
	}
	if m.fault.code == "" {
		m.fault = other.fault
	}
}

// mapped returns what a value mapping means.
func (p *products) mapped(text string) meaning {
	if text == noProduct {
		return meaning{}
	}
	return p.find(text)
}

// forColumn returns the product whose id, code or name a column has, or nil. It ignores text in
// brackets after the name, such as a price.
func (p *products) forColumn(column string) *meaning {
	found := p.byName[productKey(column)]
	if before, _, ok := strings.Cut(column, "("); ok && len(found) == 0 {
		return p.forColumn(before)
	}
	if len(found) == 0 {
		return nil
	}
	c := p.find(column)
	return &c
}

func (p *products) addProduct(c *meaning, product *api.Product, text string) {
	switch args := map[string]string{"product": product.Name}; {
	case p.activates && !bool(product.Active):
		c.fault = productFault(api.CodeProductInactive, text, args)
	case p.activates && product.Can != nil && !slices.Contains(product.Can, api.CanActivate):
		c.fault = productFault(api.CodeActionNotAllowed, text, args)
	case !slices.Contains(c.ids, product.ID):
		c.ids = append(c.ids, product.ID)
	}
}

// suggestion returns the name of the probably intended product, or "".
func (p *products) suggestion(text string) string {
	key, best := productKey(text), ""
	for name := range p.byName {
		if names.Near(key, name) && (best == "" || name < best) {
			best = name
		}
	}
	return productList(p.byName[best])
}

func productList(list []*api.Product) string {
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = fmt.Sprintf("%d %s %q", p.ID, p.Code, p.Name)
	}
	return strings.Join(names, ", ")
}

// productSets stores each different list of products once, the empty one first. More lists than
// maxSets would not fit in memory.
type productSets struct {
	lists []api.List[api.Int]
	known map[string]uint32
}

func (s *productSets) intern(ids []api.Int) uint32 {
	var key [128]byte
	k := key[:0]
	for _, id := range ids {
		k = binary.LittleEndian.AppendUint64(k, uint64(id))
	}
	if n, ok := s.known[string(k)]; ok {
		return n
	}
	n := len(s.lists)
	s.known[string(k)] = uint32(n)
	s.lists = append(s.lists, slices.Clone(ids))
	return uint32(n)
}

func (s *productSets) union(a, b uint32) uint32 {
	ids := slices.Clone(s.lists[a])
	for _, id := range s.lists[b] {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return s.intern(ids)
}

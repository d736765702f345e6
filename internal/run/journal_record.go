package run

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// record is a line of a journal. Exactly one field is set.
type record struct {
	Header *Header     `json:"header,omitempty"`
	Begin  *batchBegun `json:"begin,omitempty"`
	Done   *batchDone  `json:"done,omitempty"`
	Halved string      `json:"halved,omitempty"` // the key of a batch that was sent in halves
	End    bool        `json:"end,omitempty"`    // the run is finished
	Due    *time.Time  `json:"due,omitempty"`    // the time for which the run schedules
	Cursor string      `json:"cursor,omitempty"` // the position in the server's event feed before the first request
	Kept   string      `json:"kept,omitempty"`   // the hash of the kept file; the latest one counts
	Report *Report     `json:"report,omitempty"` // the latest one counts
}

// Header is the first record of a journal. It holds no personal data.
type Header struct {
	Version int    `json:"version"`
	ID      string `json:"id"`
	Spec
	Args    []string  `json:"args"` // the command line that resumes the run, without the program's name
	Started time.Time `json:"started"`
}

// notUTF8 begins the text of a name that is not UTF-8. No name holds a zero byte.
const notUTF8 = "\x00"

// encodeName returns the text of a file name or an argument in a journal: JSON would replace bytes
// that are not UTF-8.
func encodeName(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return notUTF8 + base64.StdEncoding.EncodeToString([]byte(name))
}

func decodeName(text string) string {
	encoded, found := strings.CutPrefix(text, notUTF8)
	name, err := base64.StdEncoding.DecodeString(encoded)
	if !found || err != nil {
		return text
	}
	return string(name)
}

// withNames returns the record with its file names and arguments converted.
func (r record) withNames(convert func(string) string) record {
	if r.Header != nil {
		h := *r.Header
		h.File, h.Args = convert(h.File), slices.Clone(h.Args)
		for i, arg := range h.Args {
			h.Args[i] = convert(arg)
		}
		r.Header = &h
	}
	if r.Report != nil {
		r.Report = &Report{Path: convert(r.Report.Path), SHA256: r.Report.SHA256}
	}
	return r
}

// Spec identifies the work of a run. A run resumes one whose fields except File are equal.
type Spec struct {
	Kind string `json:"kind"` // import, or provision and the operation
	File string `json:"file"` // the absolute path, or - for standard input; empty for a selection
	// Selection holds the flags that selected the documents, ready to be typed again; empty for
	// a file.
	Selection string `json:"selection,omitempty"`
	SHA256    string `json:"sha256"`
	Server    string `json:"server"`
	Context   string `json:"context"`           // the name of the context, which identifies the provider
	Options   string `json:"options,omitempty"` // options that change what is sent for a row
}

// Report is the file with the outcome of each row.
type Report struct {
	Path string `json:"path"` // absolute
	// SHA256 is the hash of the whole file in hexadecimal digits; empty while the run
	// writes it.
	SHA256 string `json:"sha256,omitempty"`
}

// batchBegun is written before a batch is sent.
type batchBegun struct {
	Batch int       `json:"batch"`
	Lines lineSet   `json:"lines"`
	Key   string    `json:"key"`
	At    time.Time `json:"at"`              // when the batch was first sent
	Known lineSet   `json:"known,omitempty"` // the lines whose subscribers existed before the run, see [Batch]
}

// batchDone is written when the outcome of a row of a batch is known. The latest one counts.
type batchDone struct {
	Batch   int           `json:"batch"`
	Results []resultLines `json:"results,omitempty"`
	Partial bool          `json:"partial,omitempty"` // some rows have no result
	Unsent  lineSet       `json:"unsent,omitempty"`  // of these, the rows with which the server has done nothing
}

// resultLines is a result and the lines that have it.
type resultLines struct {
	Result
	Lines lineSet `json:"lines"`
	// Operations are the ids of the operations of the lines, in order, if each line has one
	// service; empty if the server reports none.
	Operations []string `json:"operations,omitempty"`
}

// groupByResult groups the lines of the batch that have a result by results that the journal cannot
// tell apart.
func groupByResult(b *pendingBatch, results []Result) []resultLines {
	var all []resultLines
	index := map[string]int{} // by JSON
	for i := range results {
		r := &results[i]
		if r.Err != nil || r.isUnsent() {
			continue
		}
		text, _ := json.Marshal(r) // a result always has JSON
		at, ok := index[string(text)]
		if !ok {
			at = len(all)
			index[string(text)] = at
			all = append(all, resultLines{Result: *r})
		}
		all[at].Lines.add(b.Rows[i].Line)
		if len(r.Services) == 1 {
			all[at].Operations = append(all[at].Operations, r.Services[0].OperationID)
		}
	}
	for i := range all {
		if !slices.ContainsFunc(all[i].Operations, func(id string) bool { return id != "" }) {
			all[i].Operations = nil
		}
	}
	return all
}

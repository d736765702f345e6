package bulk

import (
	"encoding/json"
	"time"
)

// record is one line of a journal; exactly one field is set.
type record struct {
	Header *Header     `json:"header,omitempty"`
	Begin  *batchBegun `json:"begin,omitempty"`
	Done   *batchDone  `json:"done,omitempty"`
	End    *Summary    `json:"end,omitempty"`
	// Cursor is a place in the server's event feed before anything was sent.
	Cursor string `json:"cursor,omitempty"`
}

// Header says what a run is about. It holds no personal data.
type Header struct {
	Version int    `json:"version"`
	ID      string `json:"id"`
	RunSpec
	// Args are the command line that goes on with it, without the program's name.
	Args    []string  `json:"args"`
	Started time.Time `json:"started"`
}

// RunSpec is what makes two runs the same: the second goes on where the first
// was interrupted.
type RunSpec struct {
	// Kind is import, or provision and the operation.
	Kind string `json:"kind"`
	// File is the absolute path, or - for standard input.
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	Server string `json:"server"`
	// Context is the name of the context, which stands for the provider.
	Context string `json:"context"`
	// Options are those that change what is sent for a line.
	Options string `json:"options,omitempty"`
}

// Summary counts rows at the end of a run.
type Summary struct {
	At time.Time `json:"at"`
	// Rows were sent; Failed of them were refused.
	Rows   int `json:"rows"`
	Failed int `json:"failed"`
}

// batchBegun is written before a batch is sent for the first time.
type batchBegun struct {
	Batch int     `json:"batch"`
	Lines lineSet `json:"lines"`
	Key   string  `json:"key"`
	// Known are the lines whose subscribers existed before, where the server
	// does not tell.
	Known lineSet `json:"known,omitempty"`
}

// batchDone is written when every row of a batch has its result.
type batchDone struct {
	Batch   int           `json:"batch"`
	Results []resultLines `json:"results"`
}

// resultLines is a result with the lines that have it.
type resultLines struct {
	Result
	Lines lineSet `json:"lines"`
}

// groupByResult gathers equal results of the rows of a batch.
func groupByResult(b *batch, results []Result) ([]resultLines, error) {
	var all []resultLines
	index := map[string]int{}
	for i, r := range results {
		key, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		at, ok := index[string(key)]
		if !ok {
			at = len(all)
			index[string(key)] = at
			all = append(all, resultLines{Result: r})
		}
		all[at].Lines.add(b.rows[i].Line)
	}
	return all, nil
}

package bulk

import (
	"encoding/json"
	"time"
)

// record is one line of a journal; exactly one field is set.
type record struct {
	Header *Header  `json:"header,omitempty"`
	Begin  *begun   `json:"begin,omitempty"`
	Done   *done    `json:"done,omitempty"`
	End    *Summary `json:"end,omitempty"`
	// Cursor is a place in the server's event feed before anything was sent.
	Cursor string `json:"cursor,omitempty"`
}

// Header says what a run is about. It holds no personal data.
type Header struct {
	Version int    `json:"version"`
	ID      string `json:"id"`
	Work
	// Args are the command line that goes on with it, without the program's name.
	Args    []string  `json:"args"`
	Started time.Time `json:"started"`
}

// Work is what makes two runs the same: the second goes on where the first
// was interrupted.
type Work struct {
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

// begun is written before a batch is sent for the first time.
type begun struct {
	Batch int    `json:"batch"`
	Lines lines  `json:"lines"`
	Key   string `json:"key"`
	// Known are the lines whose subscribers existed before, where the server
	// does not tell.
	Known lines `json:"known,omitempty"`
}

// done is written when every row of a batch has its result.
type done struct {
	Batch   int     `json:"batch"`
	Results []group `json:"results"`
}

// group is a result with the lines that have it.
type group struct {
	Result
	Lines lines `json:"lines"`
}

// groups gathers equal results of the rows of a batch.
func groups(b *batch, results []Result) ([]group, error) {
	var all []group
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
			all = append(all, group{Result: r})
		}
		all[at].Lines.add(b.rows[i].Line)
	}
	return all, nil
}

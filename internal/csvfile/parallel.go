package csvfile

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"sync"
)

// A chunk is what one worker checks at a time. Its bytes bound the memory.
const (
	chunkRecords = 512
	chunkBytes   = 2 * maxRecord
)

// chunk is a run of records on its way through a worker.
type chunk struct {
	records []record
	bytes   []byte // of the records, which the scanner would overwrite
	ends    []int  // likewise
	rows    []*Row
	err     error // behind the last record
	done    chan struct{}
}

func newChunk() *chunk {
	return &chunk{bytes: make([]byte, 0, maxRecord), done: make(chan struct{})}
}

// add copies a record and reports whether there is room for another.
func (c *chunk) add(r record) bool {
	if r.raw != nil {
		start := len(c.bytes)
		c.bytes = append(c.bytes, r.raw...)
		n := len(r.text)
		r.raw = c.bytes[start:len(c.bytes):len(c.bytes)]
		r.text = r.raw[:n]
		start = len(c.ends)
		c.ends = append(c.ends, r.ends...)
		r.ends = c.ends[start:len(c.ends):len(c.ends)]
	}
	c.records = append(c.records, r)
	return len(c.records) < chunkRecords && len(c.bytes) < chunkBytes
}

func (c *chunk) check(k *checker) {
	defer close(c.done)
	for _, r := range c.records {
		c.rows = append(c.rows, k.row(r))
	}
}

// checkRecords checks record by record, each for itself, on all processors and in
// order of the file.
func (f *File) checkRecords(ctx context.Context) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		inner, cancel := context.WithCancel(ctx)
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel()
		order, err := f.startWorkers(inner, &running)
		if err != nil {
			yield(nil, err)
			return
		}
		for c := range order {
			<-c.done
			for _, row := range c.rows {
				if ctx.Err() != nil {
					break
				}
				if !yield(row, nil) {
					return
				}
			}
			if err := errors.Join(c.err, ctx.Err()); err != nil {
				yield(nil, err)
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// startWorkers starts the goroutines that cut and check the file. They end with the
// context.
func (f *File) startWorkers(ctx context.Context, running *sync.WaitGroup) (<-chan *chunk, error) {
	checkers := make([]*checker, runtime.GOMAXPROCS(0))
	for i := range checkers {
		var err error
		if checkers[i], err = newChecker(f); err != nil {
			return nil, err
		}
	}
	work, order := make(chan *chunk), make(chan *chunk, 2*len(checkers))
	for _, k := range checkers {
		running.Go(func() {
			for c := range work {
				c.check(k)
			}
		})
	}
	running.Go(func() {
		defer close(order)
		defer close(work)
		f.readChunks(ctx, work, order)
	})
	return order, nil
}

// readChunks sends chunks until the file ends, something fails or nobody wants more.
func (f *File) readChunks(ctx context.Context, work, order chan<- *chunk) {
	c := newChunk()
	send := func() bool {
		select {
		case <-ctx.Done():
			return false
		case order <- c:
			work <- c
			c = newChunk()
			return true
		}
	}
	for r, err := range f.records() {
		if c.err = err; err != nil {
			break
		}
		if !c.add(r) && !send() {
			return
		}
	}
	send()
}

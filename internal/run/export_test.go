package run

// JournalFile is the file of a journal, which tests make fail.
type JournalFile = journalFile

// WrapFile replaces the file of the journal.
func (j *Journal) WrapFile(wrap func(JournalFile) JournalFile) { j.file = wrap(j.file) }

// Lines are the numbers of lines in a record of a journal, such as 1-3,5.
type Lines = lineSet

// Add adds a line after those that are there.
func (l *Lines) Add(n int) { l.add(n) }

// Has reports whether the line is one of them.
func (l Lines) Has(n int) bool { return l.has(n) }

// Before returns how many lines there are before the line.
func (l Lines) Before(n int) int { return l.before(n) }

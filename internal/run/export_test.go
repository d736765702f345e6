package run

// JournalFile is the file of a journal, which tests make fail.
type JournalFile = journalFile

// WrapFile replaces the file of the journal.
func (j *Journal) WrapFile(wrap func(JournalFile) JournalFile) { j.file = wrap(j.file) }

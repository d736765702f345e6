package systemtest

import (
	"os"

	"golang.org/x/sys/unix"
)

// UseMemory keeps temporary files in memory, unless TMPDIR is set: tests create thousands of
// databases, and a disk would slow down their writes and syncs. If memory for files is scarce, as
// in a container, they stay on disk.
func UseMemory() error {
	const disk, shared, least = "/tmp", "/dev/shm", 1 << 30
	var fs unix.Statfs_t
	if os.TempDir() == disk && unix.Statfs(shared, &fs) == nil && fs.Type == unix.TMPFS_MAGIC && fs.Bavail*uint64(fs.Bsize) >= least {
		return os.Setenv("TMPDIR", shared)
	}
	return nil
}

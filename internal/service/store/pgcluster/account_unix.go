//go:build unix

package pgcluster

import (
	"errors"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// Account returns the attributes of a server's process and makes its account the owner of the
// directory, because PostgreSQL refuses to run as root. Signals of a terminal do not reach it.
func Account(dir string) (*syscall.SysProcAttr, error) {
	if os.Geteuid() != 0 {
		return &syscall.SysProcAttr{Setsid: true}, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		u, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, err
	}
	uid, err := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	credential := &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return &syscall.SysProcAttr{Credential: credential, Setsid: true}, errors.Join(err, err2, os.Chown(dir, uid, gid))
}

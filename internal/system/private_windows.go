package system

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"unsafe"

	"golang.org/x/sys/windows"
)

// privately returns the attributes of a new file or directory with its own access list: the user, the
// system and its administrators. It inherits nothing from the parent directory, and children
// inherit it.
func privately() (*windows.SecurityAttributes, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, err
	}
	sd, err := windows.SecurityDescriptorFromString(fmt.Sprintf("D:P(A;OICI;FA;;;%s)(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)", user.User.Sid))
	if err != nil {
		return nil, err
	}
	sa := &windows.SecurityAttributes{SecurityDescriptor: sd}
	sa.Length = uint32(unsafe.Sizeof(*sa))
	return sa, nil
}

func openPrivate(path string, flag int) (*os.File, error) {
	fail := func(err error) (*os.File, error) { return nil, &fs.PathError{Op: "open", Path: path, Err: err} }
	sa, err := privately()
	if err != nil {
		return fail(err)
	}
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return fail(err)
	}
	access := uint32(windows.GENERIC_READ)
	switch {
	case flag&os.O_RDWR != 0:
		access |= windows.GENERIC_WRITE
	case flag&os.O_WRONLY != 0:
		access = windows.GENERIC_WRITE
	}
	disposition := uint32(windows.OPEN_ALWAYS)
	switch {
	case flag&(os.O_CREATE|os.O_TRUNC) == 0:
		disposition = windows.OPEN_EXISTING
	case flag&os.O_CREATE == 0:
		disposition = windows.TRUNCATE_EXISTING
	case flag&os.O_EXCL != 0:
		disposition = windows.CREATE_NEW
	case flag&os.O_TRUNC != 0:
		disposition = windows.CREATE_ALWAYS
	}
	// Others may read, write, rename and delete the file meanwhile, as with os.OpenFile.
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	h, err := windows.CreateFile(name, access, share, sa, disposition, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return fail(err)
	}
	return os.NewFile(uintptr(h), path), nil
}

func mkdirPrivate(dir string) error {
	sa, err := privately()
	if err != nil {
		return err
	}
	name, err := windows.UTF16PtrFromString(dir)
	if err == nil {
		err = windows.CreateDirectory(name, sa)
	}
	if err != nil {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: err}
	}
	return nil
}

const accessList = windows.OWNER_SECURITY_INFORMATION | windows.DACL_SECURITY_INFORMATION

func isPrivate(path string, _ fs.FileMode) (bool, error) {
	sd, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, accessList)
	if err != nil {
		return false, &fs.PathError{Op: "access list", Path: path, Err: err}
	}
	return grantsNobodyElse(sd)
}

func isOpenPrivate(f *os.File, _ fs.FileMode) (bool, error) {
	sd, err := windows.GetSecurityInfo(windows.Handle(f.Fd()), windows.SE_FILE_OBJECT, accessList)
	if err != nil {
		return false, &fs.PathError{Op: "access list", Path: f.Name(), Err: err}
	}
	return grantsNobodyElse(sd)
}

// grantsNobodyElse reports whether an access list permits only the user, the owner, the system and
// its administrators to read or write.
func grantsNobodyElse(sd *windows.SECURITY_DESCRIPTOR) (bool, error) {
	list, _, err := sd.DACL()
	if err != nil || list == nil { // without a list everybody has access
		return false, err
	}
	owner, _, err := sd.Owner()
	if err != nil {
		return false, err
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return false, err
	}
	for i := range uint32(list.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, i, &entry); err != nil {
			return false, err
		}
		const reads = windows.FILE_READ_DATA | windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA | windows.GENERIC_READ | windows.GENERIC_WRITE | windows.GENERIC_ALL
		if entry.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE || entry.Header.AceFlags&windows.INHERIT_ONLY_ACE != 0 || entry.Mask&reads == 0 {
			continue
		}
		sid := (*windows.SID)(unsafe.Pointer(&entry.SidStart))
		if !sid.Equals(user.User.Sid) && !(owner != nil && sid.Equals(owner)) &&
			!sid.IsWellKnown(windows.WinLocalSystemSid) && !sid.IsWellKnown(windows.WinBuiltinAdministratorsSid) && !sid.IsWellKnown(windows.WinCreatorOwnerRightsSid) {
			return false, nil
		}
	}
	return true, nil
}

// privatise contains the full user name, because cmd and PowerShell write variables differently.
func privatise(path string) string {
	me := "%USERNAME%"
	if account, err := user.Current(); err == nil {
		me = account.Username
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return `icacls "` + path + `" /inheritance:r /grant:r "` + me + `:(OI)(CI)F" /T`
	}
	return `icacls "` + path + `" /inheritance:r /grant:r "` + me + `:F"`
}

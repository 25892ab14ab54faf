//! Who may do what with a file: who owns it, and the list that it has.

use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::ptr;

use windows_sys::Win32::Foundation::{
    ERROR_SUCCESS, GENERIC_ALL, GENERIC_READ, GENERIC_WRITE, LocalFree,
};
use windows_sys::Win32::Security::Authorization::{
    ConvertSidToStringSidW, ConvertStringSecurityDescriptorToSecurityDescriptorW, GetSecurityInfo,
    SDDL_REVISION_1, SE_FILE_OBJECT, SE_KERNEL_OBJECT, SE_OBJECT_TYPE,
};
use windows_sys::Win32::Security::{
    ACCESS_ALLOWED_ACE, ACE_HEADER, ACL, DACL_SECURITY_INFORMATION, EqualSid, GetAce,
    GetTokenInformation, INHERIT_ONLY_ACE, IsWellKnownSid, OWNER_SECURITY_INFORMATION,
    PSECURITY_DESCRIPTOR, PSID, SECURITY_ATTRIBUTES, SetKernelObjectSecurity, TOKEN_QUERY,
    TOKEN_USER, TokenUser, WinBuiltinAdministratorsSid, WinCreatorOwnerRightsSid,
    WinLocalSystemSid,
};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_APPEND_DATA, FILE_DELETE_CHILD, FILE_READ_DATA, FILE_WRITE_DATA, WRITE_DAC, WRITE_OWNER,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// Read its content.
pub(super) const READ: u32 = FILE_READ_DATA | GENERIC_READ | GENERIC_ALL;
/// Change it, or who may.
pub(super) const CHANGE: u32 = FILE_WRITE_DATA
    | FILE_APPEND_DATA
    | FILE_DELETE_CHILD
    | WRITE_DAC
    | WRITE_OWNER
    | GENERIC_WRITE
    | GENERIC_ALL;
/// The kind of an entry that allows something.
const ALLOWED: u8 = 0;

/// Who a file belongs to, and who else may do something with it.
pub(super) struct Access {
    /// It belongs to this user, to administrators, or to the system.
    pub(super) is_trusted: bool,
    /// What others may do.
    others: u32,
}

impl Access {
    /// The file or folder has to be open for `READ_CONTROL`, which any reading is.
    pub(super) fn of(file: &File) -> io::Result<Self> {
        Self::of_kind(file, SE_FILE_OBJECT)
    }

    /// The same of a pipe.
    pub(super) fn of_pipe(pipe: &File) -> io::Result<Self> {
        Self::of_kind(pipe, SE_KERNEL_OBJECT)
    }

    fn of_kind(file: &File, kind: SE_OBJECT_TYPE) -> io::Result<Self> {
        let user = User::of_process()?;
        let (mut owner, mut list, mut whole): (PSID, *mut ACL, *mut c_void) =
            (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        #[expect(unsafe_code, reason = "std does not tell who may do what")]
        // SAFETY: the handle is open; the owner and the list are within the third, which is let go of when
        // both were looked at. Each may be null where the file has none.
        unsafe {
            let outcome = GetSecurityInfo(
                file.as_raw_handle(),
                kind,
                OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION,
                &raw mut owner,
                ptr::null_mut(),
                &raw mut list,
                ptr::null_mut(),
                &raw mut whole,
            );
            if outcome != ERROR_SUCCESS {
                return Err(io::Error::from_raw_os_error(outcome.cast_signed()));
            }
            let is_trusted = !owner.is_null() && user.trusts(owner);
            let others = others(&user, list);
            LocalFree(whole);
            Ok(Self { is_trusted, others })
        }
    }

    /// Whether somebody else may do any of this.
    pub(super) fn is_open_to_others(&self, to: u32) -> bool {
        self.others & to != 0
    }
}

/// What the list lets others do; without a list that is all.
#[expect(unsafe_code, reason = "the entries of a list are of any length")]
unsafe fn others(user: &User, list: *const ACL) -> u32 {
    if list.is_null() {
        return u32::MAX;
    }
    // SAFETY: the caller's list is whole. Its entries begin with a header; behind that of the kind
    // `ALLOWED` come what is allowed, and whom.
    unsafe {
        (0..u32::from((*list).AceCount)).fold(0, |others, index| {
            let mut entry = ptr::null_mut();
            if GetAce(list, index, &raw mut entry) == 0 {
                return u32::MAX;
            }
            let header = &*entry.cast::<ACE_HEADER>();
            let is_for_children_only = u32::from(header.AceFlags) & INHERIT_ONLY_ACE != 0;
            if header.AceType != ALLOWED || is_for_children_only {
                return others;
            }
            let allowed = entry.cast::<ACCESS_ALLOWED_ACE>();
            let whom: PSID = (&raw mut (*allowed).SidStart).cast();
            if user.trusts(whom) { others } else { others | (*allowed).Mask }
        })
    }
}

/// Lets nobody but this user, administrators and the system do anything with it. It has to be open for
/// `WRITE_DAC`.
pub(super) fn close_for_others(file: &File) -> io::Result<()> {
    let user = User::of_process()?.name()?;
    // Protected: nothing of the folder above is added. What is made in a folder has the same.
    let entries = [user.as_str(), "SY", "BA"].map(|whom| format!("(A;OICI;FA;;;{whom})"));
    let descriptor = Descriptor::of(&format!("D:P{}", entries.concat()))?;
    #[expect(unsafe_code, reason = "std does not set who may do what")]
    // SAFETY: both live longer than the call.
    let is_set = unsafe {
        SetKernelObjectSecurity(file.as_raw_handle(), DACL_SECURITY_INFORMATION, descriptor.0)
    };
    if is_set == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// What something that is made anew can have: it is this user's, and nobody else is let in.
pub(crate) struct OwnersAlone {
    _descriptor: Descriptor,
    attributes: SECURITY_ATTRIBUTES,
}

impl OwnersAlone {
    pub(crate) fn new() -> io::Result<Self> {
        let user = User::of_process()?.name()?;
        let descriptor = Descriptor::of(&format!("O:{user}D:P(A;;FA;;;{user})"))?;
        let attributes = SECURITY_ATTRIBUTES {
            nLength: u32::try_from(size_of::<SECURITY_ATTRIBUTES>()).unwrap_or_default(),
            lpSecurityDescriptor: descriptor.0,
            bInheritHandle: 0,
        };
        Ok(Self { _descriptor: descriptor, attributes })
    }

    /// As long as this lives, a `SECURITY_ATTRIBUTES` that is whole.
    pub(crate) fn as_attributes(&mut self) -> *mut c_void {
        (&raw mut self.attributes).cast()
    }
}

/// Who owns something and who may do what with it, as the system keeps it.
struct Descriptor(PSECURITY_DESCRIPTOR);

impl Descriptor {
    /// The text has the form that the system documents for it.
    fn of(text: &str) -> io::Result<Self> {
        let text: Vec<u16> = text.encode_utf16().chain([0]).collect();
        let mut descriptor = ptr::null_mut();
        #[expect(unsafe_code, reason = "std does not know who may do what")]
        // SAFETY: the text ends in a zero. What is made of it is let go of when this is dropped.
        let is_made = unsafe {
            ConvertStringSecurityDescriptorToSecurityDescriptorW(
                text.as_ptr(),
                SDDL_REVISION_1,
                &raw mut descriptor,
                ptr::null_mut(),
            )
        };
        if is_made == 0 { Err(io::Error::last_os_error()) } else { Ok(Self(descriptor)) }
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        #[expect(unsafe_code, reason = "it is the system's memory")]
        // SAFETY: the system made it to be let go of so, and nobody has it any more.
        unsafe {
            LocalFree(self.0);
        }
    }
}

/// The user that this process runs as: what the system tells of it, which points into itself.
struct User(Box<[u64; 32]>);

impl User {
    fn of_process() -> io::Result<Self> {
        let mut told = Box::new([0_u64; 32]);
        let (mut token, mut length) = (ptr::null_mut(), 0);
        let size = u32::try_from(size_of_val(&*told)).unwrap_or_default();
        #[expect(unsafe_code, reason = "std does not know users")]
        // SAFETY: the token is owned here, once it is known to be one. The room is as large as is said.
        unsafe {
            if OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &raw mut token) == 0 {
                return Err(io::Error::last_os_error());
            }
            let token = OwnedHandle::from_raw_handle(token);
            let room = told.as_mut_ptr().cast();
            let handle = token.as_raw_handle();
            if GetTokenInformation(handle, TokenUser, room, size, &raw mut length) == 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(Self(told))
    }

    fn sid(&self) -> PSID {
        #[expect(unsafe_code, reason = "the system has filled it in")]
        // SAFETY: it begins with this structure, and is aligned for it.
        unsafe {
            (*self.0.as_ptr().cast::<TOKEN_USER>()).User.Sid
        }
    }

    /// Whether it is this user, or one who may do all anyhow.
    #[expect(unsafe_code, reason = "std does not know users")]
    unsafe fn trusts(&self, other: PSID) -> bool {
        const TRUSTED: [i32; 3] =
            [WinLocalSystemSid, WinBuiltinAdministratorsSid, WinCreatorOwnerRightsSid];
        // SAFETY: the caller's is whole, and so is this one.
        unsafe {
            EqualSid(self.sid(), other) != 0
                || TRUSTED.into_iter().any(|known| IsWellKnownSid(other, known) != 0)
        }
    }

    /// As a list names it.
    fn name(&self) -> io::Result<String> {
        let mut text = ptr::null_mut();
        #[expect(unsafe_code, reason = "std does not know users")]
        // SAFETY: the system makes a text that ends in a zero, which is let go of once it was copied.
        unsafe {
            if ConvertSidToStringSidW(self.sid(), &raw mut text) == 0 {
                return Err(io::Error::last_os_error());
            }
            let length = (0..).take_while(|index| *text.add(*index) != 0).count();
            let name = String::from_utf16_lossy(std::slice::from_raw_parts(text, length));
            LocalFree(text.cast());
            Ok(name)
        }
    }
}

//! A job: processes that the system ends together, at the latest when its last handle is closed.

use std::io;
use std::mem;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle, RawHandle};
use std::ptr;

use windows_sys::Win32::Foundation::ERROR_MORE_DATA;
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT,
    JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK,
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
    JOBOBJECTINFOCLASS, JobObjectBasicAccountingInformation, JobObjectBasicProcessIdList,
    JobObjectExtendedLimitInformation, QueryInformationJobObject, SetInformationJobObject,
    TerminateJobObject,
};

/// What a process ends with that is killed.
const KILLED: u32 = 1;

/// A job with a handle that no other process has: so it ends with this one. What is started in it stays
/// in it.
#[derive(Debug)]
pub(super) struct Job(OwnedHandle);

impl Job {
    pub(super) fn new() -> io::Result<Self> {
        #[expect(unsafe_code, reason = "std has no jobs")]
        // SAFETY: both pointers may be null: the job has no name, and its handle is inherited by nobody.
        // It is owned here, once it is known to be one.
        let job = unsafe {
            let handle = CreateJobObjectW(ptr::null(), ptr::null());
            if handle.is_null() {
                return Err(io::Error::last_os_error());
            }
            Self(OwnedHandle::from_raw_handle(handle))
        };
        job.limit(JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE).map(|()| job)
    }

    /// Lets what its processes start be in it, or outside.
    pub(super) fn take_children(&self, takes: bool) -> io::Result<()> {
        let leaves = if takes { 0 } else { JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK };
        self.limit(JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | leaves)
    }

    fn limit(&self, flags: JOB_OBJECT_LIMIT) -> io::Result<()> {
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = flags;
        #[expect(unsafe_code, reason = "std has no jobs")]
        // SAFETY: the structure is the one of this class, and the size is its own.
        let is_set = unsafe {
            SetInformationJobObject(
                self.0.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast(),
                size_of_val(&limits),
            )
        };
        if is_set == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Puts a process into it, which has started nothing yet.
    pub(super) fn add(&self, process: RawHandle) -> io::Result<()> {
        #[expect(unsafe_code, reason = "std has no jobs")]
        // SAFETY: the call takes any two values, and fails where one is no handle of its kind.
        let is_in_it = unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), process) };
        if is_in_it == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Ends all that is in it.
    pub(super) fn end(&self) {
        #[expect(unsafe_code, reason = "std has no jobs")]
        // SAFETY: the handle is open. It cannot fail but where nothing is in it.
        unsafe {
            TerminateJobObject(self.0.as_raw_handle(), KILLED);
        }
    }

    /// How many processes are in it; `None` where the system does not say.
    pub(super) fn count(&self) -> Option<usize> {
        let mut found = JOBOBJECT_BASIC_ACCOUNTING_INFORMATION::default();
        let size = size_of_val(&found);
        self.ask(JobObjectBasicAccountingInformation, (&raw mut found).cast(), size).ok()?;
        usize::try_from(found.ActiveProcesses).ok()
    }

    /// The numbers of the processes in it, the first 255 of them.
    pub(super) fn processes(&self) -> Vec<u32> {
        /// As the system's own, whose list is as long as there is room.
        #[repr(C)]
        struct List {
            assigned: u32,
            listed: u32,
            numbers: [usize; 255],
        }
        let mut list = List { assigned: 0, listed: 0, numbers: [0; 255] };
        let size = size_of_val(&list);
        match self.ask(JobObjectBasicProcessIdList, (&raw mut list).cast(), size) {
            Err(error) if error.raw_os_error() != i32::try_from(ERROR_MORE_DATA).ok() => Vec::new(),
            _ => {
                let listed = usize::try_from(list.listed).unwrap_or_default();
                let numbers = list.numbers.into_iter().take(listed);
                numbers.filter_map(|number| u32::try_from(number).ok()).collect()
            }
        }
    }

    /// `found` has to be the structure of that class, of that size.
    fn ask(
        &self,
        class: JOBOBJECTINFOCLASS,
        found: *mut std::ffi::c_void,
        size: u32,
    ) -> io::Result<()> {
        #[expect(unsafe_code, reason = "std has no jobs")]
        // SAFETY: the callers above pass structures of plain numbers with their sizes.
        let is_told = unsafe {
            QueryInformationJobObject(self.0.as_raw_handle(), class, found, size, ptr::null_mut())
        };
        if is_told == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

fn size_of_val<T>(value: &T) -> u32 {
    u32::try_from(mem::size_of_val(value)).unwrap_or_default()
}

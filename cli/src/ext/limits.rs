//! How large an extension may be: more than this is none. It holds for folders and archives, unpacked.

pub(super) const MOST_BYTES: u64 = 2 * 1024 * 1024 * 1024;
pub(super) const MOST_FILES: usize = 50_000;
/// Folders within one another.
pub(super) const DEEPEST: usize = 64;

pub(super) const TOO_MUCH: &str = "it has more than 2 GiB";
pub(super) const TOO_MANY_FILES: &str = "it has more than 50000 files";
pub(super) const TOO_DEEP: &str = "its folders are nested too deep";

//! Files on Unix.

use std::fs::{self, DirBuilder, File, FileType, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::process::geteuid;

const OTHERS: u32 = 0o077;
/// All may write, and remove what others made.
const OPEN_FOR_ALL: u32 = 0o002;
const STICKY: u32 = 0o1000;

pub(super) fn open(path: &Path) -> io::Result<File> {
    // A pipe without a writer and some devices keep whoever opens them.
    OpenOptions::new().read(true).custom_flags(flags(OFlags::NONBLOCK | OFlags::NOCTTY)).open(path)
}

pub(super) fn word_for(kind: FileType) -> &'static str {
    match kind {
        _ if kind.is_fifo() => "a pipe (FIFO)",
        _ if kind.is_socket() => "a socket",
        _ => "a device",
    }
}

pub(super) fn real(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize()
}

pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    // Most are there already, and one look is enough for these.
    let found = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => found,
        _ => {
            DirBuilder::new().recursive(true).mode(0o700).create(path)?;
            check_link(path)?;
            fs::metadata(path)?
        }
    };
    if !is_trusted(&found) {
        return Err(of_another(path, &found));
    }
    if found.mode() & OPEN_FOR_ALL != 0 && found.mode() & STICKY == 0 {
        let text = format!("all users may write to {}: {REMEDY}", path.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
    }
    Ok(())
}

pub(super) fn create(path: &Path) -> io::Result<File> {
    let is_link = check_link(path)?;
    // Emptied when it is known whose it is.
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600);
    if !is_link {
        // Nor is it one that somebody puts there in this moment.
        options.custom_flags(flags(OFlags::NOFOLLOW));
    }
    let file = options.open(path)?;
    let found = file.metadata()?;
    if found.is_file() {
        close_for_others(path, &file, &found)?;
        file.set_len(0)?;
    } else if !is_link && !is_trusted(&found) {
        // Behind a trusted link, as /dev/stdout, may stand a pipe of whoever started this.
        return Err(of_another(path, &found));
    }
    Ok(file)
}

pub(super) fn check_private(file: &File) -> Result<(), String> {
    let found = file.metadata().map_err(|error| error.to_string())?;
    if found.uid() != geteuid().as_raw() {
        return Err(format!("it belongs to another user (uid {})", found.uid()));
    }
    match found.mode() & OTHERS {
        0 => Ok(()),
        _ => Err(format!("others may read it (mode {:03o}): chmod 600", found.mode() & 0o777)),
    }
}

pub(super) fn append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true).mode(0o600);
    let file = options.custom_flags(flags(OFlags::NOFOLLOW | OFlags::NONBLOCK)).open(path);
    let file = file.map_err(|error| {
        if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) {
            io::Error::other("it is a link, which is not followed: remove it")
        } else {
            error
        }
    })?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::other("it is not a regular file: remove it"));
    }
    close_for_others(path, &file, &found)?;
    Ok(file)
}

pub(super) fn rotate(path: &Path, file: &File) -> io::Result<File> {
    // Who opened the same file waits here, and finds another one under the name then. The lock goes
    // with the file.
    lock(file)?;
    let (here, ours) = (fs::symlink_metadata(path), file.metadata()?);
    if here.is_ok_and(|here| (here.dev(), here.ino()) == (ours.dev(), ours.ino())) {
        fs::rename(path, super::before(path))?;
    }
    append(path)
}

pub(super) fn lock(file: &File) -> io::Result<()> {
    Ok(flock(file, FlockOperation::LockExclusive)?)
}

pub(super) fn try_lock(file: &File) -> io::Result<bool> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

const REMEDY: &str = "let EXTLINE_HOME name a folder of your own";

/// A link of another user's would lead to where that user wants.
/// Whether it is a link, of one who is trusted.
fn check_link(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() && !is_trusted(&found) => Err(of_another(path, &found)),
        found => Ok(found.is_ok_and(|found| found.is_symlink())),
    }
}

fn close_for_others(path: &Path, file: &File, found: &Metadata) -> io::Result<()> {
    if found.uid() != geteuid().as_raw() {
        return Err(of_another(path, found));
    }
    if found.mode() & OTHERS != 0 {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(())
}

fn is_trusted(found: &Metadata) -> bool {
    [0, geteuid().as_raw()].contains(&found.uid())
}

fn of_another(path: &Path, found: &Metadata) -> io::Error {
    let text = format!(
        "{} belongs to another user (uid {}): remove it, or {REMEDY}",
        path.display(),
        found.uid()
    );
    io::Error::new(io::ErrorKind::PermissionDenied, text)
}

fn flags(flags: OFlags) -> i32 {
    // The flags of open(2) are an int, and these are small.
    i32::try_from(flags.bits()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{chown, symlink};
    use std::process::Command;

    use super::super::{MANIFEST_BYTES, append, create, make_folder, read_text};
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn pipes_and_devices_are_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let error = read_text(&pipe, MANIFEST_BYTES).unwrap_err();
        assert_eq!(error.to_string(), "it is a pipe (FIFO), not a regular file");
        let device = folder.path().join("device");
        symlink("/dev/zero", &device).unwrap();
        let error = read_text(&device, MANIFEST_BYTES).unwrap_err();
        assert_eq!(error.to_string(), "it is a device, not a regular file");
    }

    #[test]
    fn what_is_made_is_for_its_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let (above, below) = (folder.path().join("a"), folder.path().join("a/b"));
        make_folder(&below).unwrap();
        assert_eq!((mode(&above), mode(&below)), (0o700, 0o700));
        let (log, trace) = (below.join("log"), below.join("trace"));
        // Also where it was made otherwise, by an earlier version.
        fs::write(&trace, "before").unwrap();
        fs::set_permissions(&trace, Permissions::from_mode(0o644)).unwrap();
        append(&log).unwrap();
        create(&trace).unwrap();
        assert_eq!((mode(&log), mode(&trace)), (0o600, 0o600));
        assert_eq!(fs::read(&trace).unwrap(), b"");
    }

    #[test]
    fn a_log_is_no_link_and_no_pipe() {
        let folder = tempfile::tempdir().unwrap();
        let (link, target) = (folder.path().join("link"), folder.path().join("target"));
        fs::write(&target, "").unwrap();
        symlink(&target, &link).unwrap();
        assert!(append(&link).unwrap_err().to_string().contains("it is a link"));
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(append(&pipe).is_err());
    }

    #[test]
    fn nothing_of_another_user_s_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let open = folder.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
        assert!(make_folder(&open).unwrap_err().to_string().contains("EXTLINE_HOME"));
        fs::set_permissions(&open, Permissions::from_mode(0o1777)).unwrap();
        make_folder(&open).unwrap();

        // Only root can give things away.
        let theirs = folder.path().join("theirs");
        fs::create_dir(&theirs).unwrap();
        if chown(&theirs, Some(12_345), None).is_err() {
            return;
        }
        assert!(make_folder(&theirs).unwrap_err().to_string().contains("uid 12345"));
        let file = folder.path().join("file");
        fs::write(&file, "theirs").unwrap();
        chown(&file, Some(12_345), None).unwrap();
        assert!(append(&file).is_err());
        assert!(create(&file).is_err());
        assert_eq!(fs::read(&file).unwrap(), b"theirs");
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        // Both ends are this one, so that nobody waits for the other.
        let _reads = OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
        create(&pipe).unwrap();
        chown(&pipe, Some(12_345), None).unwrap();
        assert!(create(&pipe).unwrap_err().to_string().contains("another user"));
        let link = folder.path().join("link");
        symlink(folder.path().join("new"), &link).unwrap();
        create(&link).unwrap();
        std::os::unix::fs::lchown(&link, Some(12_345), None).unwrap();
        assert!(create(&link).unwrap_err().to_string().contains("another user"));
    }
}

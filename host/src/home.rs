//! Where logs and the extensions' data are kept.

use std::env;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use extline_protocol::is_hidden;

use crate::file::{append, is_of_device, make_folder};

/// The variable with the person's folder.
pub(crate) const HOME: &str = if cfg!(windows) { "USERPROFILE" } else { "HOME" };

/// The folder for logs and data when the embedder names none: `$EXTLINE_HOME`, else `extline` in
/// the platform's folder for application data, else one for this user alone in the temporary folder.
pub fn default_home() -> PathBuf {
    let absolute =
        |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if let Some(home) = absolute("EXTLINE_HOME") {
        return home;
    }
    let data = if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        absolute("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        absolute("XDG_DATA_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/share")))
    };
    data.map_or_else(of_this_user, |data| data.join("extline"))
}

/// Without a home: all users share the temporary folder, so it is one that only this user can have
/// made; [`make_folder`] refuses it otherwise.
#[cfg(unix)]
fn of_this_user() -> PathBuf {
    env::temp_dir().join(format!("extline-{}", rustix::process::geteuid().as_raw()))
}

/// There each user has a temporary folder of their own.
#[cfg(not(unix))]
fn of_this_user() -> PathBuf {
    env::temp_dir().join("extline")
}

/// Makes the data folder of an extension in a home that nobody else can change.
pub(crate) fn make_data_dir(home: &Path, folder: &Path) -> io::Result<()> {
    make_folder(home)?;
    folder.parent().map_or(Ok(()), make_folder)?;
    make_folder(folder)
}

/// Where the log of an extension is.
#[derive(Debug)]
pub(crate) struct LogPlace {
    pub(crate) file: PathBuf,
    /// The folders above it that are made, and must be nobody else's.
    folders: Vec<PathBuf>,
}

impl LogPlace {
    /// In the folder of logs that the embedder named, else in that of the home.
    pub(crate) fn of(extension: &str, home: &Path, logs: Option<&Path>) -> Self {
        let folders = match logs {
            Some(logs) => vec![logs.to_owned()],
            None => vec![home.to_owned(), home.join("logs")],
        };
        let name = format!("{}.log", file_name(extension));
        let file = folders.last().map_or_else(PathBuf::new, |logs| logs.join(name));
        Self { file, folders }
    }

    /// Opens the file to write behind its end; the length that it has.
    pub(crate) fn open(&self) -> io::Result<(File, u64)> {
        self.folders.iter().try_for_each(make_folder)?;
        let file = append(&self.file)?;
        let length = file.metadata()?.len();
        Ok((file, length))
    }
}

/// The data folder of an extension.
pub(crate) fn data_dir(home: &Path, extension: &str) -> PathBuf {
    home.join("data").join(file_name(extension))
}

/// A name that an embedder made up may hold anything; as a file name it stays in its folder.
pub(crate) fn file_name(extension: &str) -> String {
    let is_unfit = |it: char| matches!(it, '/' | '\\') || is_hidden(it) || is_unfit_here(it);
    let name = extension.replace(is_unfit, "_");
    let name = if name.starts_with('.') { format!("_{name}") } else { name };
    if cfg!(windows) && is_of_device(&name) { format!("_{name}") } else { name }
}

/// What no name of a file has on Windows.
fn is_unfit_here(letter: char) -> bool {
    cfg!(windows) && matches!(letter, '<' | '>' | ':' | '"' | '|' | '?' | '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_out_of_the_folder() {
        let home = Path::new("/h");
        assert_eq!(data_dir(home, "clock"), Path::new("/h/data/clock"));
        assert_eq!(data_dir(home, "../../etc"), Path::new("/h/data/_.._.._etc"));
        assert_eq!(data_dir(home, ".."), Path::new("/h/data/_.."));
        let log = |logs| LogPlace::of("a/b\u{202e}", home, logs).file;
        assert_eq!(log(Some(Path::new("/l"))), Path::new("/l/a_b_.log"));
        assert_eq!(log(None), Path::new("/h/logs/a_b_.log"));
    }
}

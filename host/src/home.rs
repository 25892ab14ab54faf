//! Where logs and the extensions' data are kept.

use std::env;
use std::path::{Path, PathBuf};

/// The folder for logs and data when the embedder names none: `$EXTLINE_HOME`, else `extline` in
/// the platform's folder for application data, else in the temporary one.
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
    data.unwrap_or_else(env::temp_dir).join("extline")
}

/// The log file of an extension.
pub(crate) fn log_file(logs: &Path, extension: &str) -> PathBuf {
    logs.join(format!("{}.log", file_name(extension)))
}

/// The data folder of an extension.
pub(crate) fn data_dir(home: &Path, extension: &str) -> PathBuf {
    home.join("data").join(file_name(extension))
}

/// A name that an embedder made up may hold anything; as a file name it stays in its folder.
fn file_name(extension: &str) -> String {
    let name = extension.replace(['/', '\\', '\0'], "_");
    if name.starts_with('.') { format!("_{name}") } else { name }
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
        assert_eq!(log_file(Path::new("/l"), "a/b"), Path::new("/l/a_b.log"));
    }
}

//! From what the table of agents says to a path: `~` is the home folder, and `${NAME:-~/x}` a variable
//! with what holds without it, both only at the beginning.

use std::env;
use std::path::{Path, PathBuf};

/// The path, or why there is none.
pub(super) fn resolve(written: &str, project: &Path) -> Result<PathBuf, String> {
    if let Some(rest) = written.strip_prefix("${") {
        let (name, rest) = rest.split_once(":-").unwrap_or((rest, ""));
        let (otherwise, rest) = rest.split_once('}').unwrap_or((rest, ""));
        let start = match absolute(name) {
            Some(folder) => folder,
            None => in_home(otherwise)?,
        };
        return Ok(start.join(rest.trim_start_matches('/')));
    }
    if written.starts_with('~') { in_home(written) } else { Ok(project.join(written)) }
}

fn in_home(written: &str) -> Result<PathBuf, String> {
    let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    let home = absolute(name).ok_or_else(|| {
        format!("{name} is not set to an absolute path; set it, or use --scope project")
    })?;
    let rest = written.trim_start_matches(['~', '/']);
    Ok(if rest.is_empty() { home } else { home.join(rest) })
}

/// A variable that holds an absolute path; agents too take any other for none.
fn absolute(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

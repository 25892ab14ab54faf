//! What a project brought is started only as it was when somebody trusted it.

use crate::process::Launch;
use crate::report::Problem;
use crate::trust::Tree;

/// Whether its folder still is what was trusted. Asked just before each start.
pub(crate) fn check_pin(launch: &Launch) -> Result<(), Problem> {
    let Some(digest) = &launch.pin else { return Ok(()) };
    let untrusted = |message: String| Problem::Untrusted {
        folder: launch.dir.clone(),
        message,
        remedy: format!("look at it, and say `extline ext trust {}`", launch.dir.display()),
    };
    let tree = Tree::read(&launch.dir).map_err(|error| untrusted(error.to_string()))?;
    if tree.digest() == *digest {
        return Ok(());
    }
    Err(untrusted("its files have changed since somebody trusted them".to_owned()))
}

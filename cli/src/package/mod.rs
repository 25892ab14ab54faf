//! `extline package`: an extension as the packages that agents install.
//!
//! Each package holds the extension itself, in the folder `extension`, and says how `extline` starts it
//! (`kinds.rs`). Skills and commands of the extension are carried over (`prompts.rs`). The same folder gives
//! the same bytes.

mod files;
mod kinds;
mod prompts;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use extline_host::{ExtensionSource, Program};
use serde_json::json;

use self::files::Content;
use crate::args::{Kind, Package};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::target::told;

/// The folder of the extension in a package.
const EXTENSION: &str = "extension";

pub(crate) fn run(package: &Package, mut printer: Printer) -> Exit {
    let kinds =
        if package.kinds.is_empty() { Kind::value_variants() } else { package.kinds.as_slice() };
    match packages(package, kinds) {
        Ok(made) => {
            for (kind, folder, content) in made {
                tell(kind, &folder, &content, &mut printer);
            }
            printer.finish(Exit::Ok)
        }
        Err(why) => Failure::of_file(&why).report(&mut printer),
    }
}

/// All of them are planned before the first is written.
fn packages(package: &Package, kinds: &[Kind]) -> Result<Vec<(Kind, PathBuf, Content)>, String> {
    let cwd = std::env::current_dir().map_err(|error| format!("the present folder: {error}"))?;
    // Also looks whether it can be started at all.
    let program = Program::of(&ExtensionSource::folder(&package.dir), &cwd);
    let program = program.map_err(|problem| told(&problem))?;
    let manifest = program.manifest().ok_or("the extension has no manifest")?;
    kinds::check(manifest)?;
    let own = files::of_extension(&package.dir, &package.out)?;
    let mut planned = Vec::new();
    for kind in kinds {
        let folder = package.out.join(name_of(*kind));
        files::check_free(&folder, package.force)?;
        planned.push((*kind, folder, kinds::content(*kind, manifest, &own)?));
    }
    for (_, folder, content) in &planned {
        content.write(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    Ok(planned)
}

fn name_of(kind: Kind) -> &'static str {
    match kind {
        Kind::AgentPlugin => "agent-plugin",
        Kind::Claude => "claude",
        Kind::Gemini => "gemini",
    }
}

fn tell(kind: Kind, folder: &Path, content: &Content, printer: &mut Printer) {
    let (files, bytes) = (content.files.len(), content.bytes());
    let json = json!({
        "package": name_of(kind), "folder": folder, "files": files, "bytes": bytes, "left_out": content.left_out,
    });
    if printer.json {
        return printer.json(&json);
    }
    printer.result(format_args!("{}: {files} files, {bytes} bytes", folder.display()));
    if !content.left_out.is_empty() {
        printer.result(format_args!("  left out: {}", content.left_out.join(", ")));
    }
    printer.result(format_args!("  try it: {}", kinds::try_it(kind, folder)));
}

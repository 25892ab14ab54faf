//! `extline ext remove`.

use extline_host::discovery::{Discovery, Layer};
use extline_host::{default_home, file};
use serde_json::json;

use super::place::{Place, failure};
use super::{Refused, cwd};
use crate::args::ExtRemove;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::question;

pub(super) async fn run(remove: &ExtRemove, printer: &mut Printer) -> Result<Exit, Refused> {
    let cwd = cwd()?;
    let place = Place::open(remove.project, &cwd)?;
    let layer = if remove.project { Layer::Project } else { Layer::User };
    let discovery =
        Discovery::new(&default_home(), &cwd).map_err(|error| Refused::file(&error.to_string()))?;
    let found = discovery.find();
    let name = &remove.name;
    let is_it = |layer_of: Layer, path: &std::path::Path| {
        layer_of == layer && path.parent() == Some(&place.folder)
    };
    let one = found.iter().find(|one| one.name == *name && is_it(one.layer, &one.path));
    // A link to a folder elsewhere was put there by a person, and is called as its file.
    let path = match one {
        Some(one) => one.path.clone(),
        None => place.folder.join(name),
    };
    let is_name = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\']);
    if !is_name || path.symlink_metadata().is_err() {
        let others = found.iter().filter(|one| one.name == *name);
        let others: Vec<_> = others.map(|one| one.path.display().to_string()).collect();
        let others = match &*others.join(", ") {
            "" => String::new(),
            others => format!("; there is {others}"),
        };
        let text = format!("{name} is not installed in {}{others}", place.folder.display());
        return Err(Refused::usage(&text));
    }
    if !remove.yes && !is_agreed(&path.display().to_string(), printer).await? {
        printer.say("nothing was removed");
        return Ok(Exit::ToolError);
    }
    // Known by its path without links, which there is none of afterwards.
    let folder = file::real(&path);
    place.remove(&path).map_err(|error| failure(&path, &error))?;
    if let (Some(one), Ok(folder)) = (one, folder) {
        discovery.forget_offer(&one.name, &folder);
    }
    let forgotten = discovery.trust_store().forget(&path);
    forgotten.map_err(|error| failure(&path, &error))?;
    let json = json!({ "removed": name, "path": path });
    printer.tell(format_args!("removed {name} ({})", path.display()), &json);
    Ok(Exit::Ok)
}

async fn is_agreed(path: &str, printer: &mut Printer) -> Result<bool, Refused> {
    if !question::is_terminal() {
        return Err(Refused::usage("nobody is there to ask: --yes removes it"));
    }
    let question = format!("Remove {path}?");
    let agreed = question::is_agreed(question, printer).await;
    agreed.map_err(|exit| Refused::interrupted(exit).because("nothing was removed"))
}

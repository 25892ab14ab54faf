//! Whether a person trusts the extensions of a project.

use std::path::Path;

use extline_host::discovery::{Discovery, Found, Verdict};
use extline_host::trust::{Tree, TrustDecision, TrustStore};
use extline_host::{Manifest, sandbox_limits};
use serde_json::json;

use super::Refused;
use super::{discovery, named};
use crate::args::{ExtNames, ExtTrust};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::question::{self, is_terminal};
use crate::styled::{BOLD, DIM, Text, YELLOW};

/// Characters that are shown of what others wrote, and files that have changed.
const LINE_CHARS: usize = 1000;
const FILES: usize = 20;

/// What a person says.
enum Answer {
    Always,
    Once,
    No,
    /// The end of the input.
    None,
}

pub(super) async fn run(trust: &ExtTrust, printer: &mut Printer) -> Result<Exit, Refused> {
    let discovery = discovery()?;
    let found = discovery.find();
    let mut wanted = Vec::new();
    for name in &trust.names {
        wanted.extend(named(&found, name)?);
    }
    if trust.names.is_empty() {
        wanted = found.iter().collect();
    }
    let of_project =
        |one: &&Found| matches!(one.verdict, Verdict::Untrusted { .. } | Verdict::Unfit { .. });
    let untrusted: Vec<_> = wanted.into_iter().filter(of_project).collect();
    if untrusted.is_empty() {
        printer.tell("there is nothing to trust here", &json!({ "trusted": [] }));
    }
    for one in untrusted {
        let Verdict::Untrusted { digest, .. } = &one.verdict else {
            let why = one.verdict.why().unwrap_or_default();
            return Err(Refused::file(&format!("{}: {why}", one.name)));
        };
        show(one, printer);
        if !trust.yes && !is_terminal() {
            let text = "nobody is there to ask: `extline ext trust --yes NAME` trusts it";
            return Err(Refused::usage(text));
        }
        if !trust.yes && !matches!(ask("[y]es, [N]o", printer).await?, Answer::Always) {
            continue;
        }
        keep(&discovery.trust_store(), &one.path, digest, TrustDecision::Trusted)?;
        let name = &one.name;
        let json = json!({ "trusted": name, "digest": digest });
        printer.tell(format_args!("trusted {name} as it is now ({digest})"), &json);
    }
    Ok(Exit::Ok)
}

pub(super) fn untrust(names: &ExtNames, printer: &mut Printer) -> Result<Exit, Refused> {
    let discovery = discovery()?;
    let found = discovery.find();
    for name in &names.names {
        for one in named(&found, name)? {
            let forgotten = discovery.trust_store().forget(&one.path);
            let was_there = forgotten.map_err(|error| {
                Refused::file(&format!("the grant cannot be taken back: {error}"))
            })?;
            let text = if was_there { "no longer trusted" } else { "was not trusted" };
            let json = json!({ "untrusted": one.name, "path": one.path, "was_trusted": was_there });
            printer.tell(format_args!("{}: {text} ({})", one.name, one.path.display()), &json);
        }
    }
    Ok(Exit::Ok)
}

/// Asks about each that nobody has trusted, on a terminal; elsewhere says what is not started, and what to do. What is
/// found afterwards.
pub(crate) async fn ask_about(
    mut discovery: Discovery,
    printer: &mut Printer,
) -> Result<Vec<Found>, Refused> {
    let found = discovery.find();
    let mut changed = false;
    for one in &found {
        let Verdict::Untrusted { digest, before } = &one.verdict else { continue };
        let is_declined = before.as_ref().is_some_and(|(_, changes)| changes.is_empty());
        if is_declined {
            continue;
        }
        if !is_terminal() {
            let why = one.verdict.why().unwrap_or_default();
            printer.warn(format_args!(
                "{} is not started: {why}; `extline ext trust {}` trusts it",
                one.name, one.name
            ));
            continue;
        }
        show(one, printer);
        let decision = match ask("[y]es, [o]nce, [N]o", printer).await? {
            Answer::Once => {
                discovery.trust_once(digest);
                changed = true;
                continue;
            }
            Answer::Always => TrustDecision::Trusted,
            Answer::No => TrustDecision::Declined,
            Answer::None => continue,
        };
        keep(&discovery.trust_store(), &one.path, digest, decision)?;
        changed = true;
    }
    Ok(if changed { discovery.find() } else { found })
}

/// Keeps what was said about the files that were shown, and no others.
pub(super) fn keep(
    store: &TrustStore,
    path: &Path,
    digest: &str,
    decision: TrustDecision,
) -> Result<(), Refused> {
    let wrong = |why: String| Refused::file(&format!("nothing was trusted: {why}"));
    let tree = Tree::read(path).map_err(|error| wrong(error.to_string()))?;
    if tree.digest() != digest {
        return Err(wrong(format!("{} has changed meanwhile", path.display())));
    }
    store.keep(path, &tree, decision).map(drop).map_err(|error| wrong(error.to_string()))
}

/// What it runs and asks for, and what has changed.
fn show(one: &Found, printer: &mut Printer) {
    let Some(manifest) = &one.manifest else { return };
    printer.say(format_args!("{BOLD}{}{BOLD:#}  {DIM}{}{DIM:#}", one.name, one.path.display()));
    if !manifest.description.is_empty() {
        printer.say(format_args!("  {}", Text::line(&manifest.description, LINE_CHARS)));
    }
    printer.say(format_args!("  runs   {}", Text::line(&command_line(manifest), LINE_CHARS)));
    let permissions = &manifest.permissions;
    for (what, names) in [("env", &permissions.env), ("keys", &permissions.secrets)] {
        if !names.is_empty() {
            let names = Text::line(&names.join(", "), LINE_CHARS);
            printer.say(format_args!("  {what:<6} {names}"));
        }
    }
    // The project is where the person stands.
    let cwd = std::env::current_dir().unwrap_or_default();
    for limit in sandbox_limits(manifest, &one.path, &cwd) {
        printer.say(format_args!("  limit  {}", Text::line(&limit, LINE_CHARS)));
    }
    let Verdict::Untrusted { digest, before } = &one.verdict else { return };
    let changes = before.iter().flat_map(|(_, changes)| changes);
    for change in changes.clone().take(FILES) {
        let change = Text::line(&change.to_string(), LINE_CHARS);
        printer.say(format_args!("  {YELLOW}{change}{YELLOW:#}"));
    }
    if let more @ 1.. = changes.count().saturating_sub(FILES) {
        printer.say(format_args!("  {YELLOW}and {more} more{YELLOW:#}"));
    }
    printer.say(format_args!("  {DIM}{digest}{DIM:#}"));
}

pub(super) fn command_line(manifest: &Manifest) -> String {
    let words = manifest.exec.iter().chain(&manifest.args).map(String::as_str);
    shlex::try_join(words).unwrap_or_else(|_| "?".to_owned())
}

async fn ask(answers: &str, printer: &mut Printer) -> Result<Answer, Refused> {
    let question =
        format!("It runs as you, and may do what you may within its limits. Trust it: {answers}?");
    let answer = question::answer(question, printer).await;
    let answer =
        answer.map_err(|exit| Refused::interrupted(exit).because("nothing more was trusted"))?;
    Ok(match answer.as_deref() {
        None => Answer::None,
        Some("y" | "yes") => Answer::Always,
        Some("o" | "once") => Answer::Once,
        Some(_) => Answer::No,
    })
}

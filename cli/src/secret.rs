//! `extline secret`: the values that a person gives to extensions. They are never printed, and never an argument: a
//! command line is seen by every user of the machine, and kept in a shell's history.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;

use clap::error::ErrorKind;
use extline_host::services::secret::Source;
use extline_host::{Manifest, SecretStore, declared_secrets, default_home};
use extline_protocol::check_extension_name;
use serde::Serialize;

use crate::args::{Secret, SecretAction, SecretList, SecretRemove, SecretSet};
use crate::dialogs;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::styled::{BOLD, DIM, Text, YELLOW, text};
use crate::target::usage;

/// Bytes of a value that are read: one more than may be set.
const VALUE_BYTES: u64 = 64 * 1024 + 1;

/// A secret, as it is listed.
#[derive(Debug, Serialize)]
pub(crate) struct Listed {
    name: String,
    /// Whether the manifest of the extension declares it; `None` where there is no folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    declared: Option<bool>,
    set: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'static str>,
    /// Why it cannot be read where it is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// What sets it, where it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
}

/// Whom a secret is for.
struct Extension {
    name: String,
    /// Where it is a folder.
    declared: Option<Vec<String>>,
}

pub(crate) async fn run(secret: Secret, mut printer: Printer) -> Result<Exit, clap::Error> {
    let store = SecretStore::new(default_home());
    let done = match secret.action {
        SecretAction::Set(mut set) => {
            // Behind the two words it is one of them to clap, which takes whatever may be a value.
            set.keyring |= set.words.pop_if(|last| last == "--keyring").is_some();
            let [extension, name] = words(&set)?;
            self::set(&store, extension, name, set.keyring, &mut printer).await
        }
        SecretAction::List(list) => self::list(&store, &list, &mut printer),
        SecretAction::Remove(remove) => self::remove(&store, &remove, &mut printer),
    };
    let exit = done.unwrap_or_else(|why| {
        printer.error(why);
        Exit::ToolError
    });
    Ok(printer.finish(exit))
}

/// The declared secrets of an extension, with those that are set beside them.
pub(crate) fn listed(
    store: &SecretStore,
    extension: &str,
    declared: Option<&[String]>,
) -> io::Result<Vec<Listed>> {
    let mut names = declared.unwrap_or_default().to_vec();
    for name in store.names(extension)? {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let list = |name: String| {
        let is_declared = declared.map(|declared| declared.contains(&name));
        // A keyring that cannot be asked keeps nobody from seeing the others.
        let (source, problem) = match store.is_secret_set(extension, &name) {
            Ok(source) => (source.map(Source::as_str), None),
            Err(error) => (None, Some(error.to_string())),
        };
        let is_missing = source.is_none() && problem.is_none();
        let command = is_missing.then(|| command(extension, &name));
        Listed { name, declared: is_declared, set: source.is_some(), source, problem, command }
    };
    Ok(names.into_iter().map(list).collect())
}

/// One line of a list.
pub(crate) fn line(listed: &Listed) -> Text {
    let name = Text::line(&listed.name, 200);
    let state = match (&listed.source, &listed.command, &listed.problem) {
        (_, _, Some(problem)) => {
            text!("{YELLOW}not readable{YELLOW:#}: {}", Text::line(problem, 400))
        }
        (Some(source), ..) => text!("set ({source})"),
        (None, Some(command), _) => {
            text!("{YELLOW}not set{YELLOW:#}: {}", Text::line(command, 400))
        }
        (None, None, None) => text!("not set"),
    };
    match listed.declared {
        Some(false) => text!("  {BOLD}{name}{BOLD:#}  {state}  {DIM}not declared{DIM:#}"),
        _ => text!("  {BOLD}{name}{BOLD:#}  {state}"),
    }
}

/// What sets a secret.
fn command(extension: &str, name: &str) -> String {
    let words = shlex::try_join([extension, name]);
    format!("extline secret set {}", words.unwrap_or_else(|_| format!("{extension:?} {name:?}")))
}

/// The two words; a third is refused, and not shown.
fn words(set: &SecretSet) -> Result<[&OsStr; 2], clap::Error> {
    let message = match set.words.as_slice() {
        [extension, name] => match name.to_str() {
            Some(name) if name.contains('=') => {
                "a value is no argument, as NAME=VALUE would have it"
            }
            _ => return Ok([extension, name]),
        },
        _ => "a value is no argument",
    };
    let message = format!(
        "{message}: other users of the machine see a command line, and a shell keeps it. Give the name alone, and the \
         value when it is asked for, or on stdin"
    );
    Err(usage("secret", ErrorKind::InvalidValue, &message))
}

async fn set(
    store: &SecretStore,
    extension: &OsStr,
    name: &OsStr,
    in_keyring: bool,
    printer: &mut Printer,
) -> Result<Exit, String> {
    let Extension { name: extension, declared } = extension_of(extension)?;
    let name = name.to_str().ok_or("the name of the secret is not UTF-8")?;
    let value = value(&extension, name).await?;
    printer.redactor.learn(&value);
    let set = if in_keyring { SecretStore::set_in_keyring } else { SecretStore::set };
    set(store, &extension, name, &value).map_err(|error| {
        let instead = if in_keyring { "; without --keyring it is kept in a file" } else { "" };
        format!("{error}{instead}")
    })?;
    if declared.is_some_and(|declared| !declared.iter().any(|known| known == name)) {
        printer.warn(format_args!(
            "{extension} does not declare it, and is not given it: add {name:?} to permissions.secrets in its \
             extension.json"
        ));
    }
    let source = store.is_secret_set(&extension, name).map_err(|error| error.to_string())?;
    if source == Some(Source::Environment) {
        printer.warn(format_args!(
            "the environment variable {name} is set here, and comes before what is set now"
        ));
    }
    let json = serde_json::json!({ "extension": extension, "name": name, "set": true });
    printer.tell(text!("{BOLD}{name}{BOLD:#} of {extension} is set"), &json);
    Ok(Exit::Ok)
}

/// The value, as it is typed or as stdin has it, without the line end behind it.
async fn value(extension: &str, name: &str) -> Result<String, String> {
    let value = if dialogs::stdin_is_terminal() {
        let question = format!("{name} of {extension}, not shown: ");
        let typed = dialogs::unseen_line(&question).await;
        let typed = typed.map_err(|error| format!("the terminal cannot be used: {error}"))?;
        typed.ok_or("nothing was typed, and nothing is set")?
    } else {
        let mut value = String::new();
        let read = io::stdin().take(VALUE_BYTES).read_to_string(&mut value);
        // The error may quote nothing of the value.
        read.map_err(|error| format!("stdin cannot be read as text: {}", error.kind()))?;
        let end = value.strip_suffix('\n').unwrap_or(&value);
        end.strip_suffix('\r').unwrap_or(end).to_owned()
    };
    if value.is_empty() {
        return Err("the value is empty, and nothing is set".to_owned());
    }
    Ok(value)
}

fn list(store: &SecretStore, list: &SecretList, printer: &mut Printer) -> Result<Exit, String> {
    let extensions = if let Some(extension) = &list.extension {
        vec![extension_of(extension)?]
    } else {
        let names = store.extensions().map_err(|error| error.to_string())?;
        names.into_iter().map(|name| Extension { name, declared: None }).collect()
    };
    if extensions.is_empty() {
        printer.tell("no secrets are set", &serde_json::json!({ "extensions": [] }));
        return Ok(Exit::Ok);
    }
    for Extension { name, declared } in extensions {
        let secrets = listed(store, &name, declared.as_deref());
        let secrets = secrets.map_err(|error| error.to_string())?;
        if printer.json {
            printer.json(&serde_json::json!({ "extension": name, "secrets": secrets }));
            continue;
        }
        let none = if secrets.is_empty() { "  no secrets" } else { "" };
        printer.result(text!("{BOLD}{}{BOLD:#}{none}", Text::line(&name, 200)));
        for secret in &secrets {
            printer.result(line(secret));
        }
    }
    Ok(Exit::Ok)
}

fn remove(
    store: &SecretStore,
    remove: &SecretRemove,
    printer: &mut Printer,
) -> Result<Exit, String> {
    let extension = extension_of(&remove.extension)?.name;
    let name = &remove.name;
    if !store.remove(&extension, name).map_err(|error| error.to_string())? {
        return Err(format!(
            "{name} of {extension} is not set; extline secret list has those that are"
        ));
    }
    let json = serde_json::json!({ "extension": extension, "name": name, "removed": true });
    printer.tell(text!("{BOLD}{name}{BOLD:#} of {extension} is removed"), &json);
    Ok(Exit::Ok)
}

/// From a folder, or from a name.
fn extension_of(word: &OsStr) -> Result<Extension, String> {
    let path = Path::new(word);
    if path.is_dir() || path.components().count() != 1 || word == "." {
        let manifest = Manifest::read(path).map_err(|error| error.to_string())?;
        let declared = Some(declared_secrets(&manifest));
        return Ok(Extension { name: manifest.name, declared });
    }
    let name = word.to_str().ok_or("the name of the extension is not UTF-8")?.to_owned();
    check_extension_name(&name).map_err(|why| {
        format!("{name:?} is neither a folder nor the name of an extension: {why}")
    })?;
    Ok(Extension { name, declared: None })
}

//! `extline config`: what is set for an extension, and setting it.
//!
//! Nothing of the extension is run. A value is held against `config_schema` before it is written.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use extline_host::config::{ConfigError, ConfigValue, Configuration, Origin, ToolSettings};
use extline_host::{MANIFEST, Manifest, default_home};
use serde_json::{Value, json};

use crate::args::Config;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::styled::{BOLD, DIM, Text, YELLOW, text};

/// Characters that are shown of a value.
const VALUE_CHARS: usize = 200;

/// What was asked for, and what is there.
struct Asked<'a> {
    config: &'a Config,
    name: String,
    /// The folder as a person would write it.
    folder: String,
    set: Configuration,
}

pub(crate) fn run(config: &Config, mut printer: Printer) -> Exit {
    let exit = match Asked::of(config) {
        Ok(mut asked) => asked
            .answer(&mut printer)
            .unwrap_or_else(|why| Failure::of_file(&why).report(&mut printer)),
        Err(why) => Failure::of_usage(&why).report(&mut printer),
    };
    printer.finish(exit)
}

impl<'a> Asked<'a> {
    fn of(config: &'a Config) -> Result<Self, String> {
        let cwd = env::current_dir().map_err(|error| format!("the present folder: {error}"))?;
        let home = default_home();
        let folder = folder_of(&config.extension, &cwd, &home)?;
        let manifest = Manifest::read(&folder).map_err(|error| error.to_string())?;
        let name = manifest.name.clone();
        let set = Configuration::read(&name, Some(&manifest), &home, &cwd)
            .map_err(|error| format!("the configuration of {name}: {error}"))?;
        Ok(Self { config, name, folder: folder.display().to_string(), set })
    }

    fn answer(&mut self, printer: &mut Printer) -> Result<Exit, String> {
        let Config { key, value, unset, tool, .. } = self.config;
        match (tool, key, value, unset) {
            (None, None, _, None) => self.show_all(printer),
            (None, Some(key), None, _) => return self.show(key, printer),
            (None, Some(key), Some(value), _) => {
                self.set.set(key, value).map_err(|error| refused(&error))?;
                self.save()?;
                self.tell_set(key, printer);
            }
            (None, None, _, Some(key)) => {
                let was_there = self.set.unset(key).map_err(|error| refused(&error))?;
                self.save()?;
                tell_unset(key, was_there, printer);
            }
            (Some(tool), None, _, None) => {
                let settings = self.set.tools().get(tool).cloned().unwrap_or_default();
                let told = told_tool(tool, &settings);
                printer.tell(told, &json!({ "tool": tool, "settings": tool_json(&settings) }));
            }
            (Some(tool), Some(key), None, _) => {
                let settings = self.set.tools().get(tool).cloned().unwrap_or_default();
                let settings = tool_json(&settings);
                let found = settings.get(key).or_else(|| settings["parameters"].get(key));
                let value = found.ok_or_else(|| format!("{key} is not set for {tool}"))?;
                let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                printer.tell(shown, &json!({ "tool": tool, "key": key, "value": value }));
            }
            (Some(tool), Some(key), Some(value), _) => {
                let set = self.set.set_tool(tool, key, value);
                set.map_err(|error| refused(&error))?;
                self.save()?;
                self.tell_set(&format!("{tool}: {key}"), printer);
            }
            (Some(tool), None, _, Some(key)) => {
                let was_there = self.set.unset_tool(tool, Some(key));
                self.save()?;
                tell_unset(&format!("{tool}: {key}"), was_there, printer);
            }
        }
        Ok(Exit::Ok)
    }

    fn save(&self) -> Result<(), String> {
        let file = self.set.user_file().display();
        self.set.save().map_err(|error| format!("{file} cannot be written: {error}"))
    }

    fn tell_set(&self, what: &str, printer: &mut Printer) {
        let file = self.set.user_file().display();
        printer.tell(format_args!("set {what} in {file}"), &json!({ "set": what }));
    }

    /// The value alone, for scripts: a text as it is, all else as JSON.
    fn show(&self, key: &str, printer: &mut Printer) -> Result<Exit, String> {
        let values = self.set.values();
        let found = values.iter().find(|value| value.key == key);
        let Some(found) = found else {
            let keys: Vec<_> = values.iter().map(|value| value.key.as_str()).collect();
            let has = if keys.is_empty() { "no settings".to_owned() } else { keys.join(", ") };
            return Err(format!("{} has no setting {key}; it has {has}", self.name));
        };
        if printer.json {
            printer.json(&json_of(found));
            return Ok(Exit::Ok);
        }
        match (&found.value, &found.origin) {
            (Some(Value::String(text)), _) => printer.result(text),
            (Some(value), _) => printer.result(value),
            (None, Origin::Secret) => printer.result("***"),
            (None, _) => return Err(self.told_unset(found)),
        }
        Ok(Exit::Ok)
    }

    fn show_all(&self, printer: &mut Printer) {
        let values = self.set.values();
        let error = self.set.config().err();
        if printer.json {
            let faults = error.as_ref().map(|error| &error.faults);
            let tools = self.set.tools().iter();
            let tools: serde_json::Map<_, _> =
                tools.map(|(name, it)| (name.clone(), tool_json(it))).collect();
            printer.json(&json!({
                "name": self.name,
                "file": self.set.user_file(),
                "settings": values.iter().map(json_of).collect::<Vec<_>>(),
                "tools": tools,
                "faults": faults.map_or(json!([]), |faults| json!(faults)),
            }));
            return;
        }
        let (name, file) = (&self.name, self.set.user_file().display());
        printer.result(format_args!("{BOLD}{name}{BOLD:#}  {DIM}{file}{DIM:#}"));
        if values.is_empty() {
            printer.result("  it has no settings: there is no config_schema in its extension.json");
        }
        let width = values.iter().map(|value| value.key.len()).max().unwrap_or_default();
        for value in &values {
            self.show_value(value, width, printer);
        }
        for (tool, settings) in self.set.tools() {
            printer.result(format_args!("tool {}", told_tool(tool, settings)));
        }
        let Some(error) = error else { return };
        for fault in &error.faults {
            let fault = Text::line(&fault.to_string(), 10 * VALUE_CHARS);
            printer.result(format_args!("{YELLOW}{fault}{YELLOW:#}"));
        }
        printer.result(format_args!("try {}", error.remedy(&self.name, &self.folder)));
    }

    fn show_value(&self, value: &ConfigValue, width: usize, printer: &mut Printer) {
        let shown = match (&value.value, &value.origin) {
            (Some(value), _) => Text::line(&value.to_string(), VALUE_CHARS),
            (None, Origin::Secret) => text!("***"),
            (None, _) if value.setting.as_ref().is_some_and(|it| it.is_secret) => {
                let told = self.told_unset(value);
                text!("{YELLOW}{}{YELLOW:#}", Text::line(&told, VALUE_CHARS))
            }
            (None, _) => text!("{DIM}not set{DIM:#}"),
        };
        let from = match &value.origin {
            Origin::Default => "  default".to_owned(),
            Origin::Project(file) => format!("  from {}", file.display()),
            _ => String::new(),
        };
        let key = Text::line(&value.key, VALUE_CHARS);
        let gap = " ".repeat(width.saturating_sub(value.key.len()));
        printer.result(format_args!("  {BOLD}{key}{BOLD:#}{gap}  {shown}{DIM}{from}{DIM:#}"));
        let described =
            value.setting.as_ref().and_then(|it| it.schema.get("description")?.as_str());
        if let Some(described) = described {
            let described = Text::line(described, VALUE_CHARS);
            printer.result(format_args!("  {}  {DIM}{described}{DIM:#}", " ".repeat(width)));
        }
    }

    fn told_unset(&self, value: &ConfigValue) -> String {
        let (name, key) = (&self.name, &value.key);
        match &value.setting {
            Some(setting) if setting.is_secret => {
                format!("not set: extline secret set {name} {key}")
            }
            _ => format!("{key} is not set: extline config {} {key} VALUE", self.folder),
        }
    }
}

fn refused(error: &ConfigError) -> String {
    format!("nothing was changed: {error}")
}

fn tell_unset(what: &str, was_there: bool, printer: &mut Printer) {
    let text = if was_there { "took away" } else { "nothing was set for" };
    printer.tell(format_args!("{text} {what}"), &json!({ "unset": what, "was_set": was_there }));
}

fn json_of(value: &ConfigValue) -> Value {
    let (origin, from) = match &value.origin {
        Origin::Default => ("default", None),
        Origin::User(file) => ("user", Some(file.display().to_string())),
        Origin::Project(file) => ("project", Some(file.display().to_string())),
        Origin::Given(source) => ("given", Some(source.clone())),
        Origin::Secret => ("secret", None),
        _ => ("unset", None),
    };
    let schema = value.setting.as_ref().map(|setting| &setting.schema);
    let is_secret = value.setting.as_ref().is_some_and(|setting| setting.is_secret);
    json!({"key": value.key, "value": value.value, "origin": origin, "from": from,
           "secret": is_secret, "schema": schema})
}

fn tool_json(settings: &ToolSettings) -> Value {
    let mut members = serde_json::Map::new();
    members.extend(settings.enabled.map(|enabled| ("enabled".to_owned(), json!(enabled))));
    members.extend(settings.timeout_ms.map(|time| ("timeout_ms".to_owned(), json!(time))));
    members.extend(settings.weight.map(|weight| ("weight".to_owned(), json!(weight))));
    let description = settings.description.as_ref();
    members.extend(description.map(|text| ("description".to_owned(), json!(text))));
    if !settings.parameters.is_empty() {
        members.insert("parameters".to_owned(), json!(settings.parameters));
    }
    Value::Object(members)
}

fn told_tool(tool: &str, settings: &ToolSettings) -> Text {
    let enabled = settings.enabled.map(|enabled| format!(" enabled {enabled}"));
    let timeout = settings.timeout_ms.map(|time| format!(" timeout_ms {time}"));
    let weight = settings.weight.map(|weight| format!(" weight {weight}"));
    let description = settings.description.as_ref().map(|text| format!(" description {text:?}"));
    let parameters = settings.parameters.iter().map(|(at, text)| format!(" {at} {text:?}"));
    let told = [enabled, timeout, weight, description].into_iter().flatten().chain(parameters);
    let told = told.collect::<Vec<_>>().join(",");
    let told = if told.is_empty() { " nothing is set".to_owned() } else { told };
    Text::line(&format!("{tool}:{told}"), VALUE_CHARS)
}

/// The folder of an extension: the word itself, or where extensions of that name are.
fn folder_of(word: &OsStr, cwd: &Path, home: &Path) -> Result<PathBuf, String> {
    let given = PathBuf::from(word);
    if given.join(MANIFEST).is_file() || given.is_file() {
        return Ok(given);
    }
    let places = [cwd.join(".extline/extensions"), home.join("extensions")];
    let by_name = |folder: &PathBuf| {
        let folder = folder.join(word);
        folder.join(MANIFEST).is_file().then_some(folder)
    };
    let is_a_name = given.components().count() == 1;
    if let Some(found) = places.iter().filter(|_| is_a_name).find_map(by_name) {
        return Ok(found);
    }
    // A folder may be called otherwise than what is in it.
    let name = word.to_string_lossy();
    let below = places.iter().filter_map(|place| place.read_dir().ok()).flatten().flatten();
    let named = below
        .map(|entry| entry.path())
        .find(|path| Manifest::read(path).is_ok_and(|manifest| manifest.name == name));
    named.ok_or_else(|| {
        format!(
            "there is no extension {name}: give its folder, the one with its {MANIFEST}; by name \
             it is looked for in .extline/extensions and {}",
            home.join("extensions").display()
        )
    })
}

//! What is in each kind of package. `docs/packages.md` has the same as a table.

use std::path::Path;

use extline_host::Manifest;
use serde_json::{Value, json};

use super::files::{Content, below, shown};
use super::{EXTENSION, prompts};
use crate::args::Kind;
use crate::install::hooks_of;

/// What a package says about itself beside its name, from members of the manifest that no host reads.
const ABOUT: [&str; 5] = ["author", "homepage", "repository", "license", "keywords"];

const SCHEMAS: &str = "https://agent-plugins.org/schemas/1.0.0";

/// Whether all kinds can say what this manifest says.
pub(super) fn check(manifest: &Manifest) -> Result<(), String> {
    let name = &manifest.name;
    let is_plain = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
    let begins = name.starts_with(|it: char| it.is_ascii_lowercase() || it.is_ascii_digit());
    if !begins
        || !name.chars().all(is_plain)
        || name.ends_with('-')
        || name.contains("--")
        || name.len() > 64
    {
        return Err(format!(
            "extension.json: /name: {name:?} is no name for a package: it is at most 64 lower-case letters, \
             digits and single dashes"
        ));
    }
    if manifest.version.is_empty() {
        return Err(
            "extension.json: /version is missing, and agents want one; add \"version\": \"1.0.0\""
                .to_owned(),
        );
    }
    Ok(())
}

/// The files of one kind, with those of the extension.
pub(super) fn content(kind: Kind, manifest: &Manifest, own: &Content) -> Result<Content, String> {
    let mut content = Content { left_out: own.left_out.clone(), ..Content::default() };
    for (path, file) in &own.files {
        content.files.insert(format!("{EXTENSION}/{path}"), file.clone());
    }
    for (path, file) in below(own, "skills/") {
        content.files.insert(format!("skills/{path}"), file.clone());
    }
    match kind {
        Kind::AgentPlugin => agent_plugin(manifest, &mut content),
        Kind::Claude => claude(manifest, own, &mut content),
        Kind::Gemini => gemini(manifest, own, &mut content)?,
    }
    Ok(content)
}

/// How to look at it in an agent.
pub(super) fn try_it(kind: Kind, folder: &Path) -> String {
    let folder = shown(folder);
    let folder = folder.display();
    match kind {
        Kind::AgentPlugin => format!("install {folder} as a plugin in VS Code, Cursor or Copilot"),
        Kind::Claude => format!("claude --plugin-dir {folder}"),
        Kind::Gemini => format!("gemini extensions link {folder}"),
    }
}

fn agent_plugin(manifest: &Manifest, content: &mut Content) {
    let mut plugin = json!({ "$schema": format!("{SCHEMAS}/plugin.schema.json") });
    about(manifest, &mut plugin);
    content.add("plugin.json", text(&plugin));
    let mut server = json!({ "type": "stdio" });
    extend(&mut server, server_of("${PLUGIN_ROOT}"));
    content.add(
        "mcp.json",
        text(&json!({
            "$schema": format!("{SCHEMAS}/mcp.schema.json"),
            "mcpServers": { manifest.name.as_str(): server },
        })),
    );
}

fn claude(manifest: &Manifest, own: &Content, content: &mut Content) {
    let mut plugin = json!({});
    about(manifest, &mut plugin);
    content.add(".claude-plugin/plugin.json", text(&plugin));
    let root = "${CLAUDE_PLUGIN_ROOT}";
    let servers = json!({ "mcpServers": { manifest.name.as_str(): server_of(root) } });
    content.add(".mcp.json", text(&servers));
    add_hooks("claude", root, manifest, content);
    for (path, file) in below(own, "commands/") {
        content.files.insert(format!("commands/{path}"), file.clone());
    }
}

fn gemini(manifest: &Manifest, own: &Content, content: &mut Content) -> Result<(), String> {
    let root = "${extensionPath}";
    let mut extension = json!({});
    about(manifest, &mut extension);
    // Gemini CLI knows these four alone.
    if let Value::Object(members) = &mut extension {
        members.retain(|name, _| ["name", "version", "description"].contains(&&**name));
        members.insert("mcpServers".to_owned(), json!({ manifest.name.as_str(): server_of(root) }));
    }
    content.add("gemini-extension.json", text(&extension));
    add_hooks("gemini", root, manifest, content);
    for (path, file) in below(own, "commands/") {
        let Some(name) = path.strip_suffix(".md") else { continue };
        let command = prompts::of_markdown(&format!("commands/{path}"), &file.bytes)?;
        content.add(format!("commands/{name}.toml"), command.to_toml());
    }
    Ok(())
}

/// How `extline` starts the extension of a package: it is looked up in PATH, as no package may name a
/// place of one machine.
fn server_of(root: &str) -> Value {
    json!({ "command": "extline", "args": ["mcp", format!("{root}/{EXTENSION}")] })
}

/// The hooks of a package, as `extline install` writes them.
fn add_hooks(agent: &str, root: &str, manifest: &Manifest, content: &mut Content) {
    let line = format!("extline hook --agent {agent} \"{root}/{EXTENSION}\"");
    if let Some(hooks) = hooks_of(agent, &line).filter(|_| !manifest.guards.is_empty()) {
        content.add("hooks/hooks.json", text(&hooks));
    }
}

fn about(manifest: &Manifest, to: &mut Value) {
    let mut about = json!({ "name": manifest.name, "version": manifest.version });
    if !manifest.description.is_empty() {
        about["description"] = manifest.description.as_str().into();
    }
    for name in ABOUT {
        if let Some(value) = manifest.other.get(name) {
            about[name] = value.clone();
        }
    }
    if let Some(author) = about.get("author").and_then(Value::as_str).map(str::to_owned) {
        about["author"] = json!({ "name": author });
    }
    extend(to, about);
}

fn extend(to: &mut Value, more: Value) {
    if let (Value::Object(to), Value::Object(more)) = (to, more) {
        to.extend(more);
    }
}

fn text(value: &Value) -> String {
    format!("{value:#}\n")
}

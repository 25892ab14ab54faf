//! Commands that are prompts: a file of Markdown, as Claude Code reads it, becomes one of TOML, as Gemini CLI
//! does.

/// A prompt with what it is for.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Prompt {
    description: Option<String>,
    prompt: String,
}

/// Reads a command: a head between lines of three dashes, of which `description` alone is carried over, and
/// the prompt. `path` is for errors.
pub(super) fn of_markdown(path: &str, bytes: &[u8]) -> Result<Prompt, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| format!("{path} is not UTF-8"))?;
    let text = text.replace("\r\n", "\n");
    let (head, prompt) = match text.strip_prefix("---\n").map(|rest| rest.split_once("\n---\n")) {
        Some(Some((head, prompt))) => (head, prompt),
        Some(None) => {
            return Err(format!(
                "{path}: its first line begins a head, and no line of --- ends it"
            ));
        }
        None => ("", &*text),
    };
    let described = head.lines().find_map(|line| line.strip_prefix("description:"));
    let description = described.map(|it| it.trim().trim_matches(['"', '\'']).to_owned());
    // What stands behind the command.
    Ok(Prompt { description, prompt: prompt.trim_start().replace("$ARGUMENTS", "{{args}}") })
}

impl Prompt {
    pub(super) fn to_toml(&self) -> String {
        let mut table = toml::Table::new();
        if let Some(description) = &self.description {
            table.insert("description".to_owned(), description.as_str().into());
        }
        table.insert("prompt".to_owned(), self.prompt.as_str().into());
        table.to_string()
    }
}

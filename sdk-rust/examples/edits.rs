//! Proposes edits and does them when somebody says so: the program of docs/pending-actions.md.

use std::fs;

use extline::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Replace {
    /// The text that is there
    old: String,
    /// What is to stand in its place
    new: String,
}

async fn replace(Replace { old, new }: Replace, ctx: Context) -> Result<String, ToolError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(".")? {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == "txt")
            && fs::read_to_string(&path)?.contains(&old)
        {
            files.push(path);
        }
    }
    let preview = format!("would change {} files", files.len());
    let proposal = Proposal::new(format!("{} edits", files.len()), async move |_, _| {
        for path in &files {
            fs::write(path, fs::read_to_string(path)?.replace(&old, &new))?;
        }
        Ok(format!("wrote {} files", files.len()))
    });
    ctx.pending().push(proposal).await?;
    Ok(preview)
}

fn main() -> Result<(), extline::Error> {
    Extension::new("edits", "1.0.0")
        .tool("replace", "Proposes to replace a text in the .txt files.", replace)
        .run()
}

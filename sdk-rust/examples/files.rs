//! Has a program run by the host: the program of docs/running-programs.md.

use extline::prelude::*;

async fn files(_: NoArgs, ctx: Context) -> Result<Vec<String>, ToolError> {
    let ran = ctx.exec("git", ["ls-files"]).await?;
    if !ran.success() {
        return Err(ToolError::new(format!("git: {}", ran.stderr)));
    }
    Ok(ran.stdout.lines().map(str::to_owned).collect())
}

fn main() -> Result<(), extline::Error> {
    Extension::new("files", "1.0.0")
        .tool("files", "The files of the project that git knows.", files)
        .run()
}

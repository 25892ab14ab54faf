//! Extensions with an `echo` tool, and calls of it whose answers are compared.

use std::path::Path;

use extline_host::protocol::frame::Content;
use extline_host::{ExtensionSource, Host};
use serde_json::json;

use crate::Failure;

/// Starts `extensions` of the same program, and fails when one of them is not ready. Where there
/// are several, each has a tool of its own, see [`tool`].
pub(crate) async fn start(
    program: &[String],
    extensions: usize,
    home: &Path,
) -> Result<Host, Failure> {
    let (program, arguments) = program.split_first().ok_or("no program behind --")?;
    let mut builder = Host::builder().home(home);
    for number in 0..extensions {
        let own = (extensions > 1).then(|| tool(number, extensions));
        let arguments = arguments.iter().cloned().chain(own);
        let source = ExtensionSource::command(program, arguments);
        builder = builder.extension(source.named(format!("echo-{number}")));
    }
    let host = builder.start().await;
    if host.tools().len() == extensions {
        return Ok(host);
    }
    let states: Vec<_> =
        host.extensions().iter().map(|extension| format!("{:?}", extension.state)).collect();
    Err(format!("{} of {extensions} tools: {states:?}", host.tools().len()).into())
}

/// What the tool of one of them is called.
pub(crate) fn tool(number: usize, extensions: usize) -> String {
    if extensions == 1 { "echo".to_owned() } else { format!("echo-{number}") }
}

/// The arguments of a call, and the text that must come back.
pub(crate) struct Echo {
    text: String,
    args: String,
}

impl Echo {
    /// Source code of so many bytes, as in the C client.
    pub(crate) fn new(bytes: usize) -> Self {
        const LINE: &str = "\tlet row = table.get(\"key\")?; // the next row, or none\n";
        let text: String = LINE.chars().cycle().take(bytes).collect();
        let args = json!({ "text": text }).to_string();
        Self { text, args }
    }

    pub(crate) async fn call(&self, host: &Host, tool: &str) -> Result<(), Failure> {
        let result = host.call(tool, &self.args).await?;
        match result.content.as_slice() {
            [Content::Text(text)] if !result.is_error && *text == self.text => Ok(()),
            other => Err(format!("a wrong reply: {other:?}").into()),
        }
    }
}

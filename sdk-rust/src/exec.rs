//! Programs that the host runs for an extension.

use extline_services::Method;
use extline_services::exec::{Output, Ran, Run, RunMethod};

use crate::{Context, ToolError};

/// Programs.
impl Context {
    /// Has the host run a program, without a shell, and waits for its end. The person in front of the agent is asked
    /// first, unless they allow it; the program ends with the handler's call. One that fails is `Ok`: look at `code`.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// let run = |params: Value| Ok(json!({ "code": 0, "stdout": format!("ran {}", params["command"]) }));
    /// let mut host = Host::builder().method("exec.run", run).start(|| {
    ///     Extension::new("files", "1.0.0").tool("files", "Lists files.", async |_: NoArgs, ctx: Context| {
    ///         Ok(ctx.exec("git", ["ls-files"]).await?.stdout)
    ///     })
    /// })?;
    /// assert_eq!(host.call("files", json!({}))?.text(), "ran \"git\"");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Kind `permission` where it may not run, `not_found` where the program or its folder is not there,
    /// `unsupported` where the host runs no programs, which `ctx.host().serves("exec.run")` tells before; else as
    /// [`Context::request`].
    pub async fn exec<T: Into<String>>(
        &self,
        command: impl Into<String>,
        args: impl IntoIterator<Item = T>,
    ) -> Result<Ran, ToolError> {
        let args = args.into_iter().map(Into::into).collect();
        self.exec_with(Run { command: command.into(), args, ..Run::default() }).await
    }

    /// The same with all that can be said of it: its folder, its environment, its time.
    ///
    /// # Errors
    ///
    /// As [`Context::exec`].
    pub async fn exec_with(&self, run: Run) -> Result<Ran, ToolError> {
        self.request(RunMethod::NAME, &run).await
    }

    /// The same, and hands out what it writes while it runs. What `take` fails with ends the program.
    ///
    /// # Errors
    ///
    /// As [`Context::exec`], and what `take` returns.
    pub async fn exec_streamed(
        &self,
        run: Run,
        take: impl FnMut(Output) -> Result<(), ToolError>,
    ) -> Result<Ran, ToolError> {
        self.request_parts(RunMethod::NAME, &Run { stream: true, ..run }, take).await
    }
}

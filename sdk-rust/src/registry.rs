//! Tools and commands that come and go while the extension runs.

use std::panic::Location;

use extline_protocol::RegisterError;

use crate::connection::Connection;
use crate::stderr::report;
use crate::{Command, Context, Error, Tool, ToolError};

/// Tools and commands that come and go.
impl Context {
    /// Offers one more tool, from the next call of the model on (`registry.next-call`).
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let login = Tool::new("login", "Logs in.", async |_: NoArgs, ctx: Context| {
    ///     ctx.add_tool(Tool::new("whoami", "Who is logged in.", async |_: NoArgs, _| Ok("ada")))?;
    ///     ctx.remove_tool("login")?;
    ///     Ok("logged in; see whoami")
    /// });
    /// ```
    ///
    /// # Errors
    ///
    /// Kind `unsupported` where the host reads the tools only at the start (`registry.named`);
    /// `internal` for two tools of one name, a name or schema that is not allowed.
    #[track_caller]
    pub fn add_tool(&self, tool: Tool) -> Result<(), ToolError> {
        self.connection().add_tool(tool, Location::caller())
    }

    /// Takes a tool back; a name that is not offered is ignored. Calls of it that run go on.
    ///
    /// ```
    /// # fn handler(ctx: &extline::Context) -> Result<(), extline::ToolError> {
    /// ctx.remove_tool("login")?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Kind `unsupported`, as for [`add_tool`](Context::add_tool).
    pub fn remove_tool(&self, name: &str) -> Result<(), ToolError> {
        let removed = self.connection().tell(|session| session.unregister_tool(name));
        removed.map_err(|error| ToolError::unsupported(error.to_string()))?;
        self.connection().handlers.borrow_mut().tools.remove(name);
        Ok(())
    }

    /// Offers one more command; every host takes them at any time.
    ///
    /// ```
    /// # fn handler(ctx: &extline::Context) -> Result<(), extline::ToolError> {
    /// use extline::Command;
    ///
    /// ctx.add_command(Command::new("logout", "logs out", async |_: &str, _| "logged out"))?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Kind `internal`: two commands of one name, a name that is not allowed.
    #[track_caller]
    pub fn add_command(&self, command: Command) -> Result<(), ToolError> {
        self.connection().add_command(command, Location::caller())
    }
}

impl Connection {
    pub(crate) fn add_tool(
        &self,
        tool: Tool,
        location: &'static Location<'static>,
    ) -> Result<(), ToolError> {
        let Tool { frame, handler, problem, unchecked, adviser } = tool;
        let name = frame.name.clone();
        if let Some(problem) = problem {
            return Err(Error::Schema { location, tool: name, problem }.into());
        }
        let registered = self.tell(|session| session.register_tool(&frame));
        registered.map_err(|error| refused(error, location))?;
        for keyword in unchecked {
            report(&format!("the schema of the tool {name}: {keyword}"));
        }
        let mut handlers = self.handlers.borrow_mut();
        handlers.advisers.extend(adviser.map(|adviser| (name.clone(), adviser)));
        handlers.tools.insert(name, handler);
        Ok(())
    }

    pub(crate) fn add_command(
        &self,
        command: Command,
        location: &'static Location<'static>,
    ) -> Result<(), ToolError> {
        let Command { frame, handler } = command;
        let registered = self.tell(|session| session.register_command(&frame));
        registered.map_err(|error| refused(error, location))?;
        self.handlers.borrow_mut().commands.insert(frame.name, handler);
        Ok(())
    }
}

fn refused(error: RegisterError, location: &'static Location<'static>) -> ToolError {
    match error {
        RegisterError::Registration(mistake) => Error::Registration { location, mistake }.into(),
        late => ToolError::unsupported(late.to_string()),
    }
}

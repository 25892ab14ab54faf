//! How the agent stands, and what an extension may have it do.

use extline_services::Method;
use extline_services::agent::{
    Abort, AbortMethod, Aborted, ActivateMethod, AgentState, Changed, DeactivateMethod, GetState,
    ListModels, ListModelsMethod, ListTools, ListToolsMethod, ListedTool, Model, Models, Names,
    StateMethod, Tools,
};

use crate::{Context, ToolError};

/// The agent, see [`Context::agent`]. Each fails with kind `unsupported` where a host's agent does not have it, and else
/// as [`Context::request`] does.
#[derive(Clone, Copy, Debug)]
pub struct Agent<'c> {
    ctx: &'c Context,
}

/// The agent.
impl Context {
    /// How the agent stands, and what it can be had to do.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// let state = |_| Ok(json!({ "idle": true, "model": "m-1" }));
    /// let mut host = Host::builder().method("agent.state", state).start(|| {
    ///     Extension::new("what", "1.0.0").tool("what", "Says the model.", async |_: NoArgs, ctx: Context| {
    ///         Ok(ctx.agent().state().await?.model)
    ///     })
    /// })?;
    /// assert_eq!(host.call("what", json!({}))?.text(), "m-1");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn agent(&self) -> Agent<'_> {
        Agent { ctx: self }
    }
}

impl Agent<'_> {
    /// How it stands.
    ///
    /// # Errors
    ///
    /// As all of them.
    pub async fn state(&self) -> Result<AgentState, ToolError> {
        self.ctx.request(StateMethod::NAME, &GetState {}).await
    }

    /// Ends what the agent does for its user, and every call of a tool that has not ended; the handler's own call is
    /// cancelled too. Returns how many other calls that were.
    ///
    /// # Errors
    ///
    /// As all of them.
    pub async fn abort(&self, reason: impl Into<String>) -> Result<u64, ToolError> {
        let abort = Abort { reason: reason.into() };
        let Aborted { calls } = self.ctx.request(AbortMethod::NAME, &abort).await?;
        Ok(calls)
    }

    /// All tools; those that are not active too.
    ///
    /// # Errors
    ///
    /// As all of them.
    pub async fn tools(&self) -> Result<Vec<ListedTool>, ToolError> {
        let Tools { tools } = self.ctx.request(ListToolsMethod::NAME, &ListTools {}).await?;
        Ok(tools)
    }

    /// Has the model offered tools again that this extension has deactivated. Returns those that were not active.
    ///
    /// # Errors
    ///
    /// As all of them, and `not_found` where there is no such tool.
    pub async fn activate(&self, names: &[&str]) -> Result<Vec<String>, ToolError> {
        self.change(ActivateMethod::NAME, names).await
    }

    /// Takes tools out of what the model is offered, and has calls of them refused, until this extension activates them
    /// or ends. Returns those that were active; the others stay as they are.
    ///
    /// # Errors
    ///
    /// As all of them, and `not_found` where there is no such tool.
    pub async fn deactivate(&self, names: &[&str]) -> Result<Vec<String>, ToolError> {
        self.change(DeactivateMethod::NAME, names).await
    }

    /// The models that the agent has.
    ///
    /// # Errors
    ///
    /// As all of them.
    pub async fn models(&self) -> Result<Vec<Model>, ToolError> {
        let Models { models } = self.ctx.request(ListModelsMethod::NAME, &ListModels {}).await?;
        Ok(models)
    }

    async fn change(&self, method: &str, names: &[&str]) -> Result<Vec<String>, ToolError> {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        let Changed { changed } = self.ctx.request(method, &Names { names }).await?;
        Ok(changed)
    }
}

//! Dialogs: the person in front of the agent is asked.

use extline_services::Method;
use extline_services::ui::{
    Answer, Choice, Confirm, ConfirmMethod, Confirmed, Entered, Input, InputMethod, Select,
    SelectMethod, Selected,
};

use crate::{Context, ToolError};

/// Asks the person in front of the agent, see [`Context::ui`].
#[derive(Clone, Copy, Debug)]
pub struct Ui<'c> {
    ctx: &'c Context,
}

/// Dialogs.
impl Context {
    /// Asks the person in front of the agent. A dialog belongs to the handler's call and closes with it. Where
    /// nobody can be asked, each answers at once as if the person had closed it.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// let yes = |_| Ok(json!({ "confirmed": true }));
    /// let mut host = Host::builder().method("ui.confirm", yes).start(|| {
    ///     Extension::new("ship", "1.0.0").tool("ship", "Ships it.", async |_: NoArgs, ctx: Context| {
    ///         Ok(if ctx.ui().confirm("Ship it?").await? { "shipped" } else { "kept" })
    ///     })
    /// })?;
    /// assert_eq!(host.call("ship", json!({}))?.text(), "shipped");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn ui(&self) -> Ui<'_> {
        Ui { ctx: self }
    }
}

/// Each fails with kind `unsupported` under a host that does not have it, and else as [`Context::request`] does.
impl Ui<'_> {
    /// Whether the host has that dialog: `confirm`, `select` or `input`.
    pub fn can(self, dialog: &str) -> bool {
        self.ctx.host().serves(&format!("ui.{dialog}"))
    }

    /// Asks for a yes or no. A dialog that was closed is a no.
    pub async fn confirm(self, title: impl Into<String>) -> Result<bool, ToolError> {
        let params = Confirm { title: title.into(), ..Confirm::default() };
        let answer = self.ask::<ConfirmMethod>(&params).await?;
        Ok(matches!(answer, Answer::Given(Confirmed { confirmed: true })))
    }

    /// Has one of several texts chosen. `None` where the dialog was closed.
    pub async fn select<T: Into<String>>(
        self,
        title: impl Into<String>,
        options: impl IntoIterator<Item = T>,
    ) -> Result<Option<String>, ToolError> {
        let options = options.into_iter().map(|option| Choice::Text(option.into())).collect();
        let params = Select { title: title.into(), options, ..Select::default() };
        match self.ask::<SelectMethod>(&params).await? {
            Answer::Given(Selected::One { value }) => Ok(Some(value)),
            _ => Ok(None),
        }
    }

    /// Asks for a line of text, which may be empty. `None` where the dialog was closed.
    pub async fn input(self, title: impl Into<String>) -> Result<Option<String>, ToolError> {
        let params = Input { title: title.into(), ..Input::default() };
        match self.ask::<InputMethod>(&params).await? {
            Answer::Given(Entered { value }) => Ok(Some(value)),
            Answer::Dismissed { .. } => Ok(None),
        }
    }

    /// Any dialog with all that it takes, for one with several choices, a time or a secret. The answer says also why
    /// it was closed.
    ///
    /// ```
    /// use extline::services::ui::{Answer, Entered, Input, InputMethod};
    /// # use extline::{Context, ToolError};
    /// # async fn handler(ctx: Context) -> Result<(), ToolError> {
    /// let asked = Input { title: "Key?".to_owned(), secret: true, ..Input::default() };
    /// if let Answer::Given(Entered { value }) = ctx.ui().ask::<InputMethod>(&asked).await? {
    ///     drop(value);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn ask<M: Method>(self, params: &M::Params) -> Result<M::Result, ToolError> {
        self.ctx.request(M::NAME, params).await
    }
}

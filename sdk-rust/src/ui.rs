//! The person in front of the agent: asked by dialogs, and shown something.

use std::collections::BTreeMap;

use extline_services::Method;
use extline_services::ui::{
    Answer, Answers, Ask, AskMethod, Auth, AuthMethod, Choice, Confirm, ConfirmMethod, Confirmed,
    Editor, EditorMethod, Entered, Input, InputMethod, Question, Select, SelectMethod, Selected,
    Shown, Status, StatusMethod, Title, TitleMethod, Widget, WidgetMethod, Working, WorkingMethod,
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
    /// Whether the host has that: `confirm`, `select`, `input`, `editor`, `ask`, `auth`, `status`, `title`, `working`
    /// or `widget`.
    pub fn can(self, what: &str) -> bool {
        self.ctx.host().serves(&format!("ui.{what}"))
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

    /// Has a text of several lines written, or the one that is given changed, in an editor. `None` where the dialog
    /// was closed.
    pub async fn editor(
        self,
        title: impl Into<String>,
        prefill: impl Into<String>,
    ) -> Result<Option<String>, ToolError> {
        let prefill = Some(prefill.into()).filter(|text| !text.is_empty());
        let params = Editor { title: title.into(), prefill, ..Editor::default() };
        match self.ask::<EditorMethod>(&params).await? {
            Answer::Given(Entered { value }) => Ok(Some(value)),
            Answer::Dismissed { .. } => Ok(None),
        }
    }

    /// Asks several questions at once. For each `id` there is what was chosen, or the line that was typed where there
    /// are no options. `None` where the dialog was closed.
    pub async fn questions(
        self,
        questions: impl IntoIterator<Item = Question>,
    ) -> Result<Option<BTreeMap<String, Vec<String>>>, ToolError> {
        let params = Ask { questions: questions.into_iter().collect(), timeout_ms: None };
        match self.ask::<AskMethod>(&params).await? {
            Answer::Given(Answers { answers }) => Ok(Some(answers)),
            Answer::Dismissed { .. } => Ok(None),
        }
    }

    /// Has the person sign in at a URL, where the code is entered. True once they say that it is done, and false
    /// where the dialog was closed: ask the service itself whether it is.
    pub async fn auth(self, url: impl Into<String>, code: Option<&str>) -> Result<bool, ToolError> {
        let code = code.map(str::to_owned);
        let params = Auth { url: url.into(), code, ..Auth::default() };
        let answer = self.ask::<AuthMethod>(&params).await?;
        Ok(matches!(answer, Answer::Given(Confirmed { confirmed: true })))
    }

    /// Shows a short text, until another one with this key takes its place; `None` takes it back. False under a host
    /// that shows no such thing.
    pub async fn status(self, key: &str, text: Option<&str>) -> Result<bool, ToolError> {
        let params = Status { key: key.to_owned(), text: text.map(str::to_owned) };
        self.show::<StatusMethod>(&params).await
    }

    /// Sets the title of the window; `None` takes it back. Else as [`Ui::status`].
    pub async fn title(self, title: Option<&str>) -> Result<bool, ToolError> {
        self.show::<TitleMethod>(&Title { title: title.map(str::to_owned) }).await
    }

    /// Says what the agent is doing, while it works; `None` takes it back. Else as [`Ui::status`].
    pub async fn working(self, text: Option<&str>) -> Result<bool, ToolError> {
        self.show::<WorkingMethod>(&Working { text: text.map(str::to_owned) }).await
    }

    /// Shows some lines beside what the person types, until others with this key take their place; `lines: None`
    /// takes them back. Else as [`Ui::status`].
    pub async fn widget(self, widget: &Widget) -> Result<bool, ToolError> {
        self.show::<WidgetMethod>(widget).await
    }

    async fn show<M: Method<Result = Shown>>(self, params: &M::Params) -> Result<bool, ToolError> {
        if !self.ctx.host().serves(M::NAME) {
            return Ok(false);
        }
        let Shown {} = self.ask::<M>(params).await?;
        Ok(true)
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

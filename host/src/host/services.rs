//! The agent's half of services: methods whose parameters and results are declared in `extline-services`.

use std::sync::Arc;
use std::time::Duration;

use extline_protocol::frame::RpcError;
use extline_protocol::{ErrorKind, RawJson};
use extline_services::ui::{
    AskMethod, AuthMethod, ConfirmMethod, Dismissal, EditorMethod, InputMethod, SelectMethod,
    Shown, StatusMethod, TitleMethod, WidgetMethod, WorkingMethod,
};
use extline_services::{Method, ui};
use tokio::time::timeout;

use super::HostBuilder;
use crate::connection::{Asked, MethodCall, params_of};

/// Services.
impl HostBuilder {
    /// Serves a method of [`services`](crate::services); it is listed in `hello_ack.methods`. What is wrong with
    /// the parameters is answered with `validation` before the handler is called.
    ///
    /// A method that waits for a person has the screen for itself: its handler is called when the dialogs before it
    /// are closed, in the order in which they were asked for. It is dropped when the person takes longer than
    /// `timeout_ms`, and, as each handler ([`HostBuilder::serve_method`]), when the call that it belongs to ends or
    /// the extension dies: whoever shows a dialog closes it then.
    ///
    /// ```
    /// use extline_host::services::ui::{Answer, ConfirmMethod, Confirmed};
    /// use extline_host::{Asked, HostBuilder};
    ///
    /// let builder = HostBuilder::default().serve::<ConfirmMethod, _, _>(|asked: Asked<_>| async move {
    ///     println!("{} asks: {}", asked.extension, asked.params.title);
    ///     Ok(Answer::Given(Confirmed { confirmed: true }))
    /// });
    /// ```
    #[must_use]
    pub fn serve<M, F, A>(self, handler: F) -> Self
    where
        M: Method,
        F: Fn(Asked<M::Params>) -> A + Send + Sync + 'static,
        A: Future<Output = Result<M::Result, RpcError>> + Send + 'static,
    {
        let (handler, screen) = (Arc::new(handler), self.screen.clone());
        self.serve_method(M::NAME, move |call| {
            let (handler, screen) = (Arc::clone(&handler), screen.clone());
            async move {
                let params = params_of::<M>(call.params.as_ref())?;
                let patience = M::timeout_ms(&params).map(Duration::from_millis);
                let MethodCall { extension, parent, origin, .. } = call;
                let asked = Asked { extension, parent, origin, params };
                let screen = screen.as_ref().filter(|_| M::WAITS_FOR_PERSON);
                let _turn = match screen {
                    Some(screen) => Some(screen.lock().await),
                    None => None,
                };
                let answer = handler(asked);
                let result = match patience {
                    None => answer.await?,
                    Some(patience) => match timeout(patience, answer).await {
                        Ok(answer) => answer?,
                        Err(_) => M::dismissed(Dismissal::Timeout).ok_or_else(|| {
                            RpcError::new(ErrorKind::Timeout, format!("{} took too long", M::NAME))
                        })?,
                    },
                };
                RawJson::of(&result)
                    .map_err(|error| RpcError::new(ErrorKind::Internal, error.to_string()))
            }
        })
    }

    /// Serves dialogs and displays where there is nobody to see them: each dialog is answered at once with
    /// `dismissed: "headless"`, and what is only shown is taken.
    #[must_use]
    pub fn headless(self) -> Self {
        self.dismiss::<ConfirmMethod, _>()
            .dismiss::<SelectMethod, _>()
            .dismiss::<InputMethod, _>()
            .dismiss::<EditorMethod, _>()
            .dismiss::<AskMethod, _>()
            .dismiss::<AuthMethod, _>()
            .take::<StatusMethod>()
            .take::<TitleMethod>()
            .take::<WorkingMethod>()
            .take::<WidgetMethod>()
    }

    /// Lets extensions have programs run by the method `exec.run`, in the project's folder and with what they see of the
    /// environment themselves. Each run needs an approval, see [`HostBuilder::approver`]; interceptors and guards see
    /// it as a call of the tool `exec.run`. By default no program is run.
    #[must_use]
    pub fn run_programs(mut self) -> Self {
        self.runs_programs = true;
        self
    }

    fn take<M: Method<Result = Shown>>(self) -> Self {
        self.serve::<M, _, _>(|_| async { Ok(Shown {}) })
    }

    fn dismiss<M, T>(self) -> Self
    where
        M: Method<Result = ui::Answer<T>>,
        T: Send,
    {
        self.serve::<M, _, _>(|_| async {
            Ok(ui::Answer::Dismissed { dismissed: Dismissal::Headless })
        })
    }
}

//! Secrets and variables of the environment, for extensions that declare them.

use std::sync::Arc;

use extline_services::{Method, env, secret};

use super::HostBuilder;
use crate::connection::Asked;
use crate::redact::Redactor;
use crate::secrets::{Provider, SecretServer, SecretStore};

/// Secrets.
impl HostBuilder {
    /// Gives secrets to extensions that ask by `secret.get`, before the environment and the file of the home are
    /// looked at; `None` where the agent has none of that name. It is asked only for names that the extension's
    /// manifest declares in `permissions.secrets`, and each time.
    ///
    /// ```
    /// use extline_host::services::secret::Get;
    /// use extline_host::{Asked, HostBuilder};
    ///
    /// let builder = HostBuilder::default().secrets(|asked: Asked<Get>| async move {
    ///     (asked.extension == "weather" && asked.params.name == "OPENWEATHER_KEY")
    ///         .then(|| "from the agent's own vault".to_owned())
    /// });
    /// ```
    #[must_use]
    pub fn secrets<F, A>(mut self, provide: F) -> Self
    where
        F: Fn(Asked<secret::Get>) -> A + Send + Sync + 'static,
        A: Future<Output = Option<String>> + Send + 'static,
    {
        self.secrets = Some(Provider::new(provide));
        self
    }

    /// What takes secrets out of logs, notices, diagnoses and the audit. The host teaches it each value that it hands
    /// out. An agent that shows what extensions say in ways of its own keeps a clone, and shows what that leaves.
    #[must_use]
    pub fn redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Serves what the embedder does not serve itself.
    pub(super) fn serve_secrets(self) -> (Self, Arc<SecretServer>) {
        let server = Arc::new(SecretServer::new(
            SecretStore::new(self.home_or_default()),
            self.secrets.clone(),
            self.environment.set.clone(),
            self.redactor.clone(),
        ));
        let [get, exists, variable] = [(); 3].map(|()| Arc::clone(&server));
        let builder = self
            .serve_unless_served::<secret::GetMethod, _, _>(move |asked| {
                let server = Arc::clone(&get);
                async move { server.get(asked).await }
            })
            .serve_unless_served::<secret::ExistsMethod, _, _>(move |asked| {
                let server = Arc::clone(&exists);
                async move { server.exists(asked).await }
            })
            .serve_unless_served::<env::GetMethod, _, _>(move |asked| {
                let answer = variable.env(&asked);
                async move { answer }
            });
        (builder, server)
    }

    fn serve_unless_served<M, F, A>(self, handler: F) -> Self
    where
        M: Method,
        F: Fn(Asked<M::Params>) -> A + Send + Sync + 'static,
        A: Future<Output = Result<M::Result, extline_protocol::frame::RpcError>> + Send + 'static,
    {
        if self.methods.contains_key(M::NAME) { self } else { self.serve::<M, _, _>(handler) }
    }
}

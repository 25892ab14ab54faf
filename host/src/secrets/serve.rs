//! The host's half of `secret.get`, `secret.exists` and `env.get`.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use extline_protocol::ErrorKind;
use extline_protocol::frame::RpcError;
use extline_services::env::{Get as EnvGet, Variable};
use extline_services::secret::{Existence, Exists, Get, Secret, Source};

use super::{SecretStore, declared};
use crate::connection::Asked;
use crate::lock::lock;
use crate::redact::{Redactor, is_secret_variable};
use crate::source::Manifest;

type Value = Pin<Box<dyn Future<Output = Option<String>> + Send>>;

/// The agent's own function.
#[derive(Clone)]
pub(crate) struct Provider(Arc<dyn Fn(Asked<Get>) -> Value + Send + Sync>);

impl Provider {
    pub(crate) fn new<F, A>(provide: F) -> Self
    where
        F: Fn(Asked<Get>) -> A + Send + Sync + 'static,
        A: Future<Output = Option<String>> + Send + 'static,
    {
        Self(Arc::new(move |asked| Box::pin(provide(asked))))
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Provider").finish_non_exhaustive()
    }
}

/// Answers the extensions of one host.
#[derive(Debug)]
pub(crate) struct SecretServer {
    store: SecretStore,
    provider: Option<Provider>,
    /// Variables that the embedder gives every extension.
    given: BTreeMap<OsString, OsString>,
    /// By the names of extensions; one without a manifest declares nothing.
    declared: Mutex<BTreeMap<String, Declared>>,
    redactor: Redactor,
}

/// What a manifest declares.
#[derive(Debug, Default)]
struct Declared {
    secrets: Vec<String>,
    env: Vec<String>,
    has_manifest: bool,
}

impl SecretServer {
    pub(crate) fn new(
        store: SecretStore,
        provider: Option<Provider>,
        given: BTreeMap<OsString, OsString>,
        redactor: Redactor,
    ) -> Self {
        Self { store, provider, given, declared: Mutex::default(), redactor }
    }

    /// An extension may ask for what its manifest declares, in place of what it declared before. What is set of that is known from now on, before the
    /// extension asks for it: a model, or a person, may have it too. So are the secrets among its variables.
    pub(crate) fn add(&self, extension: &str, manifest: Option<&Manifest>) {
        let Some(manifest) = manifest else { return };
        let env = manifest.permissions.env.clone();
        for name in env.iter().filter(|name| is_secret_variable(name)) {
            if let Some(value) = self.variable(name) {
                self.redactor.learn(&value);
            }
        }
        let secrets = declared(manifest);
        for name in &secrets {
            let values = self.store.at_hand(extension, name).into_iter();
            values.chain(self.given(name)).for_each(|value| self.redactor.learn(&value));
        }
        let all = Declared { secrets, env, has_manifest: true };
        lock(&self.declared).insert(extension.to_owned(), all);
    }

    pub(crate) async fn get(&self, asked: Asked<Get>) -> Result<Secret, RpcError> {
        let (extension, name) = (asked.extension.clone(), asked.params.name.clone());
        if let Some((value, _)) = self.find(asked).await? {
            return Ok(Secret { value });
        }
        let text = format!(
            "{name} is not set: extline secret set {extension} {name}, or set the environment variable {name} where the \
             agent is started"
        );
        Err(RpcError::new(ErrorKind::NotFound, text))
    }

    pub(crate) async fn exists(&self, asked: Asked<Exists>) -> Result<Existence, RpcError> {
        let Asked { extension, parent, origin, params } = asked;
        let params = Get { name: params.name, purpose: None };
        let found = self.find(Asked { extension, parent, origin, params }).await?;
        let source = found.map(|(_, source)| source);
        Ok(Existence { exists: source.is_some(), source })
    }

    pub(crate) fn env(&self, asked: &Asked<EnvGet>) -> Result<Variable, RpcError> {
        let name = &asked.params.name;
        self.check(&asked.extension, name, "permissions.env", |declared| &declared.env)?;
        let value = self.variable(name).ok_or_else(|| {
            let text =
                format!("the environment variable {name} is not set where the agent is started");
            RpcError::new(ErrorKind::NotFound, text)
        })?;
        if is_secret_variable(name) {
            self.redactor.learn(&value);
        }
        Ok(Variable { value })
    }

    async fn find(&self, asked: Asked<Get>) -> Result<Option<(String, Source)>, RpcError> {
        let (extension, name) = (asked.extension.clone(), asked.params.name.clone());
        self.check(&extension, &name, "permissions.secrets", |declared| &declared.secrets)?;
        let mut found = None;
        if let Some(Provider(provide)) = &self.provider {
            found = provide(asked).await.map(|value| (value, Source::Agent));
        }
        if found.is_none() {
            found = self.given(&name).map(|value| (value, Source::Environment));
        }
        if found.is_none() {
            let store = self.store.clone();
            let kept = tokio::task::spawn_blocking(move || store.get(&extension, &name)).await;
            let kept = kept.map_err(|error| internal(&error))?;
            found = kept.map_err(|error| internal(&error))?;
        }
        if let Some((value, _)) = &found {
            self.redactor.learn(value);
        }
        Ok(found)
    }

    fn given(&self, name: &str) -> Option<String> {
        let given = self.given.get(&OsString::from(name));
        given.map(|value| value.to_string_lossy().into_owned()).filter(|value| !value.is_empty())
    }

    fn variable(&self, name: &str) -> Option<String> {
        let given = self.given.get(&OsString::from(name)).cloned();
        let value = given.or_else(|| env::var_os(name))?;
        Some(value.to_string_lossy().into_owned())
    }

    fn check(
        &self,
        extension: &str,
        name: &str,
        member: &str,
        names: impl Fn(&Declared) -> &Vec<String>,
    ) -> Result<(), RpcError> {
        let declared = lock(&self.declared);
        let found = declared.get(extension);
        if found.is_some_and(|declared| names(declared).iter().any(|known| known == name)) {
            return Ok(());
        }
        let text = if found.is_some_and(|declared| declared.has_manifest) {
            format!("{name} is not declared: add {name:?} to {member} in extension.json")
        } else {
            format!(
                "{name} is not declared: {extension} was started without an extension.json, which is where {member} \
                 stands"
            )
        };
        Err(RpcError::new(ErrorKind::Permission, text))
    }
}

fn internal(error: &impl fmt::Display) -> RpcError {
    RpcError::new(ErrorKind::Internal, error.to_string())
}

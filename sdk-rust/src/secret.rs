//! Secrets and environment variables that the manifest declares.

use std::fmt;

use extline_driver::secrets::elsewhere;
use extline_services::{Method, env, secret};

use crate::{Context, ToolError};

/// A key, a token or a password. It prints as `***`, also in `{:?}` of what holds it, and cannot be serialized;
/// [`reveal`](Secret::reveal) gives the text.
#[derive(Clone, Eq)]
pub struct Secret(String);

impl Secret {
    /// The text, for where it is used.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

/// Takes the same time wherever the two differ.
impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        let (mine, other) = (self.0.as_bytes(), other.0.as_bytes());
        let difference = mine.iter().zip(other).fold(0, |found, (a, b)| found | (a ^ b));
        mine.len() == other.len() && std::hint::black_box(difference) == 0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(***)")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad("***")
    }
}

/// Secrets.
impl Context {
    /// The secret of that name, which `permissions.secrets` of the extension's `extension.json` declares. A person
    /// sets it by `extline secret set EXTENSION NAME`. Under a host that keeps no secrets it is the environment
    /// variable of that name.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// let mut host = Host::builder().secrets(json!({ "WEATHER_KEY": "swordfish" })).start(|| {
    ///     Extension::new("weather", "1.0.0").tool("weather", "", async |_: NoArgs, ctx: Context| {
    ///         let key = ctx.secret("WEATHER_KEY").await?;
    ///         assert_eq!(key.reveal(), "swordfish");
    ///         Ok(format!("asked with {key}"))
    ///     })
    /// })?;
    /// assert_eq!(host.call("weather", json!({}))?.text(), "asked with ***");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Kind `not_found` where it is not set, with a text that says what sets it; `permission` where the manifest does
    /// not declare it (`secret.declared`); else as [`Context::request`].
    pub async fn secret(&self, name: &str) -> Result<Secret, ToolError> {
        if let Some(found) = self.elsewhere(secret::GetMethod::NAME, name) {
            return found.map(Secret);
        }
        let params = secret::Get { name: name.to_owned(), purpose: None };
        let answer: secret::Secret = self.request(secret::GetMethod::NAME, &params).await?;
        Ok(Secret(answer.value))
    }

    /// The environment variable of that name, as it is where the agent was started; `permissions.env` of the
    /// extension's `extension.json` declares it. Errors are those of [`Context::secret`].
    pub async fn env(&self, name: &str) -> Result<String, ToolError> {
        if let Some(found) = self.elsewhere(env::GetMethod::NAME, name) {
            return found;
        }
        let params = env::Get { name: name.to_owned() };
        let answer: env::Variable = self.request(env::GetMethod::NAME, &params).await?;
        Ok(answer.value)
    }

    fn elsewhere(&self, method: &str, name: &str) -> Option<Result<String, ToolError>> {
        let found = elsewhere(&self.connection().session(), method, name);
        found.map(|found| found.map_err(ToolError::of))
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn a_secret_is_not_printed() {
        let secret = Secret("swordfish".to_owned());
        assert_eq!(
            format!("{secret} {secret:>5} {:?}", Some(&secret)),
            "***   *** Some(Secret(***))"
        );
        assert_eq!(secret, Secret("swordfish".to_owned()));
        assert_ne!(secret, Secret("swordfisk".to_owned()));
        assert_ne!(secret, Secret("sword".to_owned()));
    }
}

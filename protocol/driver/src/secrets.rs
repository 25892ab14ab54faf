//! Secrets under a host that has none of its own to give.

use std::env::{self, VarError};

use extline_protocol::frame::ErrorInfo;
use extline_protocol::{ErrorKind, ExtensionSession};

/// The value of a secret, or of a variable, where the host does not serve `method`, which is `secret.get` or
/// `env.get`: such a host passes its environment on to extensions, so it is the variable of that name. `None` where
/// the host is to be asked.
///
/// Its failure is `not_found` where it is not set, and `validation` where there can be no such variable.
pub fn elsewhere(
    session: &ExtensionSession,
    method: &str,
    name: &str,
) -> Option<Result<String, Box<ErrorInfo>>> {
    (!session.serves(method)).then(|| of_environment(name))
}

fn of_environment(name: &str) -> Result<String, Box<ErrorInfo>> {
    let failed = |kind, text: String| Err(Box::new(ErrorInfo::new(kind, text)));
    if name.is_empty() || name.contains(['=', '\0']) {
        let text = format!("{name:?} is no name of a secret or of a variable");
        return failed(ErrorKind::Validation, text);
    }
    match env::var(name) {
        Ok(value) if !value.is_empty() => Ok(value),
        Ok(_) | Err(VarError::NotPresent) => {
            let text = format!(
                "{name} is not set: this host keeps no secrets, so set the environment variable {name} where it is started"
            );
            failed(ErrorKind::NotFound, text)
        }
        Err(VarError::NotUnicode(_)) => {
            let text = format!("the environment variable {name} is no text: it is not UTF-8");
            failed(ErrorKind::Validation, text)
        }
    }
}

#[cfg(test)]
mod tests {
    use extline_protocol::ExtensionConfig;

    use super::*;

    #[test]
    fn a_host_that_keeps_secrets_is_asked_and_any_other_leaves_the_environment() {
        let mut session = ExtensionSession::new(ExtensionConfig::new("w", "1.0.0"));
        assert!(elsewhere(&session, "secret.get", "PATH").is_some_and(|found| found.is_ok()));
        let ack = br#"{"type":"hello_ack","protocol_version":1,"capabilities":["rpc"],"methods":["secret.get"],"host":{"name":"h","version":"2"}}
"#;
        session.handle_input(ack, std::time::Instant::now());
        assert!(elsewhere(&session, "secret.get", "PATH").is_none());
        assert!(elsewhere(&session, "env.get", "PATH").is_some_and(|found| found.is_ok()));
    }

    #[test]
    fn what_is_missing_says_what_to_do() {
        assert!(of_environment("PATH").is_ok());
        let error = of_environment("EXTLINE_NO_SUCH_SECRET").unwrap_err();
        assert_eq!(error.kind, ErrorKind::NotFound);
        assert!(error.message.contains("set the environment variable EXTLINE_NO_SUCH_SECRET"));
        assert_eq!(of_environment("A=B").unwrap_err().kind, ErrorKind::Validation);
    }
}

//! Secrets under a host that has none of its own to give.

use std::env::{self, VarError};

use extline_protocol::ErrorKind;
use extline_protocol::frame::ErrorInfo;

/// The value of a secret, or of a variable, where the host serves neither `secret.get` nor `env.get`: such a host
/// passes its environment on to extensions, so it is the variable of that name.
///
/// # Errors
///
/// `not_found` where it is not set, and `validation` where there can be no such variable.
pub fn of_environment(name: &str) -> Result<String, Box<ErrorInfo>> {
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
    use super::*;

    #[test]
    fn what_is_missing_says_what_to_do() {
        assert!(of_environment("PATH").is_ok());
        let error = of_environment("EXTLINE_NO_SUCH_SECRET").unwrap_err();
        assert_eq!(error.kind, ErrorKind::NotFound);
        assert!(error.message.contains("set the environment variable EXTLINE_NO_SUCH_SECRET"));
        assert_eq!(of_environment("A=B").unwrap_err().kind, ErrorKind::Validation);
    }
}

//! What is done about a request that is answered with a secret: it is written down, and known from then on.

use extline_protocol::RawJson;
use extline_protocol::frame::RpcError;
use extline_services::ui::InputMethod;
use extline_services::{Method, SECRET_METHODS};
use serde_json::Value;

use super::shared::Shared;
use crate::audit::{More, Record, error_type};

/// Characters that are kept of what a secret is for.
const PURPOSE: usize = 200;

/// A request whose answer may have a secret in it.
pub(super) struct SecretAsked {
    method: String,
    params: Value,
    /// What a person types unseen. It is learned, and no record of it is made.
    is_typed: bool,
}

impl SecretAsked {
    /// `None` where it is another request.
    pub(super) fn of(method: &str, params: Option<&RawJson>) -> Option<Self> {
        let is_input = method == InputMethod::NAME;
        if !is_input && !SECRET_METHODS.contains(&method) {
            return None;
        }
        let params: Value = serde_json::from_str(params?.get()).ok()?;
        let is_typed = is_input && params["secret"] == true;
        (is_typed || !is_input).then(|| Self { method: method.to_owned(), params, is_typed })
    }

    pub(super) fn answered(
        &self,
        shared: &Shared,
        extension: &str,
        answer: &Result<RawJson, RpcError>,
    ) {
        if self.is_typed {
            let answer = answer.as_ref().ok();
            let answer = answer.and_then(|answer| serde_json::from_str::<Value>(answer.get()).ok());
            if let Some(value) = answer.as_ref().and_then(|answer| answer["value"].as_str()) {
                shared.redactor.learn(value);
            }
            return;
        }
        let purpose = self.params["purpose"].as_str();
        let end = purpose.and_then(|text| text.char_indices().nth(PURPOSE)).map(|(end, _)| end);
        let purpose = purpose.map(|text| &text[..end.unwrap_or(text.len())]);
        let status = match answer {
            Ok(_) => "ok",
            Err(error) => error_type(&error.code),
        };
        let name = self.params["name"].as_str().filter(|name| !name.is_empty());
        let more = More::Secret { method: &self.method, name, purpose, status };
        shared.audit(&Record {
            event: "secret",
            call: "",
            tool: None,
            extension: Some(extension),
            caller: None,
            args_hash: None,
            more,
        });
    }
}

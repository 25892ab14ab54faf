//! What the handler of a raw tool may take.

use extline_protocol::RawJson;
use serde_json::Value;

use crate::{ToolError, args};

/// What the handler of a raw tool takes: [`serde_json::Value`] or [`RawJson`].
///
/// ```
/// use extline::prelude::*;
///
/// let any = || json!({ "type": "object" });
/// let value = Tool::raw("value", "", any(), async |args: Value, _| Ok(args["city"].clone()));
/// let text = Tool::raw("text", "", any(), async |args: RawJson, _| Ok(args.get().to_owned()));
/// ```
#[diagnostic::on_unimplemented(
    message = "a raw tool cannot take `{Self}`",
    note = "take a `Value` or `RawJson`; for a type of your own use `tool` in place of `raw_tool`"
)]
pub trait RawArgs: sealed::Sealed + Sized {
    #[doc(hidden)]
    fn from_raw(args: RawJson) -> Result<Self, ToolError>;
}

impl RawArgs for Value {
    fn from_raw(args: RawJson) -> Result<Self, ToolError> {
        args::decode(&args)
    }
}

impl RawArgs for RawJson {
    fn from_raw(args: RawJson) -> Result<Self, ToolError> {
        Ok(args)
    }
}

mod sealed {
    pub trait Sealed {}

    impl Sealed for serde_json::Value {}

    impl Sealed for extline_protocol::RawJson {}
}

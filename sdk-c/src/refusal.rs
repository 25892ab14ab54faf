//! What the session refuses, as codes.

use extline_protocol::{CallToolError, RequestError};

use crate::code::{
    EXTLINE_AGAIN, EXTLINE_ANSWERED, EXTLINE_CLOSED, EXTLINE_JSON, EXTLINE_STATE,
    EXTLINE_TOO_LARGE, EXTLINE_UNSUPPORTED,
};
use crate::failure::Failure;

pub(crate) fn of_call(refused: &CallToolError) -> Failure {
    let code = match refused {
        CallToolError::Unsupported => EXTLINE_UNSUPPORTED,
        CallToolError::NotAnObject { .. } => EXTLINE_JSON,
        CallToolError::ParentEnded => EXTLINE_ANSWERED,
        CallToolError::TooLarge(_) => EXTLINE_TOO_LARGE,
        CallToolError::ShuttingDown => EXTLINE_CLOSED,
        _ => EXTLINE_STATE,
    };
    Failure::new(code, refused.to_string())
}

pub(crate) fn of_request(refused: &RequestError) -> Failure {
    let code = match refused {
        RequestError::Unsupported { .. } => EXTLINE_UNSUPPORTED,
        RequestError::ParentEnded => EXTLINE_ANSWERED,
        RequestError::TooLarge(_) => EXTLINE_TOO_LARGE,
        RequestError::PartsAhead => EXTLINE_AGAIN,
        RequestError::ShuttingDown => EXTLINE_CLOSED,
        _ => EXTLINE_STATE,
    };
    Failure::new(code, refused.to_string())
}

//! JSON text as the wire wants it: scanned in one pass, kept raw, written canonically.
//!
//! `serde_json` says why a text is no JSON; this module does what a serializer framework cannot, in
//! the same pass that checks the syntax: the last of duplicate keys wins, unpaired surrogates are
//! found, depth is counted over the text, and values pass through byte for byte.

mod block;
mod ends;
mod field;
mod find;
mod lane;
mod model_args;
mod raw;
mod run;
mod scan;
mod scanner;
mod skip;
mod unescape;
mod write;

pub use ends::Ends;
pub use field::{Field, FieldError, read_string};
pub(crate) use field::{excerpt, read_last, read_member};
pub use model_args::{ModelArgsError, model_args};
pub(crate) use raw::repair_surrogates;
pub use raw::{RawJson, RawJsonError};
pub(crate) use scan::{EachMember, depth};
pub use scan::{Elements, Member, Members};
pub(crate) use write::write_number;
pub use write::write_string;

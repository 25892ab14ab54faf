//! JSON text as the extline wire wants it: scanned in one pass, kept raw, written canonically.
//!
//! `serde_json` says why a text is no JSON; this crate does what a serializer framework cannot, in
//! the same pass that checks the syntax: the last of duplicate keys wins, unpaired surrogates are
//! found, depth is counted over the text, and values pass through byte for byte.
//!
//! It is a crate of its own because it is the part of the wire that is worth building for speed
//! where the rest is built for size. What users need of it, `extline-protocol` exports.

#![forbid(unsafe_code)]

mod block;
pub mod bytes;
mod ends;
mod field;
mod find;
mod lane;
pub mod pointer;
mod raw;
mod run;
mod scan;
mod scanner;
mod skip;
mod unescape;
mod write;

pub use ends::Ends;
pub use field::{Field, FieldError, excerpt, read_last, read_member, read_string};
pub use raw::{RawJson, RawJsonError, repair_surrogates};
pub use scan::{EachMember, Elements, Member, Members, depth};
pub use write::{write_array, write_number, write_object, write_string};

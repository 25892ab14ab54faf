//! Between a model and its tools: [`repair`] mends the JSON that models write, [`extract`] finds the tool
//! calls in their text where the provider's interface did not, and [`schema_for`] renders a tool's schema
//! as a provider takes it.
//!
//! All are functions of text: nothing is read, written or waited for. They need no extline host, and
//! each says what it did: which fixes, where, and whether the text ended before the value did. A call
//! that was cut off is for the caller to refuse, unless the tool only reads.
//!
//! ```
//! use extline_model::repair;
//!
//! let repaired = repair(r#"{"path": "a.txt", "lines": [1, 2,],}"#)?;
//! assert_eq!(repaired.value.get(), r#"{"path":"a.txt","lines":[1,2]}"#);
//! assert_eq!(
//!     repaired.fixes[0].to_string(),
//!     "line 1, column 33: the comma before a closing bracket was removed: ,"
//! );
//! assert!(!repaired.truncated);
//! # Ok::<(), extline_model::RepairError>(())
//! ```

#![forbid(unsafe_code)]

/// The samples of the page on schemas. Those of the page on the rest are run in `extline-host`.
#[cfg(doctest)]
#[doc = include_str!("../../docs/host/linting.md")]
struct SchemaPage;

mod extract;
mod json;
mod repair;
mod schema;
mod search;

pub use extline_json::{RawJson, RawJsonError};
pub use extract::{Call, Envelope, Extracted, Extractor, Offered, Part, Refused, extract};
pub use repair::{
    Fix, FixKind, Fixes, MAX_DEPTH, MAX_FIXES, RepairError, RepairErrorKind, Repaired,
    RepairedValue, repair, repair_value,
};
pub use schema::{
    Note, NoteKind, Provider, Reason, Rendered, Unrenderable, check_name, schema_for,
    with_defaults, with_descriptions, without_nulls,
};
pub use search::{Indexed, ToolIndex, tokens_estimate};

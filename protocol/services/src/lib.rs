//! What a host may serve its extensions by `request`, and extensions their host: each method with its parameters and
//! its result, declared once. The host, the SDKs and `docs/protocol/services.json` are made from it.
//!
//! ```
//! use extline_services::{METHODS, Method, ui};
//!
//! let params: ui::Confirm = serde_json::from_str(r#"{"title":"Ship it?"}"#).unwrap();
//! assert_eq!(params.title, "Ship it?");
//! assert_eq!(ui::ConfirmMethod::NAME, "ui.confirm");
//! assert!(METHODS.iter().any(|method| method.name == "ui.confirm"));
//! ```

pub mod agent;
pub mod approval;
pub mod env;
pub mod exec;
mod given;
mod given_secrets;
pub mod kept;
pub mod lifecycle;
mod method;
pub mod pending;
pub mod secret;
pub mod session;
pub mod state;
pub mod ui;
pub mod view;

pub use self::given::{GivenAnswers, Unanswered};
pub use self::given_secrets::{GivenSecrets, SECRET_METHODS};
pub use self::method::{EXTENSION_METHODS, Entry, METHODS, Method};

//! A host in the same process, for tests of an extension.
//!
//! Put the extension into a function of its own, and a test can start it:
//!
//! ```
//! use extline::prelude::*;
//! use extline::testing::{Failure, Host};
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Weather {
//!     /// City name
//!     city: String,
//! }
//!
//! fn extension() -> Extension {
//!     Extension::new("weather", "1.0.0")
//!         .tool("weather", "Current weather for a city.", async |w: Weather, _| {
//!             if w.city == "Atlantis" {
//!                 return Err(ToolError::not_found("no such city").field("/city"));
//!             }
//!             Ok(format!("{}: 16°C, fog", w.city))
//!         })
//!         .command("weather", "current weather for a city", async |args: &str, _| {
//!             Response::prompt(format!("Weather for {args}?"))
//!         })
//! }
//!
//! # /*
//! #[test]
//! # */
//! fn a_city_has_weather() -> Result<(), Failure> {
//!     let mut host = Host::new(extension);
//!     assert_eq!(host.call("weather", json!({"city": "Berlin"}))?.text(), "Berlin: 16°C, fog");
//!     assert_eq!(host.call("weather", json!({"city": "Atlantis"}))?.field(), Some("/city"));
//!     assert_eq!(host.command("weather", "Berlin")?, Response::prompt("Weather for Berlin?"));
//!     Ok(())
//! }
//! # a_city_has_weather().unwrap();
//! ```
//!
//! # What is real about it
//!
//! The extension is served by the loop that serves it in a program of its own, over a pair of pipes,
//! on a thread of its own, and the host is the protocol's [`HostSession`](extline_protocol::HostSession):
//! the frames of a test are the frames of a real run. [`Host::transcript`] has them all, and a failure
//! shows the last ones.
//!
//! The host itself is a small one: it does not validate arguments and asks for no approval. A call that
//! takes too long fails after [`Builder::deadline`], not after the deadlines of a real host.
//!
//! # What it demands
//!
//! What a real host would not do, or would lose, fails the test here:
//!
//! - A handler of an event or of a panel that fails, and a teardown that fails or lasts, is
//!   [`Failure::HandlerFailed`] in the step that waits for it. A [`Host`] panics when it is dropped if no
//!   step of the test has told of one.
//! - The start, with its setup, has [`Builder::start_deadline`].
//! - The result of a tool with an output schema matches it.
//! - A tool, a command, an event or a panel that is not there is [`Failure::Misuse`], with the name that
//!   was probably meant.
//!
//! Each failure names the line of the test.
//!
//! # How a test goes on
//!
//! Every step waits for what it is about: [`Host::call`] for the answer, [`Host::event`] and
//! [`Host::key`] for the end of the handlers. So nothing in a test needs to sleep, and
//! [`Host::notes`], [`Host::logs`], [`Host::panel`] have what the step brought about. To act while a
//! tool runs, [`begin`](Host::begin) the call, wait for its [`next_update`](Host::next_update) or
//! [until](Host::wait_until) something else shows, and [`finish`](Host::finish) it. Between two steps
//! the extension goes on by itself.
//!
//! What a handler shares with its test crosses threads: an `Arc<Mutex<_>>` or a channel.
//!
//! # Which host
//!
//! [`Host::new`] is a host that offers everything. [`Host::builder`] changes that: another directory or
//! model, [fewer capabilities](Builder::capabilities), [a zot](Builder::zot) that knows nothing beyond
//! the base; [other tools](Builder::tool) and [methods](Builder::method) for the extension to call.
//!
//! # Scenarios
//!
//! With the feature `scenario`, the function of that name plays files of cases, the same that
//! `extline conformance --cases FILE` plays against the finished program. It belongs into
//! `[dev-dependencies]`, where no release has its parser of TOML:
//!
//! ```toml
//! [dev-dependencies]
//! extline = { version = "0.1", features = ["scenario"] }
//! ```
//!
//! # Platforms
//!
//! Where extensions are not supported, which is neither Unix nor Windows, everything compiles and starting a
//! host is [`Failure::Extension`] with [`Error::Stdio`](crate::Error::Stdio).

mod answer;
mod builder;
mod commands;
mod conversation;
mod events;
mod failure;
mod host;
mod intercepts;
mod link;
mod methods;
mod panels;
mod pending;
#[cfg(feature = "scenario")]
mod scenario;
mod seen;
mod stand_ins;
mod tools;
mod transcript;

pub use answer::Answer;
pub use builder::Builder;
pub use commands::CommandAnswer;
pub use failure::{Failure, Story};
pub use host::Host;
pub use intercepts::{Moment, Ruling};
pub use methods::MethodAnswer;
#[cfg(feature = "scenario")]
pub use scenario::scenario;
pub use seen::Note;
pub use tools::Call;
pub use transcript::{Line, Side, Transcript};

/// What a host finds wrong with a frame.
pub use extline_protocol::Notice;
/// For [`Builder::profile`].
pub use extline_protocol::Profile;
/// The frames that some methods give out.
pub use extline_protocol::frame::{
    Action, Log, Panel as ShownPanel, RegisterCommand, RegisterTool, Subscribe, ToolUpdate,
};

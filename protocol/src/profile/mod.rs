//! Which host a host is like: the spec's own, a particular zot, or a fork of it.
//!
//! A profile is a list of switches, each with its clause in docs/protocol/specification.md, section 6. Those of
//! the wire are thrown in [`HostSession`](crate::HostSession); those of the process and of the
//! registry in the host that drives it.

mod forks;
mod near;
mod translate;
mod vocabulary;
mod words;
mod zots;

use std::time::Duration;

use thiserror::Error;

pub use self::near::nearest;
pub use self::vocabulary::Vocabulary;
pub(crate) use self::vocabulary::{CONFIG_CHANGED, MESSAGE_UPDATE};
pub(crate) use self::words::Translated;

use self::near::near;
use crate::limits::READY_IDLE;

/// Which host a host is like. Take one of those here and throw single switches where a test needs
/// it; `spec` is the default.
///
/// ```
/// use extline_protocol::{Profile, Vocabulary};
///
/// let zot = Profile::named("zot-0.1.62")?;
/// assert_eq!(zot.vocabulary, Vocabulary::BASE);
/// assert!(Profile::spec().tool_cancel && !zot.tool_cancel);
/// # Ok::<(), extline_protocol::UnknownProfile>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Profile {
    /// What it is called: `spec`, a zot by its version or commit, never "latest", or a fork of zot.
    pub name: &'static str,
    /// The version in `hello_ack` where the embedder says nothing.
    pub zot_version: &'static str,

    // What goes over the wire.
    /// The frames and fields it knows: it sends no other ones, and ignores the others that come
    /// (`zot.no-extline`, `zot.no-upstream`, `zot.no-replay`, `zot.unknown-frames`,
    /// `zot.one-question`); of a fork also which versions and which arguments it takes (`fork.*`).
    pub vocabulary: Vocabulary,
    /// `bootstrap` before `hello` gives an extension more time; else the first frame is `hello`
    /// (`hello.bootstrap`, `zot.no-bootstrap`).
    pub bootstrap: bool,
    /// What `hello_ack.capabilities` says (`zot.ack-plain`, `zot.ack-call-tool`).
    pub ack_capabilities: AckCapabilities,
    /// It sends `tool_cancel` where `hello` names it (`zot.no-cancel`, `zot.cancel-named`).
    pub tool_cancel: bool,
    /// A call that was cancelled may still be answered for a while; else it fails at once, and a
    /// late answer is ignored (`zot.gives-up`).
    pub waits_for_cancelled: bool,
    /// So much silence counts as `ready` (`zot.idle-ready`).
    pub idle_ready: Option<Duration>,
    /// A tool that is registered after `ready` is offered (`zot.late-tools`).
    pub late_tools: bool,
    /// What comes before `hello` and is no frame is skipped; else the extension is refused
    /// (`zot.first-line`).
    pub skips_banner: bool,
    /// A frame that cannot be used fails the call it belongs to; else nobody hears of it, and the
    /// call runs into its deadline (`zot.unusable`).
    pub answers_unusable: bool,
    /// A line over the limit fails its call; else nothing is read any more (`zot.max-line`).
    pub reads_on_after_long_line: bool,
    /// A frame over the limit is not written, and its call fails; else it is (`zot.any-size`).
    pub limits_frames: bool,
    /// `<`, `>`, `&`, U+2028 and U+2029 are written as escapes (`zot.escapes`).
    pub escapes_html: bool,
    /// Tools, commands and intercepts have the protocol's deadlines, whatever was configured
    /// (`zot.fixed-deadlines`).
    pub fixed_deadlines: bool,

    // What the host does around it.
    /// Names and schemas of tools are checked, and arguments against them (`zot.no-validation`).
    pub validates: bool,
    /// An intercept without a usable answer means what the extension declared, else `block`; else
    /// everything goes on unchanged (`zot.fail-open`).
    pub guards_fail_closed: bool,
    /// Interceptors are asked in load order; else in one that is drawn anew each time, but for
    /// those of `before_agent_start` (`zot.intercept-order`).
    pub interceptors_in_order: bool,
    /// Events are written as they happened; else in any order (`zot.events-unordered`,
    /// `zot.events-ordered`).
    pub events_in_order: bool,
    /// An extension has a data folder beside its own; else `data_dir` is its own
    /// (`zot.one-folder`).
    pub data_folder: bool,
    /// A result is passed on as it came; else empty text blocks are dropped, and a result without
    /// content becomes a text that says so (`zot.empty-content`).
    pub keeps_empty_content: bool,
    /// An extension that closed its stdout is ended; else it is written to until the end, and
    /// calls that it owes an answer run into their deadlines (`zot.output-ended`).
    pub kills_unresponsive: bool,
    /// Unknown frames and unusable lines are reported; else they only stand in the log
    /// (`zot.unknown-frames`).
    pub reports_unknown: bool,
    /// The child has the host's whole environment; else a minimal one and what its manifest names
    /// (`zot.environment`).
    pub whole_environment: bool,
}

/// What `hello_ack.capabilities` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckCapabilities {
    /// What the host serves.
    Served,
    /// Nothing: the key is absent.
    Absent,
    /// Exactly these.
    Only(&'static [&'static str]),
}

/// There is no profile of that name.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("there is no profile {name:?}{}; the profiles are {}", meant(.near), Profile::NAMES.join(", "))]
pub struct UnknownProfile {
    /// The name.
    pub name: String,
    /// The names that look like it.
    pub near: Vec<&'static str>,
}

fn meant(near: &[&str]) -> String {
    if near.is_empty() { String::new() } else { format!(", did you mean {}?", near.join(" or ")) }
}

impl Profile {
    /// The names of all profiles.
    pub const NAMES: [&'static str; 7] =
        ["spec", "zot-0.1.62", "zot-37c7945", "zot-9d3e5db", "zut", "ncode", "terva"];

    /// Sections 1 to 5 of docs/protocol/specification.md, nothing else.
    pub const fn spec() -> Self {
        Self {
            name: "spec",
            zot_version: "",
            vocabulary: Vocabulary::EXTLINE,
            bootstrap: true,
            ack_capabilities: AckCapabilities::Served,
            tool_cancel: true,
            waits_for_cancelled: true,
            idle_ready: None,
            late_tools: true,
            skips_banner: true,
            answers_unusable: true,
            reads_on_after_long_line: true,
            limits_frames: true,
            escapes_html: false,
            fixed_deadlines: false,
            validates: true,
            guards_fail_closed: true,
            interceptors_in_order: true,
            events_in_order: true,
            data_folder: true,
            keeps_empty_content: true,
            kills_unresponsive: true,
            reports_unknown: true,
            whole_environment: false,
        }
    }

    /// Zot v0.1.62 (commit 380eca9, May 2026), as it was observed and recorded.
    pub const fn zot_0_1_62() -> Self {
        Self {
            name: "zot-0.1.62",
            zot_version: "0.1.62",
            vocabulary: Vocabulary::BASE,
            bootstrap: false,
            ack_capabilities: AckCapabilities::Absent,
            tool_cancel: false,
            waits_for_cancelled: false,
            idle_ready: Some(READY_IDLE),
            late_tools: false,
            skips_banner: false,
            answers_unusable: false,
            reads_on_after_long_line: false,
            limits_frames: false,
            escapes_html: true,
            fixed_deadlines: true,
            validates: false,
            guards_fail_closed: false,
            interceptors_in_order: false,
            events_in_order: false,
            data_folder: false,
            keeps_empty_content: false,
            kills_unresponsive: false,
            reports_unknown: false,
            whole_environment: true,
        }
    }

    /// Upstream's commit 37c7945, as its source says. A build without a version stamp calls itself
    /// `0.0.0`.
    pub const fn zot_37c7945() -> Self {
        Self {
            name: "zot-37c7945",
            zot_version: "0.0.0",
            vocabulary: Vocabulary::UPSTREAM,
            ack_capabilities: AckCapabilities::Only(&["call_tool"]),
            tool_cancel: true,
            events_in_order: true,
            kills_unresponsive: true,
            ..Self::zot_0_1_62()
        }
    }

    /// Upstream's commit 9d3e5db, as its source says: calls may be repeated by a durable host.
    pub const fn zot_9d3e5db() -> Self {
        Self { name: "zot-9d3e5db", vocabulary: Vocabulary::DURABLE, ..Self::zot_37c7945() }
    }

    /// The fork zut, commit 3900ec7, as its source says.
    pub const fn zut() -> Self {
        Self {
            name: "zut",
            zot_version: "0.0.0",
            vocabulary: Vocabulary::ZUT,
            ..Self::zot_0_1_62()
        }
    }

    /// The fork ncode, commit 408d40c, as its source says.
    pub const fn ncode() -> Self {
        Self {
            name: "ncode",
            zot_version: "0.0.0",
            vocabulary: Vocabulary::NCODE,
            ..Self::zot_0_1_62()
        }
    }

    /// The fork terva, protocol version 6, as its published frames and its documentation say.
    pub const fn terva() -> Self {
        Self {
            name: "terva",
            zot_version: "0.0.0",
            vocabulary: Vocabulary::TERVA,
            bootstrap: true,
            reads_on_after_long_line: true,
            events_in_order: true,
            data_folder: true,
            ..Self::zot_0_1_62()
        }
    }

    /// All profiles, in the order of [`Profile::NAMES`].
    pub const fn all() -> [Self; 7] {
        [
            Self::spec(),
            Self::zot_0_1_62(),
            Self::zot_37c7945(),
            Self::zot_9d3e5db(),
            Self::zut(),
            Self::ncode(),
            Self::terva(),
        ]
    }

    /// The profile of that name.
    pub fn named(name: &str) -> Result<Self, UnknownProfile> {
        Self::all()
            .into_iter()
            .find(|profile| profile.name == name)
            .ok_or_else(|| UnknownProfile { name: name.to_owned(), near: near(name, &Self::NAMES) })
    }
}

impl Default for Profile {
    fn default() -> Self {
        Self::spec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_finds_its_profile() {
        for name in Profile::NAMES {
            assert_eq!(Profile::named(name).map(|profile| profile.name), Ok(name));
        }
        assert_eq!(Profile::default(), Profile::spec());
    }

    #[test]
    fn another_name_is_answered_with_those_that_look_like_it() {
        let said = |name: &str| Profile::named(name).unwrap_err().to_string();
        assert_eq!(
            said("zot-0.1.63"),
            "there is no profile \"zot-0.1.63\", did you mean zot-0.1.62?; the profiles are spec, \
             zot-0.1.62, zot-37c7945, zot-9d3e5db, zut, ncode, terva"
        );
        assert_eq!(
            said("latest"),
            "there is no profile \"latest\"; the profiles are spec, zot-0.1.62, zot-37c7945, \
             zot-9d3e5db, zut, ncode, terva"
        );
        assert_eq!(
            Profile::named("zot").unwrap_err().near,
            ["zot-0.1.62", "zot-37c7945", "zot-9d3e5db", "zut"]
        );
    }
}

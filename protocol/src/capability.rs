//! What a peer understands beyond the base (`cap.*`).

use std::fmt;

/// A feature named in `hello.capabilities` or `hello_ack.capabilities`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Capability {
    /// Slash commands: part of the base.
    Commands,
    /// Tools: part of the base.
    Tools,
    /// Events and intercepts: part of the base.
    Events,
    /// Panels: part of the base.
    Panels,
    /// The host may send `tool_cancel`.
    ToolCancel,
    /// The extension may send `call_tool`.
    CallTool,
    /// The extension may send `tool_update`.
    ToolUpdate,
    /// The extension may send `register_tool` after `ready`, and `unregister_tool`.
    ToolRegistry,
    /// The host may send `registered`.
    RegistrationReport,
    /// The extension may send `log`.
    Log,
    /// Both may send `request`, `response`, `response_part` and `cancel`.
    Rpc,
    /// The host gives the extension its configuration, and may send the event `config_changed`.
    Config,
    /// The extension may send `view` and `call_view`.
    View,
    /// The host sends an event only as far as `subscribe` asks for it by `filters`.
    EventFilters,
}

impl Capability {
    /// Every capability in the order in which it is written (`cap.order`).
    pub const ALL: [Self; 14] = [
        Self::Commands,
        Self::Tools,
        Self::Events,
        Self::Panels,
        Self::ToolCancel,
        Self::CallTool,
        Self::ToolUpdate,
        Self::ToolRegistry,
        Self::RegistrationReport,
        Self::Log,
        Self::Rpc,
        Self::Config,
        Self::View,
        Self::EventFilters,
    ];

    /// The one of that name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == name)
    }

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Commands => "commands",
            Self::Tools => "tools",
            Self::Events => "events",
            Self::Panels => "panels",
            Self::ToolCancel => "tool_cancel",
            Self::CallTool => "call_tool",
            Self::ToolUpdate => "tool_update",
            Self::ToolRegistry => "tool_registry",
            Self::RegistrationReport => "registration_report",
            Self::Log => "log",
            Self::Rpc => "rpc",
            Self::Config => "config",
            Self::View => "view",
            Self::EventFilters => "event_filters",
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A set of capabilities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities(u16);

impl Capabilities {
    /// Every capability this version knows.
    pub fn all() -> Self {
        Capability::ALL.into_iter().collect()
    }

    /// The known ones among a peer's names; unknown names are ignored (`cap.unknown`).
    pub fn named<S: AsRef<str>>(names: &[S]) -> Self {
        let is_named =
            |capability: &Capability| names.iter().any(|name| name.as_ref() == capability.as_str());
        Capability::ALL.into_iter().filter(is_named).collect()
    }

    /// Whether the set holds it.
    pub const fn contains(self, capability: Capability) -> bool {
        self.0 & (1 << capability as u16) != 0
    }

    /// The set without it.
    #[must_use]
    pub const fn without(self, capability: Capability) -> Self {
        Self(self.0 & !(1 << capability as u16))
    }

    /// The names in wire order.
    pub fn names(self) -> Vec<String> {
        let held = Capability::ALL.into_iter().filter(|capability| self.contains(*capability));
        held.map(|capability| capability.as_str().to_owned()).collect()
    }
}

impl FromIterator<Capability> for Capabilities {
    fn from_iter<I: IntoIterator<Item = Capability>>(capabilities: I) -> Self {
        Self(capabilities.into_iter().fold(0, |set, capability| set | 1 << capability as u16))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_in_wire_order_whatever_the_peer_s_order() {
        let set = Capabilities::named(&["rpc", "tools", "quantum", "commands"]);
        assert_eq!(set.names(), ["commands", "tools", "rpc"]);
        assert!(!set.contains(Capability::Log));
        assert_eq!(Capability::of("rpc"), Some(Capability::Rpc));
        assert_eq!(Capability::of("quantum"), None);
        assert_eq!(Capabilities::all().without(Capability::Rpc).names().len(), 13);
    }
}

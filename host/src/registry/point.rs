//! The points at which this host asks extensions before something happens.

use extline_protocol::frame::OnFailure;

/// A point at which extensions are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Point {
    ToolCall,
    TurnStart,
    AssistantMessage,
    BeforeAgentStart,
    /// A tool has run, and its caller is about to get the result.
    ToolResult,
    /// The user has sent a prompt, which the agent is about to take.
    UserPromptSubmit,
}

impl Point {
    pub(crate) const ALL: [Self; 6] = [
        Self::ToolCall,
        Self::TurnStart,
        Self::AssistantMessage,
        Self::BeforeAgentStart,
        Self::ToolResult,
        Self::UserPromptSubmit,
    ];

    /// The point of that name on the wire, if this host asks there.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|point| point.as_str() == name)
    }

    /// Its name on the wire.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::ToolCall => "tool_call",
            Self::TurnStart => "turn_start",
            Self::AssistantMessage => "assistant_message",
            Self::BeforeAgentStart => "before_agent_start",
            Self::ToolResult => "tool_result",
            Self::UserPromptSubmit => "user_prompt_submit",
        }
    }

    /// Whether guards are asked too: only where there are arguments that somebody may have
    /// rewritten (`guard.points`).
    pub(crate) const fn has_guards(self) -> bool {
        matches!(self, Self::ToolCall)
    }

    /// Whether an answer can stop what is about to happen: at `tool_result`, that anybody reads it.
    pub(crate) const fn can_block(self) -> bool {
        !matches!(self, Self::BeforeAgentStart)
    }

    /// Whether it happens where nobody decides and nothing was declared (`intercept.failure`).
    const fn passes_unsaid(self) -> bool {
        matches!(self, Self::BeforeAgentStart | Self::ToolResult | Self::UserPromptSubmit)
    }

    /// What no usable answer means, given what the extension declared for the point. Nothing
    /// declared, or a word from the future, means what the point has
    /// (`intercept.failure-host`, `guard.closed`).
    pub(crate) fn on_failure(self, declared: Option<&OnFailure>) -> OnFailure {
        match declared {
            Some(OnFailure::Allow) => OnFailure::Allow,
            Some(OnFailure::Block) if self.can_block() => OnFailure::Block,
            _ if self.passes_unsaid() => OnFailure::Allow,
            _ => OnFailure::Block,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_answer_means_depends_on_the_point_unless_it_is_declared() {
        use OnFailure::{Allow, Block};
        for point in Point::ALL {
            let is_base =
                [Point::ToolCall, Point::TurnStart, Point::AssistantMessage].contains(&point);
            let unsaid = if is_base { Block } else { Allow };
            assert_eq!(point.on_failure(None), unsaid);
            assert_eq!(point.on_failure(Some(&OnFailure::from("ask"))), unsaid);
            let blocks = point != Point::BeforeAgentStart;
            assert_eq!(point.on_failure(Some(&Block)), if blocks { Block } else { Allow });
            assert_eq!(point.on_failure(Some(&Allow)), Allow);
            assert_eq!(Point::named(point.as_str()), Some(point));
        }
        assert_eq!(Point::named("moon_phase"), None);
    }
}

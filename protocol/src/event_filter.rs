//! Which events of a kind an extension is told of (`subscribe.filter`).

use std::collections::BTreeSet;
use std::str::FromStr;

use crate::frame::{Event, EventFilter, Subscribe};
use crate::glob::Glob;
use crate::registrations::RegistrationError;

/// The events that name a tool.
const OF_TOOLS: [&str; 4] =
    ["tool_call", "tool_result", "tool_confirmation_requested", "permission_decision"];

impl EventFilter {
    /// For a handler of an event that is told of these tools alone: names in which `*` stands for any text.
    ///
    /// # Errors
    /// [`RegistrationError::Filter`] for an event that is about no tool, for no tools at all, and for a name that
    /// nothing can be compared with.
    pub fn of_tools(event: &str, tools: Vec<String>) -> Result<Self, RegistrationError> {
        let mistake = |mistake| Err(RegistrationError::Filter { event: event.to_owned(), mistake });
        if !OF_TOOLS.contains(&event) {
            return mistake(format!("it is about no tool; only {} are", OF_TOOLS.join(", ")));
        }
        if tools.is_empty() {
            return mistake("name at least one tool, or say nothing of tools".to_owned());
        }
        let filter = Self { tools: Some(tools) };
        match filter.fault() {
            Some(fault) => mistake(fault),
            None => Ok(filter),
        }
    }

    /// Whether the event is wanted. A name that nothing can be compared with, and a filter without tools, keep
    /// nothing away.
    pub fn fits(&self, event: &Event) -> bool {
        self.fits_tool(event.payload.tool_name.as_deref())
    }

    /// The same of an event about this tool.
    pub fn fits_tool(&self, tool: Option<&str>) -> bool {
        let Some(tools) = &self.tools else { return true };
        let is_meant = |named: &String| {
            Glob::from_str(named).map_or(true, |glob| tool.is_some_and(|tool| glob.matches(tool)))
        };
        tools.iter().any(is_meant)
    }

    /// What is wrong with one of its names.
    pub fn fault(&self) -> Option<String> {
        let wrong = self.tools.iter().flatten().find(|named| Glob::from_str(named).is_err())?;
        Some(format!(r"the tool {wrong:?}: a backslash stands only before `*` and `\`"))
    }
}

impl Subscribe {
    /// Asks for an event, where a filter is given only as far as that goes. What one handler wants whole, or
    /// another of its tools, is wanted (`subscribe.filter-union`).
    pub fn listen(&mut self, event: &str, filter: Option<&EventFilter>) {
        let is_new = !self.events.iter().flatten().any(|known| known == event);
        self.add("event", event);
        let known = self.filters.as_mut().and_then(|filters| filters.get_mut(event));
        match (known, filter) {
            (Some(known), Some(filter)) => known.widen(filter),
            (None, Some(filter)) if is_new => {
                self.filters.get_or_insert_default().insert(event.to_owned(), filter.clone());
            }
            (Some(_), None) => {
                self.filters.as_mut().and_then(|filters| filters.remove(event));
            }
            (None, _) => {}
        }
    }

    /// Whether the event was asked for.
    pub fn wants(&self, event: &Event) -> bool {
        let is_listed = self.events.iter().flatten().any(|name| *name == event.event);
        let filter = self.filters.as_ref().and_then(|filters| filters.get(&event.event));
        is_listed && filter.is_none_or(|filter| filter.fits(event))
    }
}

impl EventFilter {
    /// Lets through what the other one does too.
    pub fn widen(&mut self, other: &Self) {
        match (&mut self.tools, &other.tools) {
            (Some(tools), Some(more)) => {
                // A stranger may name very many.
                let mut known: BTreeSet<String> = tools.iter().cloned().collect();
                tools.extend(more.iter().filter(|name| known.insert((*name).clone())).cloned());
            }
            (tools, _) => *tools = None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::EventPayload;

    fn of(tools: &[&str]) -> EventFilter {
        let tools = tools.iter().map(|&tool| tool.to_owned()).collect();
        EventFilter::of_tools("tool_result", tools).unwrap()
    }

    fn about(tool: Option<&str>) -> Event {
        let tool_name = tool.map(str::to_owned);
        let payload = EventPayload { tool_name, ..EventPayload::default() };
        Event { event: "tool_result".to_owned(), payload }
    }

    #[test]
    fn a_filter_fits_the_tools_that_it_names() {
        let filter = of(&["bash", "mcp_*"]);
        assert!(filter.fits(&about(Some("bash"))) && filter.fits(&about(Some("mcp_search"))));
        assert!(!filter.fits(&about(Some("bash2"))) && !filter.fits(&about(None)));
        assert!(EventFilter { tools: None }.fits(&about(None)));
        let wrong = EventFilter { tools: Some(vec![r"a\b".to_owned()]) };
        assert!(wrong.fits(&about(Some("read"))));
    }

    #[test]
    fn a_filter_that_cannot_be_meant_is_named() {
        let mistake = |event: &str, tools: &[&str]| {
            let tools = tools.iter().map(|&tool| tool.to_owned()).collect();
            EventFilter::of_tools(event, tools).unwrap_err().to_string()
        };
        assert!(mistake("turn_end", &["bash"]).contains("it is about no tool"));
        assert!(mistake("tool_call", &[]).contains("at least one tool"));
        assert!(mistake("tool_call", &[r"a\b"]).contains("a backslash stands only"));
    }

    #[test]
    fn what_any_handler_wants_is_asked_for() {
        let mut subscribe = Subscribe::default();
        subscribe.listen("tool_result", Some(&of(&["bash"])));
        subscribe.listen("tool_result", Some(&of(&["read", "bash"])));
        let filter = &subscribe.filters.as_ref().unwrap()["tool_result"];
        assert_eq!(filter, &of(&["bash", "read"]));
        assert!(subscribe.wants(&about(Some("read"))) && !subscribe.wants(&about(Some("edit"))));
        subscribe.listen("tool_result", None);
        subscribe.listen("tool_result", Some(&of(&["bash"])));
        assert!(subscribe.wants(&about(Some("edit"))));
    }
}

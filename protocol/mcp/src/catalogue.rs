//! What a server offers, and the pages in which it is listed.

use std::sync::Arc;

use extline_protocol::frame::{RegisterCommand, RegisterTool};

use crate::entry::{Entry, LeftOut};
use crate::failure::{Failure, cut};
use crate::prompt;

/// So large a page may get. A line of Claude Desktop's has a megabyte at most.
const PAGE_BYTES: usize = 512 * 1024;

/// Tools and prompts in the order in which they were registered, so that a list is the same every time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Catalogue {
    tools: Vec<Arc<Entry>>,
    /// Name and entry.
    prompts: Vec<(String, String)>,
    /// There were some once, so that clients may have been told to ask for them.
    has_prompts: bool,
}

/// One page of a list.
#[derive(Debug)]
pub(crate) struct Page<'a> {
    pub(crate) entries: Vec<&'a str>,
    /// Where the next page begins.
    pub(crate) next: Option<usize>,
}

impl Catalogue {
    /// Adds a tool, or puts it in the place of the one of that name.
    pub(crate) fn add_tool(&mut self, tool: &RegisterTool) -> Result<Arc<Entry>, LeftOut> {
        let entry =
            Entry::of(tool).map(Arc::new).inspect_err(|_| _ = self.remove_tool(&tool.name))?;
        match self.tools.iter_mut().find(|known| known.name == tool.name) {
            Some(known) => *known = Arc::clone(&entry),
            None => self.tools.push(Arc::clone(&entry)),
        }
        Ok(entry)
    }

    /// Whether it was there.
    pub(crate) fn remove_tool(&mut self, name: &str) -> bool {
        let before = self.tools.len();
        self.tools.retain(|tool| tool.name != name);
        self.tools.len() < before
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&Arc<Entry>> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    pub(crate) fn add_prompt(&mut self, command: &RegisterCommand) {
        let entry = prompt::entry(command);
        self.has_prompts = true;
        match self.prompts.iter_mut().find(|(name, _)| name.eq_ignore_ascii_case(&command.name)) {
            Some(known) => *known = (command.name.clone(), entry),
            None => self.prompts.push((command.name.clone(), entry)),
        }
    }

    /// Whether it was there.
    pub(crate) fn remove_prompt(&mut self, name: &str) -> bool {
        let before = self.prompts.len();
        self.prompts.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.prompts.len() < before
    }

    /// The registered spelling of a prompt's name.
    pub(crate) fn prompt(&self, name: &str) -> Option<&str> {
        let names = self.prompts.iter().map(|(known, _)| known.as_str());
        names.into_iter().find(|known| known.eq_ignore_ascii_case(name))
    }

    /// Whether there are prompts, or were.
    pub(crate) fn has_prompts(&self) -> bool {
        self.has_prompts
    }

    pub(crate) fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.name.as_str())
    }

    pub(crate) fn tools_page(&self, cursor: Option<&str>) -> Result<Page<'_>, Failure> {
        page(self.tools.iter().map(|tool| tool.json.as_str()), cursor)
    }

    pub(crate) fn prompts_page(&self, cursor: Option<&str>) -> Result<Page<'_>, Failure> {
        page(self.prompts.iter().map(|(_, entry)| entry.as_str()), cursor)
    }
}

/// The page that a cursor names, which is the place of its first entry.
fn page<'a>(
    entries: impl ExactSizeIterator<Item = &'a str>,
    cursor: Option<&str>,
) -> Result<Page<'a>, Failure> {
    let count = entries.len();
    let first = match cursor {
        None => 0,
        Some(cursor) => {
            let place = cursor.parse().ok().filter(|place| (1..=count).contains(place));
            place.ok_or_else(|| {
                Failure::invalid_params(format!("there is no page {}", cut(cursor)))
            })?
        }
    };
    let (mut bytes, mut page) = (0, Vec::new());
    for entry in entries.skip(first) {
        bytes += entry.len();
        if bytes > PAGE_BYTES && !page.is_empty() {
            break;
        }
        page.push(entry);
    }
    let next = first + page.len();
    Ok(Page { entries: page, next: (next < count).then_some(next) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalogue(description_bytes: usize, count: usize) -> Catalogue {
        let mut catalogue = Catalogue::default();
        for number in 0..count {
            let description = Some("x".repeat(description_bytes));
            let name = format!("t{number}");
            catalogue
                .add_tool(&RegisterTool { name, description, ..RegisterTool::default() })
                .unwrap();
        }
        catalogue
    }

    #[test]
    fn all_that_fits_is_on_one_page() {
        let catalogue = catalogue(10, 200);
        let page = catalogue.tools_page(None).unwrap();
        assert_eq!((page.entries.len(), page.next), (200, None));
    }

    #[test]
    fn pages_follow_each_other_until_the_end_and_miss_nothing() {
        let catalogue = catalogue(200 * 1024, 7);
        let (mut cursor, mut seen) = (None, 0);
        loop {
            let page = catalogue.tools_page(cursor.as_deref()).unwrap();
            assert!(!page.entries.is_empty());
            seen += page.entries.len();
            let Some(next) = page.next else { break };
            cursor = Some(next.to_string());
        }
        assert_eq!(seen, 7);
    }

    #[test]
    fn a_cursor_that_nobody_gave_is_refused() {
        let catalogue = catalogue(1, 3);
        for cursor in ["", "x", "0", "-1", "4", "99999999999999999999"] {
            assert!(catalogue.tools_page(Some(cursor)).is_err(), "{cursor}");
        }
    }

    #[test]
    fn a_tool_that_is_offered_anew_keeps_its_place() {
        let mut catalogue = catalogue(1, 3);
        let again = RegisterTool { name: "t1".to_owned(), ..RegisterTool::default() };
        catalogue.add_tool(&again).unwrap();
        assert_eq!(catalogue.tool_names().collect::<Vec<_>>(), ["t0", "t1", "t2"]);
        assert!(catalogue.remove_tool("t1") && !catalogue.remove_tool("t1"));
    }
}

//! Rows in memory: for hosts without a database, and for tests.

use std::collections::{BTreeMap, BTreeSet};

use super::Refusal;
use super::rows::{Header, Node, Page, Row, Rows, SlotHead, Stored};

/// Place and extension.
type Slot = (String, String);

/// Rows in memory. They are gone with it.
#[derive(Clone, Debug, Default)]
pub struct MemoryRows {
    numbers: u64,
    rows: BTreeMap<Slot, BTreeMap<String, Row>>,
    slots: BTreeMap<Slot, SlotHead>,
    used: BTreeSet<String>,
    sessions: BTreeMap<String, Stored>,
    nodes: BTreeMap<u64, (Node, Option<String>)>,
}

fn slot(place: &str, extension: &str) -> Slot {
    (place.to_owned(), extension.to_owned())
}

impl Rows for MemoryRows {
    fn next_number(&mut self) -> Result<u64, Refusal> {
        self.numbers += 1;
        Ok(self.numbers)
    }

    fn row(&mut self, place: &str, extension: &str, key: &str) -> Result<Option<Row>, Refusal> {
        let rows = self.rows.get(&slot(place, extension));
        Ok(rows.and_then(|rows| rows.get(key)).cloned())
    }

    fn keys(
        &mut self,
        place: &str,
        extension: &str,
        page: Page<'_>,
    ) -> Result<Vec<Header>, Refusal> {
        let rows = self.rows.get(&slot(place, extension)).into_iter().flatten();
        let behind = |key: &str| page.after.is_none_or(|after| key > after);
        let wanted = rows.filter(|(key, _)| key.starts_with(page.prefix) && behind(key));
        let headers = wanted.map(|(key, row)| Header {
            key: key.clone(),
            revision: row.revision,
            bytes: row.value.as_ref().map(|value| value.len() as u64),
        });
        Ok(headers.take(page.limit.unwrap_or(usize::MAX)).collect())
    }

    fn bytes(&mut self, place: &str, extension: &str) -> Result<u64, Refusal> {
        let rows = self.rows.get(&slot(place, extension)).into_iter().flatten();
        let sizes = rows.map(|(key, row)| key.len() + row.value.as_ref().map_or(0, String::len));
        Ok(sizes.sum::<usize>() as u64)
    }

    fn put(&mut self, place: &str, extension: &str, key: &str, row: &Row) -> Result<(), Refusal> {
        let rows = self.rows.entry(slot(place, extension)).or_default();
        rows.insert(key.to_owned(), row.clone());
        Ok(())
    }

    fn remove(&mut self, place: &str, extension: &str, key: &str) -> Result<(), Refusal> {
        if let Some(rows) = self.rows.get_mut(&slot(place, extension)) {
            rows.remove(key);
        }
        Ok(())
    }

    fn slot(&mut self, place: &str, extension: &str) -> Result<Option<SlotHead>, Refusal> {
        Ok(self.slots.get(&slot(place, extension)).copied())
    }

    fn put_slot(&mut self, place: &str, extension: &str, head: SlotHead) -> Result<(), Refusal> {
        self.slots.insert(slot(place, extension), head);
        self.used.insert(place.to_owned());
        Ok(())
    }

    fn is_used(&mut self, place: &str) -> Result<bool, Refusal> {
        Ok(self.used.contains(place))
    }

    fn session(&mut self, id: &str) -> Result<Option<Stored>, Refusal> {
        Ok(self.sessions.get(id).cloned())
    }

    fn put_session(&mut self, id: &str, session: &Stored) -> Result<(), Refusal> {
        self.sessions.insert(id.to_owned(), session.clone());
        Ok(())
    }

    fn node(&mut self, number: u64) -> Result<Option<Node>, Refusal> {
        Ok(self.nodes.get(&number).map(|(node, _)| node.clone()))
    }

    fn data(&mut self, number: u64) -> Result<String, Refusal> {
        let data = self.nodes.get(&number).and_then(|(_, data)| data.clone());
        Ok(data.unwrap_or_else(|| "null".to_owned()))
    }

    fn put_node(&mut self, number: u64, node: &Node, data: Option<&str>) -> Result<(), Refusal> {
        self.nodes.insert(number, (node.clone(), data.map(str::to_owned)));
        Ok(())
    }
}

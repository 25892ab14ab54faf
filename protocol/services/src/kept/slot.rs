//! The slot of an extension in a scope, as it is seen: over one place, or over those of a branch.

use std::collections::BTreeMap;

use serde_json::json;
use serde_json::value::RawValue;

use super::rows::{Page, Row, Rows, SlotHead};
use super::{Asker, Outcome, Refusal, history};
use crate::state::{
    Delete, Deleted, FIRST_VERSION, Get, Got, KEYS, Key, List, Listed, SLOT_BYTES, Scope, Set,
    VALUE_BYTES, WasSet,
};

/// What an extension has in a scope.
pub(super) struct Slot<'a> {
    rows: &'a mut dyn Rows,
    asker: &'a Asker<'a>,
    scope: Scope,
    /// Where its values may be: the one that is written first, then those whose values are seen too.
    places: Vec<String>,
}

impl<'a> Slot<'a> {
    pub(super) fn open(
        rows: &'a mut dyn Rows,
        asker: &'a Asker<'a>,
        scope: Scope,
    ) -> Result<Self, Refusal> {
        let places = match scope {
            Scope::Session => history::places(rows, asker.session_key())?,
            Scope::Project => vec![format!("project:{}", asker.project)],
            Scope::Global => vec!["global".to_owned()],
        };
        Ok(Self { rows, asker, scope, places })
    }

    pub(super) fn head(&mut self) -> Result<Option<SlotHead>, Refusal> {
        for place in &self.places {
            if let Some(head) = self.rows.slot(place, self.asker.extension)? {
                return Ok(Some(head));
            }
        }
        Ok(None)
    }

    /// The version that the values have, where there are any.
    fn version(&mut self) -> Result<Option<u64>, Refusal> {
        let Some(head) = self.head()? else { return Ok(None) };
        let one = Page { limit: Some(1), ..Page::default() };
        // One place has no rows that take a value away.
        let is_empty = match self.places.as_slice() {
            [place] => self.rows.keys(place, self.asker.extension, one)?.is_empty(),
            _ => self.seen(Page::default())?.is_empty(),
        };
        Ok((!is_empty).then_some(head.version))
    }

    fn row(&mut self, key: &str) -> Result<Option<(String, u64)>, Refusal> {
        for place in &self.places {
            if let Some(row) = self.rows.row(place, self.asker.extension, key)? {
                return Ok(row.value.map(|value| (value, row.revision)));
            }
        }
        Ok(None)
    }

    /// The keys that are seen, with what is known of each.
    fn seen(&mut self, page: Page<'_>) -> Result<BTreeMap<String, (u64, u64)>, Refusal> {
        // A page of each place would leave out what another one takes away.
        let limit = page.limit.filter(|_| self.places.len() == 1);
        let mut seen = BTreeMap::new();
        for place in &self.places {
            for header in self.rows.keys(place, self.asker.extension, Page { limit, ..page })? {
                let known = header.bytes.map(|bytes| (header.revision, bytes));
                seen.entry(header.key).or_insert(known);
            }
        }
        Ok(seen.into_iter().filter_map(|(key, known)| Some((key, known?))).collect())
    }

    fn bytes(&mut self) -> Result<u64, Refusal> {
        if let [place] = self.places.as_slice() {
            return self.rows.bytes(place, self.asker.extension);
        }
        let seen = self.seen(Page::default())?;
        Ok(seen.iter().map(|(key, (_, bytes))| key.len() as u64 + bytes).sum())
    }

    /// The place that is written, and the next revision.
    fn writing(&mut self, version: u64) -> Result<(String, u64), Refusal> {
        if self.places.is_empty() {
            let leaf = history::open(self.rows, self.asker.session_key(), self.asker.now_ms)?.leaf;
            self.places.push(history::place_of(leaf));
        }
        let place = self.places[0].clone();
        let changed = self.rows.next_number()?;
        self.rows.put_slot(&place, self.asker.extension, SlotHead { version, changed })?;
        Ok((place, changed))
    }

    /// Takes a key away, so that it is not seen any more.
    fn hide(&mut self, place: &str, key: &str, revision: u64) -> Result<(), Refusal> {
        let extension = self.asker.extension;
        self.rows.remove(place, extension, key)?;
        if self.row(key)?.is_some() {
            self.rows.put(place, extension, key, &Row { value: None, revision })?;
        }
        Ok(())
    }

    pub(super) fn values(&mut self) -> Result<BTreeMap<String, String>, Refusal> {
        let keys: Vec<_> = self.seen(Page::default())?.into_keys().collect();
        let mut values = BTreeMap::new();
        for key in keys {
            if let Some((value, _)) = self.row(&key)? {
                values.insert(key, value);
            }
        }
        Ok(values)
    }

    /// Puts these in the place of all values.
    pub(super) fn replace(
        &mut self,
        version: u64,
        values: &BTreeMap<String, Box<RawValue>>,
    ) -> Result<(), Refusal> {
        let before: Vec<_> = self.seen(Page::default())?.into_keys().collect();
        let (place, revision) = self.writing(version)?;
        for key in before.iter().filter(|key| !values.contains_key(*key)) {
            self.hide(&place, key, revision)?;
        }
        for (key, value) in values {
            let row = Row { value: Some(value.get().to_owned()), revision };
            self.rows.put(&place, self.asker.extension, key, &row)?;
        }
        Ok(())
    }

    /// The values have the version that the extension knows, or none yet.
    fn differs(&mut self, wanted: Option<u64>) -> Result<Option<u64>, Refusal> {
        let wanted = wanted.unwrap_or(FIRST_VERSION);
        Ok(self.version()?.filter(|version| *version != wanted).map(|_| wanted))
    }

    /// Whether the value is the one that the extension means.
    fn check_revision(
        &self,
        method: &str,
        key: &str,
        asked: Option<u64>,
        is: u64,
    ) -> Result<(), Refusal> {
        if asked.is_none_or(|asked| asked == is) {
            return Ok(());
        }
        let text = format!(
            "{method}: {key:?} in scope {} has the revision {is}, not {}: read it again, and then set it",
            self.scope.as_str(),
            asked.unwrap_or_default()
        );
        Err(Refusal { data: Some(json!({ "revision": is })), ..Refusal::new("conflict", text) })
    }
}

/// Where the slot has another version.
macro_rules! migrated {
    ($slot:ident, $asked:expr) => {
        if let Some(to) = $slot.differs($asked.slot_version)? {
            return Ok(Outcome::Migrate($asked.scope, to));
        }
    };
}

pub(super) fn get(
    rows: &mut dyn Rows,
    asker: &Asker<'_>,
    params: &Get,
) -> Result<Outcome<Got>, Refusal> {
    let mut slot = Slot::open(rows, asker, params.scope)?;
    migrated!(slot, params);
    let slot_version = params.slot_version.unwrap_or(FIRST_VERSION);
    let Some((value, revision)) = slot.row(&params.key)? else {
        return Ok(Outcome::Done(Got { value: None, revision: 0, slot_version }));
    };
    let value = RawValue::from_string(value)
        .map_err(|error| Refusal::new("internal", format!("a value is no JSON: {error}")))?;
    Ok(Outcome::Done(Got { value: Some(value), revision, slot_version }))
}

pub(super) fn set(
    rows: &mut dyn Rows,
    asker: &Asker<'_>,
    params: &Set,
) -> Result<Outcome<WasSet>, Refusal> {
    let value = params.value.get();
    check_size("state.set", &params.key, value)?;
    let mut slot = Slot::open(rows, asker, params.scope)?;
    migrated!(slot, params);
    let before = slot.row(&params.key)?;
    let revision = before.as_ref().map_or(0, |(_, revision)| *revision);
    slot.check_revision("state.set", &params.key, params.revision, revision)?;
    let old = before.map_or(0, |(value, _)| params.key.len() + value.len()) as u64;
    let bytes = slot.bytes()? - old + (params.key.len() + value.len()) as u64;
    check_slot("state.set", asker, params.scope, bytes)?;
    let (place, revision) = slot.writing(params.slot_version.unwrap_or(FIRST_VERSION))?;
    let row = Row { value: Some(value.to_owned()), revision };
    slot.rows.put(&place, asker.extension, &params.key, &row)?;
    Ok(Outcome::Done(WasSet { revision }))
}

pub(super) fn delete(
    rows: &mut dyn Rows,
    asker: &Asker<'_>,
    params: &Delete,
) -> Result<Outcome<Deleted>, Refusal> {
    let mut slot = Slot::open(rows, asker, params.scope)?;
    migrated!(slot, params);
    let before = slot.row(&params.key)?.map(|(_, revision)| revision);
    slot.check_revision("state.delete", &params.key, params.revision, before.unwrap_or(0))?;
    if before.is_some() {
        let version = params.slot_version.unwrap_or(FIRST_VERSION);
        let (place, revision) = slot.writing(version)?;
        slot.hide(&place, &params.key, revision)?;
    }
    Ok(Outcome::Done(Deleted { deleted: before.is_some() }))
}

pub(super) fn list(
    rows: &mut dyn Rows,
    asker: &Asker<'_>,
    params: &List,
) -> Result<Outcome<Listed>, Refusal> {
    let mut slot = Slot::open(rows, asker, params.scope)?;
    migrated!(slot, params);
    let limit = usize::try_from(params.limit.unwrap_or(KEYS)).unwrap_or(usize::MAX);
    let prefix = params.prefix.as_deref().unwrap_or_default();
    let page = Page { prefix, after: params.after.as_deref(), limit: Some(limit + 1) };
    let seen = slot.seen(page)?;
    let is_last = seen.len() <= limit;
    let keys = seen.into_iter().take(limit);
    let keys: Vec<_> = keys.map(|(key, (revision, bytes))| Key { key, revision, bytes }).collect();
    let next = keys.last().filter(|_| !is_last).map(|key| key.key.clone());
    Ok(Outcome::Done(Listed { keys, next, bytes: slot.bytes()? }))
}

/// What an extension has in a scope, JSON texts by their keys.
///
/// # Errors
///
/// The rows cannot be read.
pub fn values(
    rows: &mut dyn Rows,
    asker: &Asker<'_>,
    scope: Scope,
) -> Result<BTreeMap<String, String>, Refusal> {
    Slot::open(rows, asker, scope)?.values()
}

/// Takes away all that an extension has in a scope; how many values there were.
///
/// # Errors
///
/// The rows cannot be read or written.
pub fn clear(rows: &mut dyn Rows, asker: &Asker<'_>, scope: Scope) -> Result<usize, Refusal> {
    let mut slot = Slot::open(rows, asker, scope)?;
    let count = slot.seen(Page::default())?.len();
    if count > 0 {
        let version = slot.head()?.map_or(FIRST_VERSION, |head| head.version);
        slot.replace(version, &BTreeMap::new())?;
    }
    Ok(count)
}

/// A value is no larger than one may be.
pub(super) fn check_size(method: &str, key: &str, value: &str) -> Result<(), Refusal> {
    if value.len() <= VALUE_BYTES {
        return Ok(());
    }
    let text = format!(
        "{method}: the value of {key:?} has {} bytes, and a value has {VALUE_BYTES} at most: keep what is larger in \
         a file of the data folder, and its name here",
        value.len()
    );
    Err(Refusal::limit("too_large", "value_bytes", VALUE_BYTES as u64, text))
}

/// A slot is no larger than one may be.
pub(super) fn check_slot(
    method: &str,
    asker: &Asker<'_>,
    scope: Scope,
    bytes: u64,
) -> Result<(), Refusal> {
    if bytes <= SLOT_BYTES {
        return Ok(());
    }
    let text = format!(
        "{method}: what {} keeps in scope {} would have {bytes} bytes, and a slot has {SLOT_BYTES} at most: delete \
         what is not needed any more",
        asker.extension,
        scope.as_str()
    );
    Err(Refusal::limit("budget", "slot_bytes", SLOT_BYTES, text))
}

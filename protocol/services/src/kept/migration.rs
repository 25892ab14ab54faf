//! Values of a version that the extension does not know any more: handed to it, and put in their place.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::rows::Rows;
use super::slot::{Slot, check_size, check_slot};
use super::{Asker, Refusal};
use crate::state::{MIGRATED_BYTES, Migrate, Scope, check_key};

/// What is to be migrated.
#[derive(Clone, Debug)]
pub struct Migration {
    /// What the extension is asked with, one after the other.
    pub portions: Vec<Migrate>,
    /// The slot as it was read.
    changed: u64,
}

/// What the values of a slot are to be migrated from and to; `None` where nothing has another version.
///
/// # Errors
///
/// The rows cannot be read.
pub fn migration(
    rows: &mut dyn Rows,
    asker: &Asker<'_>,
    scope: Scope,
    to: u64,
) -> Result<Option<Migration>, Refusal> {
    let mut slot = Slot::open(rows, asker, scope)?;
    let Some(head) = slot.head()?.filter(|head| head.version != to) else { return Ok(None) };
    let portion = || Migrate { from: head.version, to, scope, data: BTreeMap::new(), more: false };
    let (mut portions, mut last, mut bytes) = (Vec::new(), portion(), 0);
    for (key, value) in slot.values()? {
        if bytes + key.len() + value.len() > MIGRATED_BYTES && !last.data.is_empty() {
            portions.push(Migrate { more: true, ..std::mem::replace(&mut last, portion()) });
            bytes = 0;
        }
        bytes += key.len() + value.len();
        let value = RawValue::from_string(value)
            .map_err(|error| Refusal::new("internal", format!("a value is no JSON: {error}")))?;
        last.data.insert(key, value);
    }
    portions.push(last);
    Ok(Some(Migration { portions, changed: head.changed }))
}

/// Puts what the extension answered in the place of what was there; false where that is another one by now, and
/// nothing was done.
///
/// # Errors
///
/// What it answered is more than a slot takes, or the rows cannot be read or written. Then nothing is changed.
pub fn put_migrated(
    rows: &mut dyn Rows,
    asker: &Asker<'_>,
    scope: Scope,
    migration: &Migration,
    values: &BTreeMap<String, Box<RawValue>>,
) -> Result<bool, Refusal> {
    let mut slot = Slot::open(rows, asker, scope)?;
    if slot.head()?.is_none_or(|head| head.changed != migration.changed) {
        return Ok(false);
    }
    let mut bytes = 0;
    for (key, value) in values {
        check_key(key)
            .map_err(|why| Refusal::new("validation", format!("state.migrate: {why}")))?;
        check_size("state.migrate", key, value.get())?;
        bytes += (key.len() + value.get().len()) as u64;
    }
    check_slot("state.migrate", asker, scope, bytes)?;
    let to = migration.portions.first().map_or(1, |portion| portion.to);
    slot.replace(to, values)?;
    Ok(true)
}

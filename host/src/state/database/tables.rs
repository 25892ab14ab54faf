//! The tables, row by row.

use std::path::Path;

use extline_services::kept::{Header, Node, Page, Refusal, Row, Rows, SlotHead, Stored};
use rusqlite::{Connection, OptionalExtension, Params, params};

/// How they are made.
pub(super) const TABLES: &str = "
    CREATE TABLE number (last INTEGER NOT NULL);
    INSERT INTO number VALUES (0);
    CREATE TABLE kept (
        place TEXT NOT NULL, extension TEXT NOT NULL, key TEXT NOT NULL,
        revision INTEGER NOT NULL, value TEXT,
        PRIMARY KEY (place, extension, key)
    );
    CREATE TABLE slots (
        place TEXT NOT NULL, extension TEXT NOT NULL,
        version INTEGER NOT NULL, changed INTEGER NOT NULL,
        PRIMARY KEY (place, extension)
    ) WITHOUT ROWID;
    CREATE TABLE sessions (
        id TEXT PRIMARY KEY NOT NULL, leaf INTEGER NOT NULL, parent TEXT
    ) WITHOUT ROWID;
    CREATE TABLE nodes (
        number INTEGER PRIMARY KEY NOT NULL, parent INTEGER, kept_in INTEGER, session TEXT NOT NULL,
        extension TEXT, type TEXT, bytes INTEGER NOT NULL, at_ms INTEGER NOT NULL, data TEXT
    );
";

/// The tables within a transaction.
pub(super) struct Tables<'a> {
    pub(super) connection: &'a Connection,
    pub(super) file: &'a Path,
}

impl Tables<'_> {
    fn one<T>(
        &self,
        sql: &str,
        of: impl Params,
        read: impl FnOnce(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, Refusal> {
        let found = self.connection.query_row(sql, of, read).optional();
        found.map_err(|error| super::failed(self.file, &error))
    }

    fn execute(&self, sql: &str, of: impl Params) -> Result<(), Refusal> {
        let done = self.connection.execute(sql, of);
        done.map(drop).map_err(|error| super::failed(self.file, &error))
    }
}

/// `SQLite` counts with a sign. Nothing here comes near.
fn count(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

fn stored(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

impl Rows for Tables<'_> {
    fn next_number(&mut self) -> Result<u64, Refusal> {
        let next = "UPDATE number SET last = last + 1 RETURNING last";
        let number = self.one(next, [], |row| row.get(0))?;
        number.map(count).ok_or_else(|| super::failed(self.file, &"it has no counter"))
    }

    fn row(&mut self, place: &str, extension: &str, key: &str) -> Result<Option<Row>, Refusal> {
        self.one(
            "SELECT value, revision FROM kept WHERE place = ? AND extension = ? AND key = ?",
            [place, extension, key],
            |row| Ok(Row { value: row.get(0)?, revision: count(row.get(1)?) }),
        )
    }

    fn keys(
        &mut self,
        place: &str,
        extension: &str,
        page: Page<'_>,
    ) -> Result<Vec<Header>, Refusal> {
        let behind = "SELECT key, revision, octet_length(value) FROM kept \
                      WHERE place = ?1 AND extension = ?2 AND key > ?3 ORDER BY key";
        let from = "SELECT key, revision, octet_length(value) FROM kept \
                    WHERE place = ?1 AND extension = ?2 AND key >= ?3 ORDER BY key";
        // Those before the prefix are none of the page, wherever it begins.
        let (sql, start) = match page.after {
            Some(after) if after >= page.prefix => (behind, after),
            _ => (from, page.prefix),
        };
        let read = || -> rusqlite::Result<Vec<Header>> {
            let mut statement = self.connection.prepare(sql)?;
            let mut rows = statement.query([place, extension, start])?;
            let mut headers = Vec::new();
            while headers.len() < page.limit.unwrap_or(usize::MAX)
                && let Some(row) = rows.next()?
            {
                let key: String = row.get(0)?;
                if !key.starts_with(page.prefix) {
                    break;
                }
                let bytes: Option<i64> = row.get(2)?;
                let revision = count(row.get(1)?);
                headers.push(Header { key, revision, bytes: bytes.map(count) });
            }
            Ok(headers)
        };
        read().map_err(|error| super::failed(self.file, &error))
    }

    fn bytes(&mut self, place: &str, extension: &str) -> Result<u64, Refusal> {
        let sum = "SELECT COALESCE(SUM(octet_length(key) + COALESCE(octet_length(value), 0)), 0) \
                   FROM kept WHERE place = ? AND extension = ?";
        let bytes = self.one(sum, [place, extension], |row| row.get(0))?;
        Ok(count(bytes.unwrap_or(0)))
    }

    fn put(&mut self, place: &str, extension: &str, key: &str, row: &Row) -> Result<(), Refusal> {
        self.execute(
            "INSERT OR REPLACE INTO kept (place, extension, key, revision, value) VALUES (?, ?, ?, ?, ?)",
            params![place, extension, key, stored(row.revision), row.value],
        )
    }

    fn remove(&mut self, place: &str, extension: &str, key: &str) -> Result<(), Refusal> {
        let sql = "DELETE FROM kept WHERE place = ? AND extension = ? AND key = ?";
        self.execute(sql, [place, extension, key])
    }

    fn slot(&mut self, place: &str, extension: &str) -> Result<Option<SlotHead>, Refusal> {
        self.one(
            "SELECT version, changed FROM slots WHERE place = ? AND extension = ?",
            [place, extension],
            |row| Ok(SlotHead { version: count(row.get(0)?), changed: count(row.get(1)?) }),
        )
    }

    fn put_slot(&mut self, place: &str, extension: &str, head: SlotHead) -> Result<(), Refusal> {
        self.execute(
            "INSERT OR REPLACE INTO slots (place, extension, version, changed) VALUES (?, ?, ?, ?)",
            params![place, extension, stored(head.version), stored(head.changed)],
        )
    }

    fn is_used(&mut self, place: &str) -> Result<bool, Refusal> {
        Ok(self.one("SELECT 1 FROM slots WHERE place = ? LIMIT 1", [place], |_| Ok(()))?.is_some())
    }

    fn session(&mut self, id: &str) -> Result<Option<Stored>, Refusal> {
        self.one("SELECT leaf, parent FROM sessions WHERE id = ?", [id], |row| {
            Ok(Stored { leaf: count(row.get(0)?), parent: row.get(1)? })
        })
    }

    fn put_session(&mut self, id: &str, session: &Stored) -> Result<(), Refusal> {
        self.execute(
            "INSERT OR REPLACE INTO sessions (id, leaf, parent) VALUES (?, ?, ?)",
            params![id, stored(session.leaf), session.parent],
        )
    }

    fn node(&mut self, number: u64) -> Result<Option<Node>, Refusal> {
        let sql = "SELECT parent, kept_in, session, extension, type, bytes, at_ms FROM nodes WHERE number = ?";
        self.one(sql, [stored(number)], |row| {
            let node = |value: Option<i64>| value.map(count);
            let (extension, kind): (Option<String>, Option<String>) = (row.get(3)?, row.get(4)?);
            Ok(Node {
                parent: node(row.get(0)?),
                kept_in: node(row.get(1)?),
                session: row.get(2)?,
                entry: extension.zip(kind),
                bytes: count(row.get(5)?),
                at_ms: count(row.get(6)?),
            })
        })
    }

    fn data(&mut self, number: u64) -> Result<String, Refusal> {
        let sql = "SELECT data FROM nodes WHERE number = ?";
        let data = self.one(sql, [stored(number)], |row| row.get::<_, Option<String>>(0))?;
        Ok(data.flatten().unwrap_or_else(|| "null".to_owned()))
    }

    fn put_node(&mut self, number: u64, node: &Node, data: Option<&str>) -> Result<(), Refusal> {
        let (extension, kind) = node.entry.as_ref().map(|(owner, kind)| (owner, kind)).unzip();
        self.execute(
            "INSERT OR REPLACE INTO nodes \
             (number, parent, kept_in, session, extension, type, bytes, at_ms, data) \
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            params![
                stored(number),
                node.parent.map(stored),
                node.kept_in.map(stored),
                node.session,
                extension,
                kind,
                stored(node.bytes),
                stored(node.at_ms),
                data
            ],
        )
    }
}

//! What an extension keeps with its host: values by scope, and entries in the history of the conversation.

use std::collections::BTreeMap;

use extline_driver::modify::tries_again;
use extline_protocol::RawJson;
use extline_services::Method;
use extline_services::session::{
    Append, AppendMethod, Branch, BranchMethod, Info, InfoMethod, Session, SessionEntry,
};
use extline_services::state::{
    Delete, DeleteMethod, Get, GetMethod, Got, List, ListMethod, Migrate, MigrateMethod, Migrated,
    Scope, Set, SetMethod,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::{Context, Extension, ToolError};

/// Values that are there again when the extension is started again, see [`Context::state`].
#[derive(Clone, Copy, Debug)]
pub struct State<'c> {
    ctx: &'c Context,
}

/// The values of one scope. Each fails with kind `unsupported` under a host that keeps nothing, with `conflict` where
/// they have another version and cannot be migrated, and else as [`Context::request`] does.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'c> {
    ctx: &'c Context,
    scope: Scope,
}

/// The history of the conversation, and entries of the extension's own in it, see [`Context::history`].
#[derive(Clone, Copy, Debug)]
pub struct History<'c> {
    ctx: &'c Context,
}

/// What is kept.
impl Context {
    /// What the extension keeps with its host. An extension has its own alone.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// let mut host = Host::builder().state(json!({ "session": { "n": 41 } })).start(|| {
    ///     Extension::new("count", "1.0.0").tool("count", "", async |_: NoArgs, ctx: Context| {
    ///         let n = ctx.state().session().modify("n", |n: Option<u64>| n.unwrap_or(0) + 1).await?;
    ///         Ok(n.to_string())
    ///     })
    /// })?;
    /// assert_eq!(host.call("count", json!({}))?.text(), "42");
    /// assert_eq!(host.state()["session"]["n"], 42);
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn state(&self) -> State<'_> {
        State { ctx: self }
    }

    /// The history of the conversation. Entries are kept with it, are not for the model, and follow its
    /// branches.
    pub fn history(&self) -> History<'_> {
        History { ctx: self }
    }
}

/// Scopes.
impl<'c> State<'c> {
    /// Those of the conversation: another one has its own, and one that branches off begins with what was there.
    pub fn session(self) -> Slot<'c> {
        Slot { ctx: self.ctx, scope: Scope::Session }
    }

    /// Those of the project's folder.
    pub fn project(self) -> Slot<'c> {
        Slot { ctx: self.ctx, scope: Scope::Project }
    }

    /// Those that are the same everywhere.
    pub fn global(self) -> Slot<'c> {
        Slot { ctx: self.ctx, scope: Scope::Global }
    }
}

impl Slot<'_> {
    /// The value; `None` where there is none. `validation` where it is of another type.
    pub async fn get<T: DeserializeOwned>(self, key: &str) -> Result<Option<T>, ToolError> {
        self.found(key).await?.0.map(|value| read(key, &value)).transpose()
    }

    /// Keeps a value: whatever serde can write, of 64 KiB at most.
    pub async fn set<T: Serialize>(self, key: &str, value: &T) -> Result<(), ToolError> {
        self.set_if(key, value, None).await
    }

    /// Takes a value away; whether there was one.
    pub async fn delete(self, key: &str) -> Result<bool, ToolError> {
        let (scope, key) = (self.scope, key.to_owned());
        let asked = Delete { scope, key, revision: None, slot_version: None };
        Ok(self.ask::<DeleteMethod>(&asked).await?.deleted)
    }

    /// The keys in their order; only those that begin with `prefix`.
    pub async fn list(self, prefix: &str) -> Result<Vec<String>, ToolError> {
        let prefix = Some(prefix.to_owned()).filter(|it| !it.is_empty());
        let scope = self.scope;
        let mut asked = List { scope, prefix, after: None, limit: None, slot_version: None };
        let mut keys = Vec::new();
        loop {
            let page = self.ask::<ListMethod>(&asked).await?;
            keys.extend(page.keys.into_iter().map(|key| key.key));
            asked.after = page.next;
            if asked.after.is_none() {
                return Ok(keys);
            }
        }
    }

    /// Sets a value to what `change` makes of the present one, and returns it. Where somebody else has set it
    /// meanwhile, `change` is called again with that: nothing is lost.
    pub async fn modify<T: DeserializeOwned + Serialize>(
        self,
        key: &str,
        mut change: impl FnMut(Option<T>) -> T,
    ) -> Result<T, ToolError> {
        let mut tried = 0;
        loop {
            let (found, revision) = self.found(key).await?;
            let value = change(found.map(|value| read(key, &value)).transpose()?);
            tried += 1;
            match self.set_if(key, &value, Some(revision)).await {
                Ok(()) => return Ok(value),
                Err(error) if tries_again(error.kind(), tried) => {}
                Err(error) => return Err(error),
            }
        }
    }

    async fn found(self, key: &str) -> Result<(Option<Box<RawValue>>, u64), ToolError> {
        let asked = Get { scope: self.scope, key: key.to_owned(), slot_version: None };
        let Got { value, revision, .. } = self.ask::<GetMethod>(&asked).await?;
        Ok((value, revision))
    }

    async fn set_if<T: Serialize>(
        self,
        key: &str,
        value: &T,
        revision: Option<u64>,
    ) -> Result<(), ToolError> {
        let value = serde_json::value::to_raw_value(value)
            .map_err(|error| ToolError::internal(format!("the value of {key:?}: {error}")))?;
        let (scope, key) = (self.scope, key.to_owned());
        let asked = Set { scope, key, value, revision, slot_version: None };
        self.ask::<SetMethod>(&asked).await.map(drop)
    }

    async fn ask<M: Method>(self, params: &M::Params) -> Result<M::Result, ToolError> {
        self.ctx.request(M::NAME, params).await
    }
}

fn read<T: DeserializeOwned>(key: &str, value: &RawValue) -> Result<T, ToolError> {
    serde_json::from_str(value.get()).map_err(|error| {
        ToolError::validation(format!("the value of {key:?} is another one: {error}"))
    })
}

/// Each fails with kind `unsupported` under a host that keeps nothing, and else as [`Context::request`] does.
impl History<'_> {
    /// Adds an entry behind the newest one and returns its id. `data` is whatever serde can write, of 256 KiB at most.
    pub async fn append<T: Serialize>(self, kind: &str, data: &T) -> Result<String, ToolError> {
        let data = serde_json::value::to_raw_value(data)
            .map_err(|error| ToolError::internal(format!("the data of an entry: {error}")))?;
        let asked = Append { r#type: kind.to_owned(), data };
        let appended: <AppendMethod as Method>::Result =
            self.ctx.request(AppendMethod::NAME, &asked).await?;
        Ok(appended.id)
    }

    /// The extension's entries on this branch, the oldest first; only those of `types`, unless it is empty.
    pub async fn branch(self, types: &[&str]) -> Result<Vec<SessionEntry>, ToolError> {
        let types: Vec<_> = types.iter().map(|kind| (*kind).to_owned()).collect();
        let types = Some(types).filter(|types| !types.is_empty());
        let mut asked = Branch { types, after: None, limit: None };
        let mut entries = Vec::new();
        loop {
            let page: <BranchMethod as Method>::Result =
                self.ctx.request(BranchMethod::NAME, &asked).await?;
            entries.extend(page.entries);
            asked.after = page.next;
            if asked.after.is_none() {
                return Ok(entries);
            }
        }
    }

    /// Which conversation it is.
    pub async fn info(self) -> Result<Session, ToolError> {
        self.ctx.request(InfoMethod::NAME, &Info {}).await
    }
}

/// Versions of what is kept.
impl Extension {
    /// Says which version the values of [`Context::state`] have; 1 where nothing is said. Where the host keeps values
    /// of another one, what asks for such a value fails with kind `conflict`, unless there is a
    /// [`migrate`](Extension::migrate).
    pub fn state_version(mut self, version: u32) -> Self {
        self.state_version = Some(u64::from(version.max(1)));
        self
    }

    /// Makes values of [`Extension::state_version`] of those of another version: of all of a scope, and of the
    /// version that they have, before anything of that scope is read or set. All of them are replaced, or none. More
    /// than a megabyte of values comes in several calls, each with some of the keys.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let extension = Extension::new("count", "2.0.0").state_version(2).migrate(async |mut values, _| {
    ///     let n = values.remove("counter").unwrap_or(json!(0));
    ///     values.insert("n".to_owned(), n);
    ///     Ok(values)
    /// });
    /// ```
    #[track_caller]
    pub fn migrate(
        self,
        migrate: impl AsyncFn(
            BTreeMap<String, serde_json::Value>,
            u64,
        ) -> Result<BTreeMap<String, serde_json::Value>, ToolError>
        + 'static,
    ) -> Self {
        self.method(MigrateMethod::NAME, async move |asked: Migrate, _| {
            let mut values = BTreeMap::new();
            for (key, value) in asked.data {
                values.insert(key.clone(), read(&key, &value)?);
            }
            let mut data = BTreeMap::new();
            for (key, value) in migrate(values, asked.from).await? {
                let value = serde_json::value::to_raw_value(&value)
                    .map_err(|error| ToolError::internal(error.to_string()))?;
                data.insert(key, value);
            }
            RawJson::of(&Migrated { data }).map_err(|error| ToolError::internal(error.to_string()))
        })
    }
}

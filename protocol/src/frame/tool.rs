//! What a tool declares when it is registered.

use super::object::object;
use crate::json::RawJson;
use crate::word::words;

words! {
    /// How a host offers a tool.
    pub enum Exposure {
        /// In the model's own list.
        Direct = "direct",
        /// To code that the model writes.
        Codemode = "codemode",
        /// Found by a search first.
        Deferred = "deferred",
        /// To the model, not to users.
        ModelOnly = "model-only",
    }
}

words! {
    /// Whether calls of a tool may overlap.
    pub enum Execution {
        /// They may: the default.
        Parallel = "parallel",
        /// The host holds them in order.
        Sequential = "sequential",
    }
}

words! {
    /// What a durable host may do where it ended after a call had begun and before its result was
    /// recorded.
    #[derive(Default)]
    pub enum Replay {
        /// It fails the call: the default, and the meaning of a word that is not known.
        #[default]
        Never = "never",
        /// It calls again: the tool only looks.
        Safe = "safe",
        /// It calls again with the same `operation_key`, by which the tool knows what is done.
        Idempotent = "idempotent",
        /// It asks first what became of the call (`tool.reconcile`).
        Reconcile = "reconcile",
    }
}

words! {
    /// How much a gated tool can do.
    pub enum Tier {
        /// It looks.
        Read = "read",
        /// It changes files or state.
        Write = "write",
        /// It runs programs.
        Exec = "exec",
    }
}

words! {
    /// A form in which a tool writes its value.
    pub enum OutputFormat {
        /// For reading: a line for each item, under headers ([`labeled`](crate::labeled)).
        Labeled = "labeled",
        /// For programs: JSON. A list stands in an object, beside the number of its items.
        Json = "json",
    }
}

object! {
    /// Hints with MCP's names. What is not declared is assumed to mutate, so a given `false` says
    /// something and is written.
    #[derive(Default)]
    pub struct Annotations {
        /// It changes nothing.
        optional read_only: bool,
        /// It may destroy what was there.
        optional destructive: bool,
        /// A second call changes nothing further.
        optional idempotent: bool,
        /// It reaches beyond the project.
        optional open_world: bool,
    }
}

object! {
    /// What a tool proposes to whoever chooses the tools of a turn (`tool.preference`).
    #[derive(Default)]
    pub struct Preference {
        /// `false`: it is not offered unless the agent or its user names it.
        optional enabled: bool,
        /// How much it wants to be offered where there is no room for all, from 0 to 1; 0.5 when absent.
        optional weight: f64,
        /// Values for arguments, by their names, that the host shows the model as defaults.
        optional parameters: RawJson,
        /// Why, for a person.
        optional reason: String,
    }
}

object! {
    /// When a host asks its user before a call (`tool.approval`).
    #[derive(Default)]
    pub struct Approval {
        /// The call needs an approval.
        flag gated: bool,
        /// The extension says of each call whether it needs one (`tool.approval`).
        flag dynamic: bool,
        /// How much it can do.
        optional tier: Tier,
        /// Template over the args that says which calls one approval covers.
        optional key: String,
        /// Why it is asked, for a person.
        optional reason: String,
    }
}

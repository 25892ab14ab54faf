//! Tools with which the model itself looks at the servers of MCP that a person configured, and uses
//! them.

use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use extline_protocol::frame::{
    Annotations, Approval, Content, ErrorInfo, RegisterTool, Tier, ToolResult,
};
use extline_protocol::{ErrorKind, RawJson};
use serde_json::{Value, json};

use super::{EnableError, HostBuilder, Slots};
use crate::host::slot::Slot;
use crate::status::ExtensionState;
use crate::tool::{Builtin, BuiltinCall, Tool};

/// How long a connection may take: some servers are first brought from the network.
const CONNECT_MS: u64 = 90_000;

/// What a person does to trust the server of a digest.
#[derive(Clone)]
pub(crate) struct HowToTrust(Arc<dyn Fn(&str) -> String + Send + Sync>);

impl HostBuilder {
    /// Offers three tools, with which the model itself uses servers of MCP and leaves them again:
    ///
    /// - `mcp_list {}`: each server with its `state` (`connected`, `connecting`, `not_connected`, `failed`,
    ///   `not_trusted`), the number of its `tools`, and the `reason` where it has none;
    /// - `mcp_connect {server}`: as [`Host::enable`](crate::Host::enable). It needs an approval, with the
    ///   tier `exec`;
    /// - `mcp_disconnect {server}`: as [`Host::disable`](crate::Host::disable).
    ///
    /// They reach only servers that were given to the builder, started with the host or
    /// [on demand](crate::ExtensionSource::on_demand). Nothing is started that is not trusted; the answer says
    /// what a person does to trust it, in the words of `how_to_trust`, which gets the server's digest. What
    /// they answer is marked as `untrusted`, as names and reasons are the servers' words.
    #[must_use]
    pub fn mcp_tools(
        mut self,
        how_to_trust: impl Fn(&str) -> String + Send + Sync + 'static,
    ) -> Self {
        self.mcp_tools = Some(HowToTrust(Arc::new(how_to_trust)));
        self
    }

    /// Adds them, where they are wanted.
    pub(super) fn add_server_tools(&mut self, slots: &Arc<Slots>) {
        let Some(how_to_trust) = self.mcp_tools.clone() else { return };
        let servers = Servers { slots: Arc::downgrade(slots), how_to_trust, drain: self.drain };
        let connect = servers.tool(connect(), |servers, call| async move {
            servers.connect(&call).await.map(|answer| answer.result(&call)).map_err(|it| *it)
        });
        let disconnect = servers.tool(disconnect(), |servers, call| async move {
            servers.disconnect(&call).await.map(|answer| answer.result(&call)).map_err(|it| *it)
        });
        let list = servers.tool(list(), |servers, call| async move {
            servers.list().map(|answer| answer.result(&call)).map_err(|it| *it)
        });
        // In front: the agent may have one of its own with such a name.
        self.builtin_tools.splice(..0, [connect, disconnect, list].into_iter().flatten());
    }
}

/// What the tools work on.
#[derive(Clone)]
struct Servers {
    /// The host may be gone.
    slots: Weak<Slots>,
    how_to_trust: HowToTrust,
    drain: Duration,
}

/// Why a tool does nothing.
type Refused = Box<ErrorInfo>;

/// What a tool tells: for the model, and the same for a program.
struct Answer {
    text: String,
    value: Value,
}

impl Answer {
    fn result(self, call: &BuiltinCall) -> ToolResult {
        ToolResult {
            structured_content: Some(RawJson::from(self.value)),
            trust: Some("untrusted".to_owned()),
            ..call.result(vec![Content::text(self.text)])
        }
    }
}

impl Servers {
    fn tool<A>(
        &self,
        definition: RegisterTool,
        run: impl Fn(Self, BuiltinCall) -> A + Copy + Send + Sync + 'static,
    ) -> Option<Arc<Tool>>
    where
        A: Future<Output = Result<ToolResult, ErrorInfo>> + Send + 'static,
    {
        let servers = self.clone();
        let builtin = Builtin::new(move |call| run(servers.clone(), call));
        // They are always correct.
        builtin.tool(definition).ok().map(Arc::new)
    }

    async fn connect(&self, call: &BuiltinCall) -> Result<Answer, Refused> {
        let slot = self.named(call)?;
        let (is_ready, digest) = (slot.is_ready(), slot.untrusted());
        if let Some(digest) = digest.filter(|_| !is_ready) {
            return Err(self.not_trusted(&slot, &digest));
        }
        slot.enable().await.map_err(|error| {
            let kind = match error {
                EnableError::Unknown { .. } => ErrorKind::NotFound,
                _ => ErrorKind::Transient,
            };
            Box::new(ErrorInfo::new(kind, error.to_string()))
        })?;
        let tools = slot.status().report.tools;
        let text = format!("{} is connected. Its tools: {}", slot.name(), tools.join(", "));
        Ok(Answer { text, value: json!({"server": slot.name(), "tools": tools}) })
    }

    async fn disconnect(&self, call: &BuiltinCall) -> Result<Answer, Refused> {
        let slot = self.named(call)?;
        let text = match slot.disable(self.drain).await {
            Some(_) => format!("{} is not connected any more; its tools are gone", slot.name()),
            None => format!("{} was not connected", slot.name()),
        };
        Ok(Answer { text, value: json!({"server": slot.name()}) })
    }

    fn list(&self) -> Result<Answer, Refused> {
        let servers: Vec<_> = self.all()?.iter().map(|slot| self.describe(slot)).collect();
        let lines = servers.iter().map(|server| {
            let name = server["name"].as_str().unwrap_or_default();
            let state = server["state"].as_str().unwrap_or_default().replace('_', " ");
            match (server["reason"].as_str(), server["tools"].as_u64()) {
                (Some(reason), _) => format!("{name}: {state}: {reason}"),
                (None, Some(count)) if state == "connected" => {
                    format!("{name}: {state}, {count} tools")
                }
                _ => format!("{name}: {state}"),
            }
        });
        let mut text = lines.collect::<Vec<_>>().join("\n");
        if text.is_empty() {
            "there is no server".clone_into(&mut text);
        }
        Ok(Answer { text, value: json!({ "servers": servers }) })
    }

    fn describe(&self, slot: &Slot) -> Value {
        let status = slot.status();
        let not_trusted = || slot.untrusted().map(|digest| self.advice(&digest));
        let (state, reason) = match &status.state {
            ExtensionState::Ready => ("connected", None),
            ExtensionState::Starting => ("connecting", None),
            state => match (not_trusted(), state) {
                (Some(advice), _) => ("not_trusted", Some(advice)),
                (None, ExtensionState::Failed(diagnosis)) => {
                    ("failed", Some(format!("{}; {}", diagnosis.summary(), diagnosis.suggestion)))
                }
                (None, _) => ("not_connected", None),
            },
        };
        let tools = status.report.tools.len();
        let mut server = json!({"name": slot.name(), "state": state, "tools": tools});
        if let Some(reason) = reason {
            server["reason"] = reason.into();
        }
        server
    }

    /// The server that a call names.
    fn named(&self, call: &BuiltinCall) -> Result<Arc<Slot>, Refused> {
        // The schema wants it.
        let args: Value = call.args.to().unwrap_or_default();
        let name = args["server"].as_str().unwrap_or_default();
        let servers = self.all()?;
        if let Some(slot) = servers.iter().find(|slot| slot.name() == name) {
            return Ok(Arc::clone(slot));
        }
        let names: Vec<_> = servers.iter().map(|slot| slot.name()).collect();
        let text = match names.as_slice() {
            [] => "no server of MCP is configured here".to_owned(),
            names => format!("there is no server {name}; there are {}", names.join(", ")),
        };
        Err(Box::new(ErrorInfo::new(ErrorKind::NotFound, text)))
    }

    /// All that were configured.
    fn all(&self) -> Result<Vec<Arc<Slot>>, Refused> {
        let slots = self.slots.upgrade().ok_or_else(|| {
            Box::new(ErrorInfo::new(ErrorKind::Cancelled, "the host shuts down".to_owned()))
        })?;
        Ok(slots.all().into_iter().filter(|slot| slot.server().is_some()).collect())
    }

    fn not_trusted(&self, slot: &Slot, digest: &str) -> Refused {
        let text = format!("{} was not started: {}", slot.name(), self.advice(digest));
        Box::new(ErrorInfo::new(ErrorKind::Permission, text))
    }

    fn advice(&self, digest: &str) -> String {
        format!("nobody has trusted it yet; a person does by: {}", (self.how_to_trust.0)(digest))
    }
}

fn connect() -> RegisterTool {
    let approval = Approval {
        gated: true,
        tier: Some(Tier::Exec),
        reason: Some("It starts the server, and its tools are offered from then on.".to_owned()),
        ..Approval::default()
    };
    RegisterTool {
        approval: Some(approval),
        timeout_ms: Some(CONNECT_MS),
        ..definition(
            "mcp_connect",
            "Connects to a configured MCP server, so that its tools can be used. mcp_list names them.",
            &of_one_server(),
        )
    }
}

fn disconnect() -> RegisterTool {
    definition(
        "mcp_disconnect",
        "Disconnects from an MCP server whose tools are not needed any more.",
        &of_one_server(),
    )
}

fn list() -> RegisterTool {
    let annotations = Annotations { read_only: Some(true), ..Annotations::default() };
    RegisterTool {
        annotations: Some(annotations),
        ..definition(
            "mcp_list",
            "Lists the configured MCP servers: whether each is connected, and how many tools it has.",
            &json!({"type": "object", "additionalProperties": false}),
        )
    }
}

fn of_one_server() -> Value {
    json!({
        "type": "object",
        "properties": {"server": {"type": "string", "description": "its name"}},
        "required": ["server"],
        "additionalProperties": false
    })
}

fn definition(name: &str, description: &str, schema: &Value) -> RegisterTool {
    RegisterTool {
        name: name.to_owned(),
        description: Some(description.to_owned()),
        schema: schema.clone().into(),
        ..RegisterTool::default()
    }
}

impl fmt::Debug for HowToTrust {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("HowToTrust").finish_non_exhaustive()
    }
}

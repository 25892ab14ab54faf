//! What extensions may know of the agent, and have it do: `agent.*`, `tools.*`, `models.list`.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use extline_protocol::frame::{ParentKind, RpcError};
use extline_protocol::{ErrorKind, RawJson};
use extline_services::Method as _;
use extline_services::agent::{
    AbortMethod, Aborted, ActivateMethod, AgentState, Changed, DeactivateMethod, ListModelsMethod,
    ListToolsMethod, ListedTool, Model, Models, StateMethod, Tools,
};
use extline_services::pending::RESOLVE;
use serde::Serialize;

use super::HostBuilder;
use crate::connection::{Connection, Method, MethodCall, Methods, News, Shared, params_of};

/// By then the answer to `agent.abort` is written.
const ANSWERED_BY: Duration = Duration::from_millis(50);

/// What an agent has for its extensions, for [`HostBuilder::agent`]: exactly the methods that it is given are announced.
///
/// ```
/// use extline_host::services::agent::{AgentState, Model};
/// use extline_host::{Agent, HostBuilder};
///
/// let agent = Agent::new()
///     .state(|| async { AgentState { idle: true, model: "m-1".to_owned(), ..AgentState::default() } })
///     .abort(|extension, reason| async move { println!("{extension} ends the turn: {reason}") })
///     .models(|| async { vec![Model { id: "m-1".to_owned(), ..Model::default() }] })
///     .tools();
/// let builder = HostBuilder::default().agent(agent);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Agent {
    methods: Methods,
}

impl Agent {
    /// One that has nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says how it stands, for `agent.state`.
    #[must_use]
    pub fn state<A>(mut self, state: impl Fn() -> A + Send + Sync + 'static) -> Self
    where
        A: Future<Output = AgentState> + Send + 'static,
    {
        let state = Arc::new(state);
        self.serve(StateMethod::NAME, move |call| {
            let state = Arc::clone(&state);
            async move {
                params_of::<StateMethod>(call.params.as_ref())?;
                written(&state().await)
            }
        });
        self
    }

    /// Ends what it does for its user, for `agent.abort`: the function gets the extension that wants it, and why. When it
    /// returns, the agent begins no call of the turn any more; then the host ends those that it has: also what waits
    /// for its turn, for guards or for a person.
    #[must_use]
    pub fn abort<A>(mut self, abort: impl Fn(String, String) -> A + Send + Sync + 'static) -> Self
    where
        A: Future<Output = ()> + Send + 'static,
    {
        let abort = Arc::new(abort);
        self.serve(AbortMethod::NAME, move |call| {
            let abort = Arc::clone(&abort);
            async move {
                let reason = params_of::<AbortMethod>(call.params.as_ref())?.reason;
                abort(call.extension.clone(), reason.clone()).await;
                let connection = asker(&call)?;
                written(&Aborted { calls: connection.shared().abort_calls(&call, &reason) })
            }
        });
        self
    }

    /// Lists the models that it has: `models.list`.
    #[must_use]
    pub fn models<A>(mut self, models: impl Fn() -> A + Send + Sync + 'static) -> Self
    where
        A: Future<Output = Vec<Model>> + Send + 'static,
    {
        let models = Arc::new(models);
        self.serve(ListModelsMethod::NAME, move |call| {
            let models = Arc::clone(&models);
            async move {
                params_of::<ListModelsMethod>(call.params.as_ref())?;
                written(&Models { models: models().await })
            }
        });
        self
    }

    /// Lets extensions list the tools, and take some out of what the model is offered, by `tools.list`,
    /// `tools.activate`, `tools.deactivate`. The host does it: [`Host::tools`](crate::Host::tools) is without them, and
    /// a call of one is refused. What an extension has deactivated is active again when it ends.
    #[must_use]
    pub fn tools(mut self) -> Self {
        self.serve(ListToolsMethod::NAME, |call| async move {
            params_of::<ListToolsMethod>(call.params.as_ref())?;
            let tools = asker(&call)?.shared().registry().all_tools();
            let tools = tools.into_iter().map(|(tool, active)| ListedTool {
                name: tool.name().to_owned(),
                description: tool.description().to_owned(),
                extension: (!tool.is_builtin()).then(|| tool.extension.clone()),
                active,
            });
            written(&Tools { tools: tools.collect() })
        });
        self.serve(ActivateMethod::NAME, |call| async move {
            let names = params_of::<ActivateMethod>(call.params.as_ref())?.names;
            set_active(&call, &names, true)
        });
        self.serve(DeactivateMethod::NAME, |call| async move {
            let names = params_of::<DeactivateMethod>(call.params.as_ref())?.names;
            set_active(&call, &names, false)
        });
        self
    }

    fn serve<F, A>(&mut self, name: &str, handler: F)
    where
        F: Fn(MethodCall) -> A + Send + Sync + 'static,
        A: Future<Output = Result<RawJson, RpcError>> + Send + 'static,
    {
        self.methods.insert(name.to_owned(), Method::new(handler));
    }
}

/// The agent.
impl HostBuilder {
    /// Serves what the agent has for its extensions. By default nothing of it is.
    #[must_use]
    pub fn agent(mut self, agent: Agent) -> Self {
        self.methods.extend(agent.methods);
        self
    }
}

fn asker(call: &MethodCall) -> Result<Arc<Connection>, RpcError> {
    let gone = || RpcError::new(ErrorKind::Cancelled, "the extension has ended");
    call.connection.upgrade().ok_or_else(gone)
}

fn written<T: Serialize>(answer: &T) -> Result<RawJson, RpcError> {
    RawJson::of(answer).map_err(|error| RpcError::new(ErrorKind::Internal, error.to_string()))
}

fn set_active(call: &MethodCall, names: &[String], to_active: bool) -> Result<RawJson, RpcError> {
    let connection = asker(call)?;
    let shared = connection.shared();
    // One that has ended would leave tools that nobody ever activates.
    let changed = connection.unless_ended(|| {
        let mut registry = shared.registry();
        if let Some(unknown) = names.iter().find(|name| registry.tool(name).is_none()) {
            let text = format!("{}: there is no tool {unknown}; nothing was changed", call.method);
            return Err(RpcError::new(ErrorKind::NotFound, text));
        }
        if names.iter().any(|name| name == RESOLVE) && !to_active {
            let text =
                format!("{}: {RESOLVE} is there as long as something is pending", call.method);
            return Err(RpcError::new(ErrorKind::Permission, text));
        }
        Ok(registry.set_active(connection.name(), names, to_active))
    });
    let gone = || RpcError::new(ErrorKind::Cancelled, "the extension has ended");
    let changed = changed.ok_or_else(gone)??;
    if !changed.is_empty() {
        shared.news.tell(News::ToolsActivated {
            extension: connection.name().to_owned(),
            names: changed.clone(),
            active: to_active,
        });
    }
    written(&Changed { changed })
}

impl Shared {
    /// Ends every call of a tool that has not ended, and says how many. That from which this was asked comes last, so
    /// that its extension has the answer.
    fn abort_calls(&self, call: &MethodCall, reason: &str) -> u64 {
        let own = call.connection.upgrade();
        let parent = call.parent.as_ref().filter(|parent| parent.kind == ParentKind::ToolCall);
        let own_call = own.as_ref().zip(parent).and_then(|(connection, parent)| {
            Some((connection.index(), connection.tool_call(&parent.id)?))
        });
        // What waits for its turn, for guards or for a person, and what the agent's own tools do.
        self.aborts.send_modify(|count| *count += 1);
        let mut ended = 0;
        for connection in self.connections() {
            for key in connection.tool_calls() {
                if own_call.as_ref() != Some(&(connection.index(), key.clone())) {
                    connection.cancel(&key, reason);
                    ended += 1;
                }
            }
        }
        if let (Some(connection), Some((_, key))) = (own, own_call) {
            let reason = reason.to_owned();
            self.runtime.spawn(async move {
                // The answer is written before this runs again.
                tokio::time::sleep(ANSWERED_BY).await;
                connection.cancel(&key, &reason);
            });
        }
        ended
    }
}

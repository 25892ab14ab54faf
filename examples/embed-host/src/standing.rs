//! What extensions may know of the agent, and have it do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use extline_host::services::agent::{AgentState, Model};

pub(crate) const PROVIDER: &str = "embed-host";
pub(crate) const MODEL: &str = "rules";

/// How the agent stands. A clone is the same.
#[derive(Clone, Default)]
pub(crate) struct Standing(Arc<Flags>);

#[derive(Default)]
struct Flags {
    is_busy: AtomicBool,
    is_aborted: AtomicBool,
}

impl Standing {
    /// A turn begins or is over.
    pub(crate) fn set_busy(&self, is_busy: bool) {
        self.0.is_aborted.store(false, Ordering::Relaxed);
        self.0.is_busy.store(is_busy, Ordering::Relaxed);
    }

    /// Whether the turn is to go no further: the host ends the calls that run, and no other one may begin.
    pub(crate) fn is_aborted(&self) -> bool {
        self.0.is_aborted.load(Ordering::Relaxed)
    }

    /// What extensions are served.
    pub(crate) fn agent(&self) -> extline_host::Agent {
        let (of_state, of_abort) = (self.clone(), self.clone());
        extline_host::Agent::new()
            .state(move || {
                let idle = !of_state.0.is_busy.load(Ordering::Relaxed);
                let (model, provider) = (MODEL.to_owned(), PROVIDER.to_owned());
                let cwd = std::env::current_dir().unwrap_or_default().display().to_string();
                async move { AgentState { idle, model, provider, cwd, ..AgentState::default() } }
            })
            .abort(move |_, _| {
                of_abort.0.is_aborted.store(true, Ordering::Relaxed);
                async {}
            })
            .models(|| async {
                let (id, provider) = (MODEL.to_owned(), PROVIDER.to_owned());
                vec![Model { id, provider, current: true, ..Model::default() }]
            })
            .tools()
    }
}

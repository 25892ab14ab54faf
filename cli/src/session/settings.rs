//! What the command line says of the host, told to the host.

use extline_host::{Agent, HostBuilder};

use crate::args::{GivenConfig, Settings, Variable};
use crate::dialogs::{self, Scripted};

/// A host that runs extensions as the command line says.
pub(super) fn apply(settings: &Settings, builder: HostBuilder) -> HostBuilder {
    let builder = builder
        .profile(settings.profile.clone())
        .sandbox(!settings.no_sandbox)
        .lazy_start(settings.is_lazy);
    let builder = settings.unguarded.iter().fold(builder, HostBuilder::unguarded);
    let file = builder.state_file();
    let builder = builder.state(file);
    let builder = settings.configs.iter().fold(builder, |builder, given| {
        let GivenConfig { extension, file, config } = given;
        builder.config(extension, file.display().to_string(), config.clone())
    });
    let builder = settings.approvals.apply(builder);
    let builder = match settings.mcp_tools.clone() {
        Some(trusting) => builder.mcp_tools(move |digest| format!("{trusting} {digest}")),
        None => builder,
    };
    let builder = dialogs::serve(
        builder.run_programs().pending_actions().agent(agent()),
        &Scripted::of(&settings.answers),
        settings.desk.as_deref(),
    );
    settings.variables.iter().fold(builder, |it, Variable { name, value }| it.env(name, value))
}

/// What there is of an agent: its tools, and the calls that can be ended.
fn agent() -> Agent {
    Agent::new().abort(|_, _| async {}).tools()
}

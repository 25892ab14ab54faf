//! How hooks run: what they read, and what their end means.

use std::path::PathBuf;
use std::sync::Arc;

use extline_protocol::{RawJson, shown_line};
use serde::Serialize;

use super::settings::{HookMode, HookPoint, ScriptHook};
use crate::process::{
    Environment, EnvironmentSettings, Environments, HostProcesses, Launch, Ran, Run, run_to_end,
    start,
};
use crate::report::Blocked;
use crate::source::{explain, resolve};

/// The code by which a hook blocks.
const BLOCKS: i32 = 2;
/// Bytes that are kept of what a hook says: the last ones.
const SAID: usize = 2048;

/// All hooks of a host.
#[derive(Debug, Default)]
pub(crate) struct Hooks {
    hooks: Vec<(ScriptHook, Arc<Environment>)>,
    cwd: PathBuf,
}

/// What a hook reads of a call.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct AboutCall<'a> {
    pub(crate) tool_id: &'a str,
    pub(crate) tool_name: &'a str,
    pub(crate) tool_args: &'a RawJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<RawJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) origin_extension: Option<&'a str>,
}

/// All that it reads.
#[derive(Serialize)]
struct Told<'a> {
    event: String,
    cwd: String,
    #[serde(flatten)]
    call: &'a AboutCall<'a>,
}

/// What came of one hook.
enum Said {
    Nothing,
    Block(String),
    /// It could not decide: why.
    Failed(String),
}

impl Hooks {
    pub(crate) fn new(
        hooks: Vec<ScriptHook>,
        settings: &EnvironmentSettings,
        cwd: PathBuf,
    ) -> Self {
        let environments = Environments::new(settings);
        let with = |hook: ScriptHook| {
            let environment = environments.of(&hook.env);
            (hook, environment)
        };
        Self { hooks: hooks.into_iter().map(with).collect(), cwd }
    }

    /// Whether one is about that tool there.
    pub(crate) fn has(&self, point: HookPoint, tool: &str) -> bool {
        self.at(point, tool).next().is_some()
    }

    fn at<'h>(
        &'h self,
        point: HookPoint,
        tool: &'h str,
    ) -> impl Iterator<Item = &'h (ScriptHook, Arc<Environment>)> {
        self.hooks.iter().filter(move |(hook, _)| hook.point == point && hook.tool.matches(tool))
    }

    /// Runs those that are about a call, one after the other; the first that blocks ends it. `notice` is told of those
    /// that fail and do not block.
    pub(crate) async fn ask(
        &self,
        point: HookPoint,
        call: &AboutCall<'_>,
        processes: &Arc<HostProcesses>,
        notice: impl Fn(String, String),
    ) -> Result<(), Blocked> {
        for (hook, environment) in self.at(point, call.tool_name) {
            let told = Told { event: point.to_string(), cwd: self.cwd.display().to_string(), call };
            // It is a name, texts and JSON that was read.
            let mut told = serde_json::to_vec(&told).unwrap_or_default();
            told.push(b'\n');
            let by = hook.name.clone();
            match self.run(hook, environment, told, processes).await {
                Said::Nothing => {}
                Said::Block(reason) => return Err(Blocked { by, reason }),
                Said::Failed(why) if hook.mode == HookMode::Guard => {
                    return Err(Blocked { by, reason: format!("it could not decide: {why}") });
                }
                Said::Failed(why) => notice(by, why),
            }
        }
        Ok(())
    }

    async fn run(
        &self,
        hook: &ScriptHook,
        environment: &Arc<Environment>,
        stdin: Vec<u8>,
        processes: &Arc<HostProcesses>,
    ) -> Said {
        let program = resolve(hook.command[0].as_ref(), &hook.folder, environment.path());
        let program = match program {
            Ok(program) => program,
            Err(problem) => return Said::Failed(problem.to_string()),
        };
        let launch = Arc::new(Launch {
            program,
            args: hook.command[1..].iter().map(Into::into).collect(),
            dir: self.cwd.clone(),
            environment: Arc::clone(environment),
            is_remote: false,
            pin: None,
            confinement: None,
            notices: Vec::new(),
        });
        let spawned = match start(&launch, processes).await {
            Ok(spawned) => spawned,
            Err(error) => return Said::Failed(explain(&launch, &error).to_string()),
        };
        let run = Run { stdin, timeout: Some(hook.timeout), keep: SAID, pieces: None };
        let Ran { exit, timed_out, stderr, .. } =
            run_to_end(spawned, Arc::clone(processes), run).await;
        let (said, _) = stderr.into_text();
        let said = said.trim();
        match exit.code() {
            _ if timed_out => {
                Said::Failed(format!("it took longer than {} ms", hook.timeout.as_millis()))
            }
            Some(0) => Said::Nothing,
            Some(BLOCKS) if said.is_empty() => Said::Block("it gives no reason".to_owned()),
            Some(BLOCKS) => Said::Block(said.to_owned()),
            _ if said.is_empty() => Said::Failed(exit.to_string()),
            _ => Said::Failed(format!("{exit}: {}", shown_line(said))),
        }
    }
}

//! The program of an extension, for those who drive its process themselves.

use std::io;
use std::path::Path;
use std::process::Command;

use super::ExtensionSource;
use super::manifest::Manifest;
use super::plan::{Plan, explain};
use crate::process::{EnvironmentSettings, Environments, Launch, command};
use crate::report::Problem;

/// The program of an extension, found as a [`Host`](crate::Host) finds it, for those who drive its
/// process themselves: the conformance tester. Nothing is run.
#[derive(Clone, Debug)]
pub struct Program {
    launch: Launch,
    manifest: Option<Manifest>,
}

impl Program {
    /// Looks the program up; a command without a manifest runs in `cwd`.
    pub fn of(source: &ExtensionSource, cwd: &Path) -> Result<Self, Problem> {
        let plan = Plan::of(source, cwd, &Environments::new(&EnvironmentSettings::default()));
        Ok(Self { launch: plan.launch?, manifest: plan.manifest })
    }

    /// The extension's manifest, if it has one.
    pub fn manifest(&self) -> Option<&Manifest> {
        self.manifest.as_ref()
    }

    /// The folder that it runs in.
    pub fn dir(&self) -> &Path {
        &self.launch.dir
    }

    /// What starts it: program, arguments, folder, and the environment that an extension gets.
    pub fn command(&self) -> Command {
        let Launch { program, args, environment, .. } = &self.launch;
        let mut command = command(program, args, environment.path());
        command.current_dir(&self.launch.dir).env_clear().envs(&environment.variables);
        command
    }

    /// The command line, for people.
    pub fn line(&self) -> String {
        let words = [self.launch.program.as_os_str()]
            .into_iter()
            .chain(self.launch.args.iter().map(AsRef::as_ref));
        words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
    }

    /// What an error of starting it means.
    pub fn explain(&self, error: &io::Error) -> Problem {
        explain(&self.launch, error)
    }
}

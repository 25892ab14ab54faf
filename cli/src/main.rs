//! `extline`: run, call, inspect and test extensions.

mod agents;
mod args;
mod arguments;
mod call;
mod command;
mod config;
mod conformance;
mod console;
mod content;
mod desk;
mod dev;
mod dialogs;
mod exit;
mod ext;
mod failure;
mod frames;
mod hook;
mod http;
mod inspect;
mod install;
mod interrupt;
mod lint;
mod manual;
mod mcp;
mod mock;
mod model_text;
mod new;
mod news_lines;
mod package;
mod printer;
mod progress;
mod question;
mod record;
mod remarks;
#[cfg(test)]
mod rendering_tests;
mod run;
mod script_hooks;
mod secret;
mod servers;
mod session;
mod state;
mod styled;
mod tap;
mod target;
mod template;
mod trace_file;
mod traced;
mod trust;
mod views;
mod watch;
mod web;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Action, Cli, HookAlone};
use crate::exit::Exit;
use crate::printer::Printer;

fn main() -> ExitCode {
    if let Some(code) = hook_alone() {
        return code;
    }
    // Before anything is opened: what whoever started this process left open is no extension's.
    extline_host::withhold_descriptors();
    let outcome = Cli::try_parse().and_then(|cli| {
        let printer = Printer::new(cli.json);
        match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime.block_on(act(cli.action, printer)),
            Err(error) => {
                let mut printer = printer;
                printer.error(format_args!("no runtime: {error}"));
                // There the tester's own failure has a code of its own.
                let exit = if is_conformance() { Exit::of_conformance(4) } else { Exit::ToolError };
                Ok(exit.into())
            }
        }
    });
    match outcome {
        Ok(code) => code,
        Err(error) => {
            // Also `--help` and `--version`, which are no failures.
            printer::usage(&error);
            match error.exit_code() {
                0 => Exit::Ok.into(),
                _ if is_conformance() => Exit::of_conformance(3).into(),
                _ => Exit::Usage.into(),
            }
        }
    }
}

/// A hook is started for each call of an agent, so it makes nothing that it does not need: neither the whole
/// command line, whose help and errors come from there, nor a runtime.
fn hook_alone() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    if words.next()? != "hook" {
        return None;
    }
    let HookAlone { hook, json } =
        HookAlone::try_parse_from(std::iter::once("hook".into()).chain(words)).ok()?;
    hook::is_hook(&hook).then(|| hook::run(&hook, Printer::new(json)))
}

/// `extline conformance` keeps 2, which is wrong usage elsewhere, for runs that are incomplete.
fn is_conformance() -> bool {
    let mut words = std::env::args_os().skip(1);
    words
        .find(|word| !word.as_encoded_bytes().starts_with(b"-"))
        .is_some_and(|it| it == "conformance")
}

async fn act(action: Action, printer: Printer) -> Result<ExitCode, clap::Error> {
    extline_host::outlive_size_limit();
    let exit = match action {
        Action::Call(call) => Box::pin(call::run(call, printer)).await?,
        Action::Command(command) => command::run(command, printer).await?,
        Action::Inspect(inspect) if inspect.web => Box::pin(web::run(inspect, printer)).await?,
        Action::Inspect(inspect) => inspect::run(inspect, printer).await?,
        Action::Run(run) => Box::pin(run::run(run, printer)).await?,
        Action::Dev(dev) => Box::pin(dev::run(dev, printer)).await?,
        Action::Mcp(mcp) => mcp::run(mcp, printer).await?,
        Action::Lint(lint) => Box::pin(lint::run(lint, printer)).await?,
        Action::Repair(_) => model_text::mend(printer),
        Action::Extract(extract) => model_text::find(&extract, printer),
        Action::State(state) => state::run(&state, printer).await,
        Action::Ext(ext) => Box::pin(ext::run(ext, printer)).await,
        Action::Install(install) => install::install(&install, printer)?,
        Action::Uninstall(uninstall) => install::uninstall(&uninstall, printer),
        Action::Package(package) => package::run(&package, printer),
        Action::Discover(discover) => install::discover(discover, printer).await,
        Action::Secret(secret) => secret::run(secret, printer).await?,
        Action::Hook(hook) if hook::is_hook(&hook) => return Ok(hook::run(&hook, printer)),
        Action::Hook(hook) => Box::pin(hook::serve(*hook, printer)).await?,
        Action::Config(config) => config::run(&config, printer),
        Action::Record(record) => Box::pin(record::run(record, printer)).await?,
        Action::Conformance(conformance) => conformance::run(*conformance, printer).await?,
        // It ends as the extension does.
        Action::Tap(tap) => return tap::run(tap, printer).await,
        Action::Mock(mock) => return mock::run(&mock),
        Action::New(new) => new::run(&new, printer),
        Action::Completions(completions) => manual::completions(&completions, printer)?,
        Action::Man(man) => manual::pages(&man, printer),
    };
    Ok(exit.into())
}

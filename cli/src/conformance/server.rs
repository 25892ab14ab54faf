//! `extline conformance --protocol mcp`: an MCP server on stdio.

use std::env;
use std::path::Path;

use clap::error::ErrorKind;
use extline_conformance::{Era, Options, draw_seed, run_server};
use extline_host::Program;

use super::{SUBCOMMAND, Testing, list, own, quoted, run_tests, selection};
use crate::args::{Conformance, Rules, SpokenEra};
use crate::exit::Exit;
use crate::interrupt::Interrupts;
use crate::printer::Printer;
use crate::servers;
use crate::target::{program_of, told, usage};

pub(super) async fn run(
    args: &Conformance,
    mut printer: Printer,
    interrupts: &mut Option<Interrupts>,
) -> Result<Exit, clap::Error> {
    refuse_what_is_for_extensions(args)?;
    let own = own::read(&args.cases)?;
    let cases = selection::chosen_of_servers(own, &args.choice.only, &args.choice.skip)?;
    if args.choice.list {
        return Ok(list(cases, printer));
    }
    let (testing, baseline) = Testing::of(&args.told, &mut printer)?;
    let program = match program(args)? {
        Ok(program) => program,
        Err(why) => {
            printer.error(why);
            return Ok(printer.finish(Exit::NotStarted));
        }
    };
    let seed = args.seed.unwrap_or_else(draw_seed);
    let (again, retries, calls) = (Some(again(args, seed)), args.retries, args.call);
    let options = Options { calls, again, seed, retries, baseline, ..Options::of(program) };
    let eras = match args.era {
        None => Era::ALL.to_vec(),
        Some(SpokenEra::Initialize) => vec![Era::Initialize],
        Some(SpokenEra::Discover) => vec![Era::Discover],
    };
    run_tests(testing, printer, interrupts, move |keeps_passes, progress| {
        run_server(&Options { keeps_passes, ..options }, &eras, &cases, progress)
    })
    .await
}

/// The server's program; the inner `Err` says why there is none, and what to do.
fn program(args: &Conformance) -> Result<Result<Program, String>, clap::Error> {
    let [file, name] = &args.mcp_config[..] else {
        return program_of(SUBCOMMAND, args.dir.as_ref(), &args.program);
    };
    let cwd = env::current_dir().unwrap_or_default();
    let source = servers::named(Path::new(file), name, &cwd)
        .map_err(|why| usage(SUBCOMMAND, ErrorKind::InvalidValue, &why))?;
    Ok(Program::of(&source, &cwd).map_err(|problem| told(&problem)))
}

fn refuse_what_is_for_extensions(args: &Conformance) -> Result<(), clap::Error> {
    let given = [
        ("--level", args.level != Rules::Base),
        ("--deep", args.deep),
        ("--canary", args.canary.is_some()),
    ];
    let Some((option, _)) = given.iter().find(|(_, is_given)| *is_given) else { return Ok(()) };
    let text = format!("{option} is for extensions; leave it out with --protocol mcp");
    Err(usage(SUBCOMMAND, ErrorKind::ArgumentConflict, &text))
}

/// The command that runs one case again.
fn again(args: &Conformance, seed: u32) -> String {
    let mut words = vec!["extline conformance --protocol mcp --only $case".to_owned()];
    words.extend(
        args.cases.iter().map(|file| format!("--cases {}", quoted(&file.to_string_lossy()))),
    );
    words.extend(args.call.then(|| "--call".to_owned()));
    words.extend(args.era.map(|era| match era {
        SpokenEra::Initialize => "--era initialize".to_owned(),
        SpokenEra::Discover => "--era discover".to_owned(),
    }));
    words.push(format!("--seed {seed}"));
    if let [file, name] = &args.mcp_config[..] {
        words.push(format!("--mcp-config {} {}", quoted(file), quoted(name)));
    }
    words.extend(args.dir.as_ref().map(|dir| quoted(&dir.to_string_lossy())));
    let program = &args.program.words;
    words.extend((!program.is_empty()).then(|| "--".to_owned()));
    words.extend(program.iter().map(|word| quoted(&word.to_string_lossy())));
    words.join(" ")
}

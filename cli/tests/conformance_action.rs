//! The GitHub action: the script that it runs, with what GitHub gives it, and that its definition
//! and the script speak of the same inputs and outputs.

#![cfg(unix)]

mod support;

use std::fs;
use std::process::Command;

use support::{Extline, repository};

/// What a step of the action leaves behind: its exit code, its output, and what GitHub reads.
struct Step {
    code: Option<i32>,
    stdout: String,
    outputs: String,
    summary: String,
}

fn step(extline: &Extline, inputs: &[(&str, &str)]) -> Step {
    let home = extline.home();
    let (outputs, summary) = (home.join("outputs"), home.join("summary"));
    let _ = (fs::remove_file(&outputs), fs::remove_file(&summary));
    let report = home.join("report");
    let done = Command::new(repository().join("conformance/action/run.sh"))
        .current_dir(repository())
        .env("EXTLINE_HOME", home)
        .env("EXTLINE", env!("CARGO_BIN_EXE_extline"))
        .env("GITHUB_OUTPUT", &outputs)
        .env("GITHUB_STEP_SUMMARY", &summary)
        .env("INPUT_REPORT", &report)
        .envs(inputs.iter().copied())
        .output()
        .unwrap();
    let read = |file| fs::read_to_string(file).unwrap_or_default();
    Step {
        code: done.status.code(),
        stdout: String::from_utf8(done.stdout).unwrap(),
        outputs: read(&outputs),
        summary: read(&summary),
    }
}

#[test]
fn failures_become_annotations_outputs_and_a_summary() {
    let extline = Extline::new();
    let failing = step(
        &extline,
        &[
            ("INPUT_EXTENSION", "examples/hello-python-raw"),
            ("INPUT_OPTIONS", "--only E-FRM-08 --only 'E-REG-0*'"),
        ],
    );
    assert_eq!(failing.code, Some(1), "{}", failing.stdout);
    let report = extline.home().join("report");
    let expected = format!(
        "outcome=not-conformant\ngrade=\nfailed=1\nfindings=\nreport={}\n",
        report.display()
    );
    assert_eq!(failing.outputs, expected);
    let error: Vec<_> = failing.stdout.lines().filter(|line| line.starts_with("::error")).collect();
    assert_eq!(error.len(), 1, "{}", failing.stdout);
    assert!(
        error[0].starts_with("::error title=E-FRM-08::a blank line is skipped%0A"),
        "{error:?}"
    );
    assert!(failing.stdout.contains("\n::warning title=E-REG-08::"), "{}", failing.stdout);
    assert!(failing.summary.starts_with("## extline conformance: not conformant\n"));
    for file in ["report.html", "report.xml", "report.tap", "badge.svg", "badge.json"] {
        assert!(report.join(file).metadata().unwrap().len() > 0, "{file}");
    }
}

#[test]
fn a_command_s_words_are_those_of_a_shell_and_usage_is_told_apart() {
    let extline = Extline::new();
    let command = "python3 \"$PWD/conformance/kit/python/kit.py\"";
    let good = step(&extline, &[("INPUT_COMMAND", command), ("INPUT_OPTIONS", "--only E-FRM-08")]);
    assert_eq!(good.code, Some(0), "{}", good.stdout);
    assert!(good.outputs.starts_with("outcome=conformant\ngrade=\nfailed=0\n"), "{}", good.outputs);
    let wrong = step(&extline, &[("INPUT_OPTIONS", "--only NOTHING")]);
    assert_eq!(wrong.code, Some(3), "{}", wrong.stdout);
    assert!(wrong.outputs.starts_with("outcome=usage\ngrade=\nfailed=\n"), "{}", wrong.outputs);
    assert_eq!(wrong.summary, "");
}

#[test]
fn a_deep_run_plays_the_points_and_drawn_sessions_say_what_they_broke() {
    let extline = Extline::new();
    let kit = "python3 -S \"$PWD/conformance/kit/python/kit.py\"";
    let good = step(
        &extline,
        &[
            ("INPUT_COMMAND", kit),
            ("INPUT_DEEP", "true"),
            ("INPUT_FUZZ", "1s"),
            ("INPUT_OPTIONS", "--only E-FRM-01 --only 'E-FRM-01@bytes'"),
        ],
    );
    assert_eq!(good.code, Some(0), "{}", good.stdout);
    let report = extline.home().join("report");
    let tap = fs::read_to_string(report.join("report.tap")).unwrap();
    assert!(tap.contains("E-FRM-01@bytes"), "{tap}");
    assert!(good.outputs.contains("\nfailed=0\nfindings=0\n"), "{}", good.outputs);
    assert!(good.summary.contains("0 rules broken in "), "{}", good.summary);

    // It dies of what the one case that is played does not write, and of so much of it that every
    // session has some: on a busy machine there is time for one.
    let broken = "python3 -S \"$PWD/conformance/mutants/puppet.py\" json-dies type-dies null-dies \
        array-dies duplicate-dies id-dies args-dies cancel-dies unknown-event-dies key-dies";
    let bad = step(
        &extline,
        &[("INPUT_COMMAND", broken), ("INPUT_FUZZ", "1s"), ("INPUT_OPTIONS", "--only E-TOL-02")],
    );
    assert_eq!(bad.code, Some(1), "{}", bad.stdout);
    assert!(bad.outputs.starts_with("outcome=not-conformant\ngrade=\nfailed=0\nfindings="));
    let error = bad.stdout.lines().find(|line| line.starts_with("::error title=fuzz-"));
    let error = error.unwrap_or_else(|| panic!("{}", bad.stdout));
    assert!(error.contains("the process ended") && error.contains("--only own"), "{error}");
    assert!(fs::read_dir(&report).unwrap().any(|file| {
        let name = file.unwrap().file_name();
        name.to_string_lossy().starts_with("fuzz-") && name.to_string_lossy().ends_with(".toml")
    }));
}

#[test]
fn a_driver_stands_for_a_host_in_place_of_an_extension() {
    let extline = Extline::new();
    let host = "python3 -S \"$PWD/conformance/mutants/host.py\"";
    let options = ("INPUT_OPTIONS", "--only H-HSK-08 --only H-TOL-02");
    let good = step(&extline, &[("INPUT_DRIVER", host), options, ("INPUT_FUZZ", "1s")]);
    assert_eq!(good.code, Some(0), "{}", good.stdout);
    assert!(good.outputs.starts_with("outcome=conformant\ngrade=\nfailed=0\nfindings=\n"));
    let tap = fs::read_to_string(extline.home().join("report/report.tap")).unwrap();
    assert!(tap.contains("\nok 1 - H-HSK-08 ") && tap.contains("1..2\n"), "{tap}");

    let broken = format!("{host} unknown-id-ends-it");
    let bad = step(&extline, &[("INPUT_DRIVER", &broken), options]);
    assert_eq!(bad.code, Some(1), "{}", bad.stdout);
    assert!(bad.outputs.starts_with("outcome=not-conformant\ngrade=\nfailed=1\n"));
    assert!(bad.stdout.contains("::error title=H-TOL-02::"), "{}", bad.stdout);
}

#[test]
fn servers_and_clients_of_mcp_are_checked_as_well() {
    let extline = Extline::new();
    let server = "python3 -S \"$PWD/conformance/mutants/mcp_server.py\"";
    let (mcp, only) = (("INPUT_PROTOCOL", "mcp"), ("INPUT_OPTIONS", "--only M-TOL-05"));
    // What is for extensions alone is left out.
    let deep = ("INPUT_DEEP", "true");
    let good = step(&extline, &[mcp, only, deep, ("INPUT_COMMAND", server), ("INPUT_FUZZ", "1s")]);
    assert_eq!(good.code, Some(0), "{}", good.stdout);
    assert!(good.outputs.contains("outcome=conformant\n"), "{}", good.outputs);
    assert!(good.outputs.contains("findings=0\n"), "{}", good.outputs);

    let client = "python3 -S \"$PWD/conformance/mutants/mcp_client.py\" ping-unanswered";
    let only = ("INPUT_OPTIONS", "--only C-SRV-01");
    let bad = step(&extline, &[("INPUT_CLIENT_DRIVER", client), only]);
    assert_eq!(bad.code, Some(1), "{}", bad.stdout);
    assert!(bad.stdout.contains("::error title=C-SRV-01::"), "{}", bad.stdout);
}

#[test]
fn the_definition_gives_the_script_each_input_and_takes_each_output() {
    let read =
        |file| fs::read_to_string(repository().join("conformance/action").join(file)).unwrap();
    let (definition, script) = (read("action.yml"), read("run.sh"));
    let inputs = [
        "extension",
        "command",
        "driver",
        "protocol",
        "client-driver",
        "level",
        "call",
        "deep",
        "fuzz",
        "baseline",
        "options",
        "report",
    ];
    for input in inputs {
        let name = format!("INPUT_{}", input.to_uppercase().replace('-', "_"));
        assert!(definition.contains(&format!("  {input}:\n    description: ")), "{input}");
        assert!(definition.contains(&format!("{name}: ${{{{ inputs.{input} }}}}")), "{input}");
        assert!(script.contains(&format!("${{{name}")), "{input}");
    }
    for output in ["outcome", "grade", "failed", "findings", "report"] {
        assert!(definition.contains(&format!("${{{{ steps.run.outputs.{output} }}}}")), "{output}");
        assert!(script.contains(&format!("printf '{output}=%s\\n'")), "{output}");
    }
    // The inputs reach the script as environment, never as text of a script.
    let run: Vec<_> = definition.lines().filter(|line| line.trim().starts_with("run:")).collect();
    assert!(run.iter().all(|line| !line.contains("${{")), "{run:?}");
}

//! Tools that do what an extension should not.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "what an author prints, and how one ends a process, is what is tested"
)]

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::{self, Command as Process, Stdio};
use std::rc::Rc;
use std::time::Duration;

use extline::ErrorKind;
use extline::prelude::*;

use crate::memory::Memory;
use crate::{MESSAGE, tool};

#[derive(Deserialize)]
struct Fail {
    how: String,
}

#[derive(Deserialize)]
struct Stray {
    via: String,
}

#[derive(Deserialize)]
struct Size {
    n: usize,
}

const FAIL: &str = r#"{"type":"object","properties":{"how":{"type":"string"}},"required":["how"]}"#;
const STRAY: &str = r#"{"type":"object","properties":{"via":{"enum":["print","write","child","at_exit"]}},"required":["via"]}"#;
const SIZE: &str =
    r#"{"type":"object","properties":{"n":{"type":"integer","minimum":0}},"required":["n"]}"#;
const NONE: &str = r#"{"type":"object","properties":{}}"#;

pub(crate) fn add(kit: Extension, memory: &Rc<Memory>) -> Extension {
    let printing = Rc::clone(memory);
    let stray = async move |args: Stray, _| write_stray(&args.via, &printing);
    let keeping = Rc::clone(memory);
    let spawn_child = async move |_: NoArgs, _| {
        let child = reader().stdin(Stdio::piped()).spawn()?;
        keeping.children.borrow_mut().push(child);
        Ok("started")
    };
    let child = "Starts a process that lives as long as this one.";
    kit.add_tool(tool("fail", "Fails in a chosen way.", FAIL, fail))
        .add_tool(tool("stdout", "Writes to stdout past the protocol.", STRAY, stray))
        .add_tool(tool("stderr", "Writes to stderr.", SIZE, async |args: Size, _| {
            eprintln!("{}", "x".repeat(args.n));
            Ok("written")
        }))
        .add_tool(tool("spawn_child", child, NONE, spawn_child))
}

async fn fail(args: Fail, _: Context) -> Result<ToolResult, ToolError> {
    match args.how.as_str() {
        "full" => Err(ToolError::conflict(MESSAGE)
            .field("/how")
            .hint("ask for something else")
            .cause("first")
            .cause("second")
            .retry_after(Duration::from_millis(1500))),
        "throw" => Err(io::Error::other(MESSAGE))?,
        "panic" => panic!("{MESSAGE}"),
        "return" => Json(BTreeMap::from([((1, 2), 3)])).into_tool_result(),
        "exit" => process::exit(7),
        "abort" => process::abort(),
        kind => Err(ToolError::of_kind(ErrorKind::from(kind), MESSAGE)),
    }
}

fn write_stray(via: &str, memory: &Memory) -> Result<&'static str, ToolError> {
    match via {
        "print" => {
            print!("stray print\nhalf a line");
            io::stdout().flush()?;
        }
        "write" => write_itself(b"stray write\n")?,
        "child" => {
            reader_that_says("stray child").status()?;
        }
        _ => memory.prints_at_exit.set(true),
    }
    Ok("printed")
}

#[cfg(unix)]
fn write_itself(bytes: &[u8]) -> io::Result<()> {
    rustix::io::write(rustix::stdio::stdout(), bytes)?;
    Ok(())
}

#[cfg(windows)]
fn write_itself(bytes: &[u8]) -> io::Result<()> {
    use std::os::windows::io::AsHandle;
    std::fs::File::from(io::stdout().as_handle().try_clone_to_owned()?).write_all(bytes)
}

/// A process that reads until its stdin ends.
fn reader() -> Process {
    if cfg!(windows) { shell("set /p line=") } else { Process::new("cat") }
}

/// The same, which prints something at its end.
fn reader_that_says(text: &str) -> Process {
    let with = if cfg!(windows) { "set /p line=&" } else { "cat;" };
    shell(&format!("{with} echo {text}"))
}

fn shell(line: &str) -> Process {
    let (shell, option) = if cfg!(windows) { ("cmd", "/c") } else { ("sh", "-c") };
    let mut process = Process::new(shell);
    process.args([option, line]);
    process
}

/// At the end of `main`: Rust has no other place for what is done at exit.
pub(crate) fn at_exit(memory: &Memory) {
    if memory.prints_at_exit.get() {
        println!("stray at_exit");
    }
}

//! `extline dev`: what is saved takes the place of what runs, and what does not start is told.

#![cfg(unix)]

#[path = "support/page.rs"]
mod page;
mod support;

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::time::{Duration, Instant};

use support::{Extline, outcome, repository, signal};

/// A running `extline dev`, all of whose output goes into one file.
struct Dev {
    /// Until it was waited for.
    child: Option<Child>,
    stdin: Option<ChildStdin>,
    log: PathBuf,
    /// How much of it was looked at.
    seen: usize,
}

impl Dev {
    fn start(extline: &Extline, folder: &Path, words: &[&str]) -> Self {
        let log = extline.home().join("dev.log");
        let output = File::create(&log).unwrap();
        let mut command = extline.command(words);
        command.current_dir(folder).stdin(Stdio::piped());
        let mut child = command.stdout(output.try_clone().unwrap()).stderr(output).spawn().unwrap();
        let stdin = child.stdin.take();
        Self { child: Some(child), stdin, log, seen: 0 }
    }

    fn types(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Waits until it says these, one behind the other, behind what was waited for before.
    fn says<'w>(&mut self, parts: impl IntoIterator<Item = &'w str>) {
        let until = Instant::now() + Duration::from_secs(60);
        for part in parts {
            loop {
                let text = fs::read_to_string(&self.log).unwrap();
                if let Some(at) = text[self.seen..].find(part) {
                    self.seen += at + part.len();
                    break;
                }
                assert!(
                    Instant::now() < until,
                    "{part:?} is not in {:?}\n{text}",
                    &text[self.seen..]
                );
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }

    /// How it ended by itself.
    fn ended(mut self) -> support::Outcome {
        outcome(self.child.take().unwrap())
    }

    fn end(self) -> support::Outcome {
        signal(self.child.as_ref().unwrap(), "INT");
        self.ended()
    }
}

/// A test that fails leaves nothing running.
impl Drop for Dev {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// At one go, as an editor does.
fn save(file: &Path, text: &str) {
    let beside = file.with_extension("new~");
    let hidden = beside.with_file_name(format!(".{}", beside.file_name().unwrap().display()));
    fs::write(&hidden, text).unwrap();
    fs::rename(hidden, file).unwrap();
}

/// An extension in plain sh with one tool.
fn greeter(folder: &Path, tool: &str, text: &str) {
    let script = format!(
        r#"echo '{{"type":"hello","name":"greeter","version":"1.0.0","capabilities":["tools"]}}'
echo '{{"type":"register_tool","name":"{tool}","description":"Greets.","schema":{{"type":"object"}}}}'
echo '{{"type":"ready"}}'
while IFS= read -r line; do
    id=${{line#*'"id":"'}} id=${{id%%'"'*}}
    case $line in
        *'"type":"tool_call"'*) echo '{{"type":"tool_result","id":"'"$id"'","content":[{{"type":"text","text":"{text}"}}]}}' ;;
        *'"type":"shutdown"'*) exit ;;
    esac
done
"#
    );
    save(&folder.join("greeter.sh"), &script);
}

fn folder_of(extline: &Extline) -> PathBuf {
    let folder = extline.home().join("greeter");
    fs::create_dir(&folder).unwrap();
    let manifest = r#"{"name":"greeter","version":"1.0.0","exec":"sh","args":["greeter.sh"]}"#;
    fs::write(folder.join("extension.json"), manifest).unwrap();
    folder
}

#[test]
fn what_is_saved_takes_the_place_of_what_runs_and_what_does_not_start_is_told() {
    let extline = Extline::new();
    let folder = folder_of(&extline);
    greeter(&folder, "greet", "one");
    let mut dev = Dev::start(&extline, &folder, &["dev"]);
    dev.says(["greeter ready: 1 tool", "watching 2 files of ."]);
    dev.types("!greet");
    dev.says(["one"]);
    greeter(&folder, "greet", "two");
    dev.says(["greeter.sh changed", "greeter reloaded in ", "the same tools and commands"]);
    dev.types("!greet");
    dev.says(["two"]);
    save(&folder.join("greeter.sh"), "echo it breaks >&2; exit 3");
    dev.says(["greeter.sh changed", "error: greeter: ", "it breaks", "greeter goes on as it was"]);
    dev.types("!greet");
    dev.says(["two"]);
    save(&folder.join("extension.json"), "{");
    dev.says(["extension.json changed", "error: greeter: ", "greeter goes on as it was"]);
    let manifest = r#"{"name":"greeter","version":"1.0.1","exec":"sh","args":["greeter.sh"]}"#;
    greeter(&folder, "welcome", "three");
    save(&folder.join("extension.json"), manifest);
    dev.says(["reloaded in ", "tool welcome added; tool greet removed"]);
    dev.types("!welcome");
    dev.says(["three"]);
    // The end of stdin ends nothing where nobody types.
    drop(dev.stdin.take());
    greeter(&folder, "welcome", "four");
    dev.says(["greeter.sh changed", "reloaded in "]);
    dev.end().assert_code(130);
}

#[test]
fn one_that_does_not_start_at_first_is_started_when_it_is_mended() {
    let extline = Extline::new();
    let folder = folder_of(&extline);
    save(&folder.join("greeter.sh"), "exit 3");
    let mut dev = Dev::start(&extline, &folder, &["dev"]);
    dev.says(["error: greeter: ", "watching 2 files of ."]);
    greeter(&folder, "greet", "one");
    dev.says(["greeter.sh changed", "reloaded in ", "tool greet added"]);
    dev.types("!greet");
    dev.says(["one"]);
    dev.types(":quit");
    dev.says(["greeter stopped"]);
    dev.ended().assert_code(0);
}

#[test]
fn what_is_built_is_built_before_each_reload_and_a_build_that_fails_is_shown() {
    let extline = Extline::new();
    let folder = folder_of(&extline);
    greeter(&folder, "greet", "built");
    fs::rename(folder.join("greeter.sh"), folder.join("source")).unwrap();
    let build = "grep -q broken source && { echo 'line 1: broken'; exit 2; }; mkdir -p dist; cp source dist/greeter.sh";
    let manifest = r#"{"name":"greeter","version":"1.0.0","exec":"sh","args":["dist/greeter.sh"]}"#;
    fs::write(folder.join("extension.json"), manifest).unwrap();
    let above = extline.home().to_owned();
    let mut dev = Dev::start(&extline, &above, &["dev", "greeter", "--build", build]);
    dev.says(["greeter ready: 1 tool", "watching 2 files of greeter"]);
    save(&folder.join("source"), "broken");
    dev.says(["source changed", "error: the build failed with exit status 2: ", "line 1: broken"]);
    dev.types("!greet");
    dev.says(["built"]);
    greeter(&folder, "greet", "again");
    fs::rename(folder.join("greeter.sh"), folder.join("source")).unwrap();
    dev.says(["reloaded in "]);
    dev.types("!greet");
    dev.says(["again"]);
    dev.end().assert_code(130);
}

#[test]
fn as_json_each_line_is_an_object() {
    let extline = Extline::new();
    let folder = folder_of(&extline);
    greeter(&folder, "greet", "one");
    let mut dev = Dev::start(&extline, &folder, &["dev", "--json"]);
    dev.says([r#"{"started":"greeter"}"#]);
    greeter(&folder, "other", "one");
    dev.says([
        r#"{"news":"changed","file":"greeter.sh"}"#,
        r#"{"news":"reloaded","extension":"greeter","difference":{"tools":{"added":["other"],"#,
        r#""took_ms":"#,
    ]);
    save(&folder.join("greeter.sh"), "exit 3");
    dev.says([r#"{"news":"not_reloaded","extension":"greeter","goes_on":true,"why":"#]);
    dev.end().assert_code(130);
}

#[test]
fn at_a_prompt_an_extension_is_reloaded_by_a_word() {
    let extline = Extline::new();
    let folder = folder_of(&extline);
    greeter(&folder, "greet", "one");
    let mut run = Dev::start(&extline, &folder, &["run", "."]);
    run.says(["greeter ready: 1 tool"]);
    run.types(":reload");
    run.says(["greeter reloaded: the same tools and commands"]);
    greeter(&folder, "welcome", "two");
    run.types(":reload greeter");
    run.says(["greeter reloaded: tool welcome added; tool greet removed"]);
    save(&folder.join("greeter.sh"), "exit 3");
    run.types(":reload");
    run.says(["error: greeter: "]);
    run.types("!welcome");
    run.says(["two"]);
    run.types(":reload greet");
    run.says(["there is no extension greet, did you mean greeter?"]);
    run.types(":quit");
    run.ended().assert_code(1);
}

#[test]
fn a_folder_that_is_not_there_is_told() {
    let outcome = Extline::new().run(&["dev", "nowhere"]);
    outcome.assert_code(2);
    outcome.assert_says(&["nowhere is no folder"]);
}

#[test]
fn the_page_says_what_happens() {
    let extline = Extline::new();
    let work = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(repository().join("docs/developing.md")).unwrap();
    let run = |line: &str| {
        let folder = Path::new(env!("CARGO_BIN_EXE_extline")).parent().unwrap();
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &format!("{line} 2>&1")]).env("PATH", path);
        command.env("EXTLINE_HOME", extline.home()).current_dir(work.path()).stdin(Stdio::null());
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let mut dev = None;
    let mut count = 0;
    for block in page::blocks(&text) {
        if (block.language, block.name) != ("text", "dev") {
            count += page::play(&block, work.path(), &run);
            continue;
        }
        let mut lines = block.text.lines();
        if dev.is_none() {
            let words = lines.next().unwrap().strip_prefix("$ extline ").unwrap();
            let words: Vec<_> = words.split(' ').collect();
            dev = Some(Dev::start(&extline, work.path(), &words));
        }
        dev.as_mut().unwrap().says(lines.flat_map(|line| line.split("...")));
        count += 1;
    }
    assert_eq!(count, 11, "blocks that are played");
    dev.unwrap().end().assert_code(130);
}

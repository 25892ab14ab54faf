//! Every attack of host/tests/hostile/attacks.toml, and files that are none, against the commands,
//! each with 1 GiB of address space: they end with an error in words, and never by a panic, a signal
//! or for want of memory. The times are printed, and only what hangs fails.

#![cfg(target_os = "linux")]
#![expect(clippy::print_stdout, reason = "what was measured, shown with --nocapture or a failure")]

#[path = "../../host/tests/hostile/attack.rs"]
mod attack;
mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use attack::Attack;
use support::Extline;

/// Longer than any command needs here on a busy machine, its calls' own timeout included.
const HANGS: Duration = Duration::from_secs(60);

/// The exit codes of the command, see `extline --help`.
const TOLD: [i32; 7] = [0, 1, 2, 3, 4, 5, 6];

struct Ended {
    code: Option<i32>,
    said: String,
    took: Duration,
}

#[test]
fn inspect_tells_what_is_wrong_and_ends() {
    each(|attack| {
        let ended = run(attack, &["inspect"]);
        let is_told =
            attack.told.is_empty() || attack.told.iter().any(|it| ended.said.contains(it));
        assert!(is_told, "{}: {:?} is missing in {}", attack.name, attack.told, ended.excerpt());
        ended
    });
}

#[test]
fn a_call_ends() {
    each(|attack| run(attack, &["call", "--timeout", "3", "wide", "{}"]));
}

/// `extline conformance` with a few cases of each sort; it fails them, or not, and ends.
#[test]
#[ignore = "takes minutes: make soak"]
fn the_tester_ends() {
    each(|attack| run(attack, &["conformance", "--only", "E-HSK-01", "--only", "E-REG-01"]));
}

#[test]
fn a_manifest_that_is_no_file_or_too_large_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let extension = |name: &str| {
        let extension = folder.path().join(name);
        fs::create_dir(&extension).unwrap();
        extension.join("extension.json")
    };
    let pipe = Command::new("mkfifo").arg(extension("pipe")).status().unwrap();
    assert!(pipe.success());
    symlink("/dev/zero", extension("endless")).unwrap();
    fs::create_dir(extension("folder")).unwrap();
    let numbers = format!("[{}0]", "0,".repeat(10 << 20));
    fs::write(extension("array"), numbers).unwrap();
    for name in ["pipe", "endless", "folder", "array"] {
        let path = folder.path().join(name);
        for words in [&["inspect"][..], &["run"], &["conformance"], &["call"]] {
            let mut words: Vec<&str> = words.to_vec();
            words.push(path.to_str().unwrap());
            if words[0] == "call" {
                words.push("tool");
            }
            let ended = limited(&words, None);
            ended.check(&format!("{name} {}", words[0]));
            assert!(ended.said.contains("extension.json"), "{name}: {}", ended.excerpt());
            assert_ne!(ended.code, Some(0), "{name}: {}", ended.excerpt());
        }
    }
}

/// Plays every attack, two at a time.
fn each(play: impl Fn(&Attack) -> Ended + Sync) {
    let only = std::env::var("EXTLINE_SOAK_ONLY").ok();
    let attacks = attack::all(only.as_deref());
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(attack) = attacks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let ended = play(attack);
                    ended.check(&attack.name);
                    let (took, code) = (ended.took.as_secs_f64(), ended.code.unwrap_or(-1));
                    println!("{:<24} {took:>5.2} s, exit code {code}", attack.name);
                }
            });
        }
    });
}

fn run(attack: &Attack, words: &[&str]) -> Ended {
    let folder = tempfile::tempdir().unwrap();
    let program = attack.program(folder.path());
    let program: Vec<&str> = program.iter().map(|word| word.to_str().unwrap()).collect();
    limited(&[words, &["--"], &program].concat(), Some(folder.path()))
}

/// Runs the command with 1 GiB of address space. What it prints goes into files, so that nothing
/// waits for this test to read.
fn limited(words: &[&str], folder: Option<&Path>) -> Ended {
    let own = tempfile::tempdir().unwrap();
    let said = folder.unwrap_or(own.path()).join("said");
    let output = fs::File::create(&said).unwrap();
    let extline = Extline::new();
    let command = extline.command(words);
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -v 1048576; exec \"$@\"", "sh"]).arg(command.get_program());
    limited.args(command.get_args()).env("EXTLINE_HOME", extline.home());
    limited.current_dir(support::repository()).stdin(Stdio::null());
    limited.stdout(output.try_clone().unwrap()).stderr(output);
    let began = Instant::now();
    let mut child = limited.spawn().unwrap();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        if began.elapsed() > HANGS {
            child.kill().unwrap();
            child.wait().unwrap();
            break None;
        }
        thread::sleep(Duration::from_millis(5));
    };
    let took = began.elapsed();
    let said = String::from_utf8_lossy(&fs::read(&said).unwrap()).into_owned();
    let code = status.unwrap_or_else(|| panic!("{words:?} hangs: {}", excerpt(&said))).code();
    Ended { code, said, took }
}

impl Ended {
    fn check(&self, what: &str) {
        let code = self.code.unwrap_or(-1);
        assert!(TOLD.contains(&code), "{what}: {:?}, {}", self.code, self.excerpt());
        for word in ["panicked at", "memory allocation of"] {
            assert!(!self.said.contains(word), "{what}: {}", self.excerpt());
        }
        // Whatever was written, what is shown of it is for a reader.
        assert!(self.said.len() < 4 << 20, "{what}: {} bytes are printed", self.said.len());
    }

    fn excerpt(&self) -> String {
        excerpt(&self.said)
    }
}

fn excerpt(said: &str) -> String {
    let mut excerpt: String = said.chars().take(2000).collect();
    if excerpt.len() < said.len() {
        excerpt += " [...]";
    }
    excerpt
}

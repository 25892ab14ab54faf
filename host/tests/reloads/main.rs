//! An extension that is reloaded again and again, as by who works on it for a day: nothing of the versions before stays.
//!
//! 200 times where nobody says; `EXTLINE_SOAK_RELOADS=1000` does it as often as that. Alone in its process, so that what
//! is counted is this host's.
#![cfg(target_os = "linux")]
#![expect(clippy::print_stdout, reason = "what was counted, shown with --nocapture or a failure")]

#[allow(dead_code, reason = "the other tests use the rest")]
#[path = "../extensions/support.rs"]
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs};

use extline_host::sandbox_support;
use serde_json::json;

use crate::support::{Home, LONG, end, text};

/// What is kept may grow by this share of what was taken after the first ones, beside a MiB of the allocator.
const SHARE: f64 = 0.1;
/// Two files of a log of a MiB each, and the line in each that goes over.
const MOST_OF_LOGS: u64 = 2 * 1024 * 1024 + 16 * 1024;

/// Writes to its log and keeps a file in its data folder. Each tenth leaves another program running, for whose end is
/// waited a little.
const PROGRAM: &str = r#"
printf '%4000s\n' "$1" >&2
case $1 in *0) sleep 1000 <&- >&- 2>&- & ;; esac
echo '{"type":"hello","name":"versioned","version":"'"$1"'","capabilities":["tools"]}'
while IFS= read -r line; do
    id=${line#*'"id":"'} id=${id%%'"'*}
    case $line in
    *'"type":"hello_ack"'*)
        data=${line#*'"data_dir":"'} data=${data%%'"'*}
        echo "$1" >"$data/version"
        echo '{"type":"register_tool","name":"say","description":"'"$1"'","schema":{"type":"object"}}'
        echo '{"type":"ready"}'
        ;;
    *'"type":"tool_call"'*) echo '{"type":"tool_result","id":"'"$id"'","content":[{"type":"text","text":"'"$1"'"}]}' ;;
    *'"type":"shutdown"'*) exit ;;
    esac
done
"#;

/// What this process has.
#[derive(Debug, PartialEq, Eq)]
struct Taken {
    /// Names of the processes below it, also of those that have ended and that nobody has waited for.
    processes: Vec<String>,
    threads: usize,
    descriptors: usize,
}

impl Taken {
    /// Once it stays as it is: what ends in the background has time for that.
    async fn settled() -> Self {
        let (began, mut last, mut times) = (Instant::now(), Self::now(), 0);
        while times < 10 {
            assert!(began.elapsed() < LONG, "it does not come to rest: {last:?}");
            tokio::time::sleep(Duration::from_millis(30)).await;
            let now = Self::now();
            times = if now == last { times + 1 } else { 0 };
            last = now;
        }
        last
    }

    /// Waits until there is no more than this.
    async fn is_left(&self) {
        let began = Instant::now();
        loop {
            let now = Self::now();
            let is_more = now.threads > self.threads || now.descriptors > self.descriptors;
            if now.processes == self.processes && !is_more {
                return;
            }
            assert!(began.elapsed() < LONG, "{self:?} has become {now:?}");
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }

    fn now() -> Self {
        let count = |folder: &str| fs::read_dir(folder).unwrap().count();
        let (threads, descriptors) = (count("/proc/self/task"), count("/proc/self/fd"));
        Self { processes: descendants(), threads, descriptors }
    }
}

/// The processes below this one, each with its state.
fn descendants() -> Vec<String> {
    let mut children = BTreeMap::<u32, Vec<(u32, String)>>::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(id) = entry.file_name().to_string_lossy().parse() else { continue };
        // `pid (name) state parent ...`; the name may hold anything.
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let Some((name, fields)) = stat.rsplit_once(')') else { continue };
        let fields: Vec<_> = fields.split_whitespace().collect();
        let name = name.split_once('(').unwrap().1;
        let is_zombie = if fields[0] == "Z" { " (zombie)" } else { "" };
        let parent = fields[1].parse().unwrap();
        children.entry(parent).or_default().push((id, format!("{name}{is_zombie}")));
    }
    let (mut found, mut looked) = (Vec::new(), vec![std::process::id()]);
    while let Some(parent) = looked.pop() {
        for (id, name) in children.remove(&parent).into_iter().flatten() {
            looked.push(id);
            found.push(name);
        }
    }
    found.sort();
    found
}

/// Bytes of this process that are in memory.
fn resident() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() * 1024.0
}

/// All files below a folder, and the bytes of them.
fn files(folder: &Path) -> (BTreeSet<String>, u64) {
    let (mut names, mut bytes) = (BTreeSet::new(), 0);
    let mut looked = vec![folder.to_owned()];
    while let Some(folder) = looked.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let metadata = entry.metadata().unwrap();
            if metadata.is_dir() {
                looked.push(entry.path());
            } else {
                names.insert(entry.path().display().to_string());
                bytes += metadata.len();
            }
        }
    }
    (names, bytes)
}

#[test]
fn reloads_leave_nothing_behind() {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    // Its threads that have nothing to do would be counted for ten seconds more.
    runtime.enable_all().thread_keep_alive(Duration::from_millis(10));
    runtime.build().unwrap().block_on(reload_again_and_again());
}

async fn reload_again_and_again() {
    let wanted = env::var("EXTLINE_SOAK_RELOADS").map_or(200, |text| text.parse().unwrap());
    let home = Home::new();
    let dir = home.folder("versioned");
    fs::write(dir.join("versioned.sh"), PROGRAM).unwrap();
    // In a sandbox, a thread watches over each process.
    let permissions = if sandbox_support().seccomp { json!({"net": false}) } else { json!({}) };
    let becomes = |version: &str| {
        let manifest = json!({"name": "versioned", "version": "1.0.0", "exec": "sh",
                              "args": ["versioned.sh", version], "permissions": permissions});
        fs::write(dir.join("extension.json"), manifest.to_string()).unwrap();
    };
    becomes("first");
    let host = home.builder().folder(&dir).start().await;
    let mut before = None;
    let began = Instant::now();
    for round in 0..wanted {
        let version = format!("v{round}");
        becomes(&version);
        host.reload("versioned").await.unwrap();
        assert_eq!(text(&host.call("say", "{}").await.unwrap()), version);
        if round == 9 {
            before = Some((Taken::settled().await, resident(), files(home.path())));
        }
    }
    let took = began.elapsed();
    let (taken, memory, (names, bytes)) = before.expect("there are more than ten");
    taken.is_left().await;
    let (now, (names_now, bytes_now)) = (resident(), files(home.path()));
    println!("{wanted} reloads in {took:.1?}: {:?}, {taken:?} after ten", Taken::now());
    println!(
        "resident: {memory} bytes after ten, {now} now; files: {bytes} bytes, {bytes_now} now"
    );
    assert!(!taken.processes.iter().any(|name| name.contains("zombie")), "{taken:?}");
    assert!(now < memory * (1.0 + SHARE) + f64::from(1 << 20), "{memory} bytes have become {now}");
    // The log has an older part by now.
    let new: Vec<_> = names_now.difference(&names).collect();
    assert!(new.iter().all(|name| name.ends_with(".1")) && new.len() <= 1, "{new:?}");
    assert!(bytes_now <= MOST_OF_LOGS, "{bytes_now} bytes");
    end(host).await;
}

//! A host that is killed with SIGKILL, at several points: nothing of its extensions survives, and
//! neither does its watchdog. The host is this test program, started once more.

use std::fs;
use std::io::{Read, Seek, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use extline_host::{ExtensionSource, Host};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::processes::{self, Process};
use crate::support::{Home, LONG, behave, end, misbehave, pids};

const STAGE: &str = "EXTLINE_TEST_STAGE";

/// Not a test of its own: the host that the others kill.
#[tokio::test]
#[ignore = "the tests beside it start it"]
async fn a_host_that_is_to_be_killed() {
    let Ok(stage) = std::env::var(STAGE) else { return };
    let home = Home::new();
    let builder = |switches: &[&str]| {
        let all = ["stubborn", "leaves-stray"].iter().chain(switches).copied().collect::<Vec<_>>();
        home.builder().extension(behave(&[])).extension(misbehave(&all))
    };
    match &*stage {
        "hello" => drop(builder(&["hang-before-hello"]).start().await),
        "ready" => drop(builder(&["hang-before-ready"]).start().await),
        "use" => {
            let _host = builder(&[]).start().await;
            tokio::time::sleep(LONG).await;
        }
        "call" => drop(builder(&[]).start().await.call("hang", "{}").await),
        "shutdown" => drop(builder(&[]).start().await.shutdown().await),
        other => panic!("there is no stage {other}"),
    }
}

/// A host that runs with all four processes of its extensions: a good one, one that ignores
/// everything, its child, and another child that left the group. In a shutdown the good one is gone.
struct Victim {
    host: Child,
    extensions: Vec<Process>,
    watchdog: Process,
}

impl Victim {
    fn start(stage: &str) -> Self {
        let began = Instant::now();
        loop {
            if let Some(victim) = Self::catch(stage, began) {
                return victim;
            }
            // A shutdown is over within two seconds, in which a busy machine may have no look at it.
            assert_eq!(stage, "shutdown", "the host has ended by itself");
        }
    }

    /// Starts a host, and waits for the stage; nothing, if the host has ended before it was seen there.
    fn catch(stage: &str, began: Instant) -> Option<Self> {
        let mut host = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "--ignored", "killed_host::a_host_that_is_to_be_killed"])
            .env(STAGE, stage)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let is_good = |it: &Process| it.arguments.iter().any(|word| word.ends_with("/behave.py"));
        while host.try_wait().unwrap().is_none() {
            let watchdog = processes::children(host.id()).into_iter().find(Process::is_watchdog);
            let extensions = processes::marked(host.id());
            // The last process that each of them starts tells that all before it are there.
            let is_there = match stage {
                "shutdown" => extensions.len() == 3 && !extensions.iter().any(is_good),
                _ => extensions.len() >= 4,
            };
            if let (Some(watchdog), true) = (watchdog, is_there) {
                return Some(Self { host, extensions, watchdog });
            }
            assert!(began.elapsed() < LONG, "only {extensions:?} run");
            std::thread::sleep(Duration::from_millis(10));
        }
        None
    }

    fn signal(&self, signal: Signal) {
        kill_process(pid(self.host.id()), signal).unwrap();
    }

    /// Kills the host, and waits until nothing is left.
    fn kill(mut self) {
        self.signal(Signal::KILL);
        self.host.wait().unwrap();
        let killed = Instant::now();
        while self.extensions.iter().chain([&self.watchdog]).any(Process::runs) {
            let left: Vec<_> = self.extensions.iter().filter(|it| it.runs()).collect();
            assert!(killed.elapsed() < LONG, "still running: {left:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn pid(id: u32) -> Pid {
    Pid::from_raw(i32::try_from(id).unwrap()).unwrap()
}

fn kill_at(stage: &str) {
    // 1.3 s where nothing else runs; a test must bear a machine that is busy.
    Victim::start(stage).kill();
}

#[test]
fn before_hello() {
    kill_at("hello");
}

#[test]
fn between_hello_and_ready() {
    kill_at("ready");
}

#[test]
fn while_nothing_is_asked() {
    kill_at("use");
}

#[test]
fn in_a_call() {
    kill_at("call");
}

#[test]
fn in_the_shutdown() {
    kill_at("shutdown");
}

#[test]
fn together_with_its_process_group_as_a_shell_s_kill_does() {
    let victim = Victim::start("use");
    // The watchdog is in no group of the host's, and Ctrl-C in a terminal reaches groups only.
    assert_ne!(victim.watchdog.group, processes::of(victim.host.id()).unwrap().group);
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        kill_process_group(pid(victim.watchdog.group), signal).unwrap();
    }
    std::thread::sleep(Duration::from_millis(200));
    assert!(victim.watchdog.runs());
    victim.kill();
}

#[test]
fn a_stopped_extension_and_a_host_that_is_killed() {
    let victim = Victim::start("use");
    for extension in &victim.extensions {
        kill_process(pid(extension.id), Signal::STOP).unwrap();
    }
    victim.kill();
}

/// `/bin/sh` is another program on every system.
#[test]
fn the_watchdog_works_in_every_shell() {
    let script = include_str!("../../src/process/unix/watchdog.sh");
    let shells = [&["dash"][..], &["bash", "--posix"], &["busybox", "sh"], &["ksh"], &["sh"]];
    let is_there = |shell: &&&[&str]| {
        Command::new(shell[0]).args(&shell[1..]).args(["-c", ":"]).output().is_ok()
    };
    for shell in shells.iter().filter(is_there) {
        // A group that takes no SIGTERM, and one that the host has seen the end of.
        let (mut stubborn, mut other) = (ignores_sigterm(), ignores_sigterm());
        let mut groups = tempfile::tempfile().unwrap();
        writeln!(groups, "{:10}\n{:10}", "", stubborn.id()).unwrap();
        groups.rewind().unwrap();
        let mut watchdog = Command::new(shell[0])
            .args(&shell[1..])
            .args(["-c", script, "extline-watchdog", "no mark"])
            .stdin(Stdio::piped())
            .stdout(groups)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(watchdog.stdin.take());
        let status = wait_at_most(LONG, &mut watchdog);
        let mut errors = String::new();
        watchdog.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert!(status.success() && errors.is_empty(), "{shell:?}: {status}, {errors}");
        assert_eq!(wait_at_most(LONG, &mut stubborn).signal(), Some(9), "{shell:?}");
        assert_eq!(other.try_wait().unwrap(), None, "{shell:?}");
        other.kill().unwrap();
        other.wait().unwrap();
    }
}

/// Waits for the end of a process, and kills one that does not come to it.
fn wait_at_most(time: Duration, process: &mut Child) -> ExitStatus {
    let began = Instant::now();
    loop {
        if let Some(status) = process.try_wait().unwrap() {
            return status;
        }
        if began.elapsed() > time {
            process.kill().unwrap();
            process.wait().unwrap();
            panic!("process {} has not ended within {time:?}", process.id());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The leader of a process group.
fn ignores_sigterm() -> Child {
    let mut process = Command::new("sh")
        .args(["-c", "trap '' TERM; echo; exec sleep 3600"])
        .process_group(0)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    process.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
    process
}

#[tokio::test]
async fn a_watchdog_holds_nothing_of_the_host_s_and_ends_with_it() {
    let home = Home::new();
    let host = home.builder().extension(behave(&[])).start().await;
    let ours = |process: &Process| process.is_watchdog() && mark_of(&host) == mark_in(process);
    let watchdog = processes::children(std::process::id()).into_iter().find(ours).unwrap();
    let descriptor = |number: u32| fs::read_link(format!("/proc/{}/fd/{number}", watchdog.id));
    let pipe = descriptor(0).unwrap();
    assert!(pipe.to_str().unwrap().starts_with("pipe:"), "{pipe:?}");
    assert_eq!(descriptor(2).unwrap(), Path::new("/dev/null"));
    let groups = fs::read_to_string(format!("/proc/{}/fd/1", watchdog.id)).unwrap();
    let extension = host.extensions()[0].pid.unwrap();
    assert_eq!(groups.split_whitespace().collect::<Vec<_>>(), [extension.to_string()]);
    // Shells close no further ones; those were the host's already, and not its own.
    let open: Vec<_> = (3..10).filter_map(|number| descriptor(number).ok()).collect();
    assert!(open.is_empty(), "{open:?}");
    // If another process held the other end, the end of the host would not show. One that is just
    // being started does, for a moment.
    let began = Instant::now();
    let both = [std::process::id(), watchdog.id].into_iter().collect();
    while processes::holders(&pipe) != both {
        assert!(began.elapsed() < LONG, "{:?}", processes::holders(&pipe));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    end(host).await;
    assert!(!watchdog.runs());
}

#[tokio::test]
async fn a_host_that_is_dropped_leaves_no_watchdog_either() {
    let home = Home::new();
    let host = home.builder().extension(misbehave(&["stubborn"])).start().await;
    let ids = pids(&host).await;
    let ours = |process: &Process| process.is_watchdog() && mark_of(&host) == mark_in(process);
    let watchdog = processes::children(std::process::id()).into_iter().find(ours).unwrap();
    drop(host);
    let gone = async {
        while watchdog.runs() || ids.iter().any(|id| crate::support::runs(*id)) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(LONG, gone).await.unwrap();
}

#[tokio::test]
async fn what_left_the_group_is_ended_at_the_shutdown_and_counted() {
    let home = Home::new();
    let sources: [ExtensionSource; 2] = [misbehave(&["leaves-stray"]), behave(&[])];
    let host = sources.into_iter().fold(home.builder(), extline_host::HostBuilder::extension);
    let host = host.start().await;
    let ids = pids(&host).await;
    let stray = processes::of(ids[1]).unwrap();
    assert_ne!(stray.group, ids[0], "it did not leave the group");
    let endings = host.shutdown().await;
    assert_eq!((endings[0].left_behind, endings[0].gone), (1, true), "{}", endings[0]);
    assert_eq!((endings[1].left_behind, endings[1].gone), (0, true), "{}", endings[1]);
    assert!(!stray.runs());
}

/// The mark that the extensions of a host carry, up to the slash.
fn mark_of(host: &Host) -> String {
    processes::mark_of_host(host.extensions()[0].pid.unwrap())
}

/// The mark that a watchdog was given.
fn mark_in(watchdog: &Process) -> String {
    watchdog.arguments.last().unwrap().clone()
}

//! What a call costs in system calls: one read and one write, and one look at the descriptors while
//! the event loop has more to do.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::host::{ACK, Host, probe};

const CALLS: u32 = 1_000;
/// How often the stand-in looks; each time the event loop has a turn, which costs some system calls.
const LOOK: Duration = Duration::from_millis(25);
const CALLS_OF_A_LOOK: u32 = 8;

/// The most system calls of a kind that the calls may have cost, when that kind is needed so often
/// for each.
fn bound(of_each: u32, begun: Instant) -> u64 {
    let looks = begun.elapsed().as_millis() / LOOK.as_millis() + 2;
    u64::from(of_each * CALLS) + u64::from(CALLS_OF_A_LOOK) * u64::try_from(looks).unwrap()
}

/// A number that the kernel keeps of a process.
fn kept(host: &Host, file: &str, name: &str) -> u64 {
    let numbers = fs::read_to_string(format!("/proc/{}/{file}", host.id())).unwrap();
    let line = numbers.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.unwrap_or_else(|| panic!("no {name} in {file}")).trim().parse().unwrap()
}

/// Of all threads: reads, writes; of the serving thread: how often it waited.
fn costs(host: &Host) -> [u64; 3] {
    let waits = kept(host, "status", "voluntary_ctxt_switches");
    [kept(host, "io", "syscr"), kept(host, "io", "syscw"), waits]
}

/// Has another handler wait meanwhile, which needs the event loop.
fn busy(host: &mut Host) {
    host.call("wait", "wait", "{}");
    assert_eq!(host.frame()["message"], "waiting");
}

#[test]
fn a_call_is_one_read_one_write_and_one_wait() {
    for is_busy in [false, true] {
        let mut host = Host::probe();
        if is_busy {
            busy(&mut host);
        }
        host.call_echo(10);
        let (before, begun) = (costs(&host), Instant::now());
        host.call_echo(CALLS);
        let (after, most) = (costs(&host), bound(1, begun));
        for ((kind, before), after) in ["reads", "writes", "waits"].iter().zip(before).zip(after) {
            let cost = after - before;
            assert!(cost <= most, "{CALLS} calls cost {cost} {kind}, at most {most}");
        }
    }
}

/// A host may start a hundred extensions, and most of them are not called for long.
#[test]
fn an_extension_has_one_thread_until_it_is_called() {
    let mut host = Host::probe();
    // For a thread that would be started as soon as there is nothing else to do.
    thread::sleep(Duration::from_millis(100));
    assert_eq!(kept(&host, "status", "Threads"), 1);
    host.call_echo(1);
    assert_eq!(kept(&host, "status", "Threads"), 2);
}

/// The kernel does not count a look at the descriptors that does not wait, as when the serving loop
/// wakes itself; strace does.
#[test]
fn a_call_is_no_other_system_call() {
    if Command::new("strace").args(["-o", "/dev/null", "true"]).status().is_err() {
        // Past the test runner, which shows only what failing tests print.
        let skipped = "skipped: without strace, the system calls of a call are not all counted\n";
        return io::stderr().write_all(skipped.as_bytes()).unwrap();
    }
    for (is_busy, of_each) in [(false, 2), (true, 3)] {
        let trace = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("calls-of-{of_each}"));
        let mut strace = Command::new("strace");
        strace.args(["-e", "signal=none", "-o"]).arg(&trace).arg(probe());
        let mut host = Host::start(&mut strace).accepted(ACK);
        if is_busy {
            busy(&mut host);
        }
        let begun = Instant::now();
        host.call_echo(CALLS);
        let most = bound(of_each, begun);
        assert!(host.close().status.success());
        let calls = fs::read_to_string(&trace).unwrap();
        let is_answer = |line: &&str| line.contains("tool_result");
        let behind_first: Vec<_> = calls.lines().skip_while(|line| !is_answer(line)).collect();
        let cost = behind_first.iter().rposition(is_answer).unwrap() as u64;
        assert!(cost <= most, "{CALLS} calls cost {cost} system calls, at most {most}");
    }
}

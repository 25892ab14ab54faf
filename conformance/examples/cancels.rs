//! Plays a host that cancels what it calls as soon as it can, to find the cancels that get lost
//! (`cancel.early`): `cancels COMMAND [ARG...]`, where COMMAND is a kit (docs/tester/kits.md).
//!
//! A call and its cancel are written at once, in two writes cut at every byte, among other calls, one
//! by one and in floods; each call waits for its cancel, and is lost when it has no answer in time or
//! says that it saw none. The last calls of each process are cancelled by `shutdown` alone.
//!
//! `EXTLINE_SOAK_SECONDS` says for how long (2), `EXTLINE_SOAK_SEED` what is done (the time says it).
//! It says what it did in one line, with the seed, and ends with 1 where a cancel was lost.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program")]

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::str::FromStr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;

/// A call without an answer for so long is lost.
const PATIENCE: Duration = Duration::from_secs(10);
/// What `busy` computes if nobody cancels it, in milliseconds; less than the patience.
const BUSY: u64 = 5_000;
/// Calls under way in a flood.
const FLOOD: usize = 512;
/// So long a process lives.
const LIFE: Duration = Duration::from_secs(20);
/// So long an extension may take to end (`end.in-time`), and a busy machine to notice.
const END: Duration = Duration::from_secs(4);

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let Some((program, args)) = words.split_first() else {
        eprintln!("usage: cancels COMMAND [ARG...], with the command of a kit");
        return ExitCode::from(2);
    };
    let seconds = from_environment("EXTLINE_SOAK_SECONDS").unwrap_or(2);
    let seed = from_environment("EXTLINE_SOAK_SEED").unwrap_or_else(seed_of_the_time);
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut random = fastrand::Rng::with_seed(seed);
    let mut told = Told::default();
    while Instant::now() < until {
        let mut command = Command::new(program);
        command.args(args);
        if let Err(problem) = play(command, &mut random, until, &mut told) {
            println!("{told}; then {problem} (EXTLINE_SOAK_SEED={seed}): {}", words.join(" "));
            return ExitCode::FAILURE;
        }
    }
    println!("{told} (EXTLINE_SOAK_SEED={seed}): {}", words.join(" "));
    if told.lost == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn from_environment(name: &str) -> Option<u64> {
    let text = env::var(name).ok().filter(|text| !text.is_empty())?;
    Some(
        u64::from_str(&text)
            .unwrap_or_else(|_| panic!("{name} is {text:?}, and is to be a number")),
    )
}

fn seed_of_the_time() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(1, |since| since.as_secs() ^ u64::from(since.subsec_nanos()))
}

/// What came of it.
#[derive(Debug, Default)]
struct Told {
    cancelled: u64,
    others: u64,
    by_shutdown: u64,
    lost: u64,
    processes: u64,
}

impl std::fmt::Display for Told {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { cancelled, others, by_shutdown, lost, processes } = self;
        write!(
            formatter,
            "{cancelled} calls were cancelled, {by_shutdown} more by shutdown, beside {others} others, in \
             {processes} processes: {lost} cancels were lost"
        )
    }
}

/// One process from hello to its end.
fn play(
    mut command: Command,
    random: &mut fastrand::Rng,
    until: Instant,
    told: &mut Told,
) -> Result<(), String> {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(|error| {
            format!("cannot start {}: {error}", command.get_program().display())
        })?;
    told.processes += 1;
    let stdin = child.stdin.take().ok_or("it has no stdin")?;
    let stdout = child.stdout.take().ok_or("it has no stdout")?;
    let (sender, frames) = channel();
    thread::spawn(move || read(stdout, &sender));
    let mut host =
        Host { stdin, frames, open: BTreeMap::new(), given_up: BTreeSet::new(), last: 0, told };
    let played = host.play(random, until.min(Instant::now() + LIFE));
    let ended = wait(&mut child);
    played.and(ended)
}

fn wait(child: &mut Child) -> Result<(), String> {
    let until = Instant::now() + END;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(format!("the extension ended with {status}")),
            _ if Instant::now() < until => thread::sleep(Duration::from_millis(2)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("the extension had not ended {END:?} after shutdown"));
            }
        }
    }
}

/// What an extension says.
#[derive(Debug)]
enum Frame {
    Hello,
    Ready,
    /// Of a call, and whether it was cancelled.
    Result(u64, bool),
}

/// Many frames a message, so that the host is not what takes the time.
fn read(stdout: impl Read, sender: &Sender<Vec<Frame>>) {
    let mut stdout = BufReader::with_capacity(64 * 1024, stdout);
    let (mut line, mut frames) = (Vec::new(), Vec::new());
    while stdout.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        frames.extend(frame(&line));
        line.clear();
        if !stdout.buffer().contains(&b'\n')
            && !frames.is_empty()
            && sender.send(std::mem::take(&mut frames)).is_err()
        {
            return;
        }
    }
}

fn frame(line: &[u8]) -> Option<Frame> {
    let text = std::str::from_utf8(line).ok()?;
    let is_cancelled = || text.contains("cancelled") && !text.contains("cancelled: false");
    // As the SDKs write it.
    if let Some(rest) = text.strip_prefix("{\"type\":\"tool_result\",\"id\":\"") {
        return Some(Frame::Result(rest.split('"').next()?.parse().ok()?, is_cancelled()));
    }
    let frame: Value = serde_json::from_str(text).ok()?;
    match frame["type"].as_str()? {
        "hello" => Some(Frame::Hello),
        "ready" => Some(Frame::Ready),
        "tool_result" => Some(Frame::Result(frame["id"].as_str()?.parse().ok()?, is_cancelled())),
        _ => None,
    }
}

/// A call under way.
#[derive(Debug)]
struct Open {
    since: Instant,
    /// The answer is to say so.
    is_cancelled: bool,
}

struct Host<'t> {
    stdin: ChildStdin,
    frames: Receiver<Vec<Frame>>,
    open: BTreeMap<u64, Open>,
    given_up: BTreeSet<u64>,
    last: u64,
    told: &'t mut Told,
}

impl Host<'_> {
    fn play(&mut self, random: &mut fastrand::Rng, until: Instant) -> Result<(), String> {
        self.greet()?;
        let mut boundary = 0;
        while Instant::now() < until {
            match random.u32(..64) {
                0 => self.compute(random)?,
                1..24 => {
                    self.settle(0)?;
                    let (call, cancel) = (self.call("await_cancel", "{}", true), self.cancel());
                    boundary += 1;
                    self.write_cut(&(call + &cancel), boundary, random)?;
                }
                _ => {
                    self.settle(FLOOD)?;
                    let round = self.round(random);
                    boundary = random.usize(..round.len());
                    self.write_cut(&round, boundary, random)?;
                }
            }
        }
        self.settle(0)?;
        self.end(random)
    }

    fn greet(&mut self) -> Result<(), String> {
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let frames = self.frames.recv_timeout(left).map_err(|_| "it never became ready")?;
            for frame in frames {
                match frame {
                    Frame::Hello => {
                        self.write(b"{\"type\":\"hello_ack\",\"protocol_version\":1}\n")?;
                    }
                    Frame::Ready => return Ok(()),
                    Frame::Result(..) => {}
                }
            }
        }
    }

    /// One that computes meanwhile, so that somebody else has to see its cancel.
    fn compute(&mut self, random: &mut fastrand::Rng) -> Result<(), String> {
        self.settle(0)?;
        let call = self.call("busy", &format!("{{\"ms\":{BUSY}}}"), true);
        let (text, cut) = (call + &self.cancel(), random.usize(..256));
        self.write_cut(&text, cut, random)
    }

    /// Some calls, each with its cancel right behind it, or behind them all, or somewhere in between.
    fn round(&mut self, random: &mut fastrand::Rng) -> String {
        let behind = random.usize(..4);
        let mut waiting = Vec::new();
        let mut round = String::new();
        for _ in 0..random.usize(1..48) {
            if random.u32(..16) == 0 {
                round += &self.call("echo", "{\"among\":\"others\"}", false);
            }
            round += &self.call("await_cancel", "{}", true);
            waiting.push(self.cancel());
            while waiting.len() > behind * 8 {
                round += &waiting.swap_remove(random.usize(..waiting.len()));
            }
        }
        random.shuffle(&mut waiting);
        round.extend(waiting);
        round
    }

    fn call(&mut self, tool: &str, args: &str, is_cancelled: bool) -> String {
        self.last += 1;
        self.open.insert(self.last, Open { since: Instant::now(), is_cancelled });
        let id = self.last;
        format!("{{\"type\":\"tool_call\",\"id\":\"{id}\",\"name\":\"{tool}\",\"args\":{args}}}\n")
    }

    /// Of the last call.
    fn cancel(&self) -> String {
        format!("{{\"type\":\"tool_cancel\",\"id\":\"{}\"}}\n", self.last)
    }

    /// In two writes, with as much time in between as the extension may need to be anywhere.
    fn write_cut(
        &mut self,
        text: &str,
        at: usize,
        random: &mut fastrand::Rng,
    ) -> Result<(), String> {
        let (first, second) = text.as_bytes().split_at(at % text.len());
        if !first.is_empty() {
            self.write(first)?;
            pause(random);
        }
        self.write(second)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.stdin.write_all(bytes).map_err(|error| format!("the extension reads no more: {error}"))
    }

    /// Until at most so many calls are under way.
    fn settle(&mut self, most: usize) -> Result<(), String> {
        loop {
            match self.frames.recv_timeout(if self.open.len() > most {
                PATIENCE / 20
            } else {
                Duration::ZERO
            }) {
                Ok(frames) => self.take(frames)?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err("the extension has ended".to_owned());
                }
                Err(RecvTimeoutError::Timeout) if self.open.len() <= most => return Ok(()),
                Err(RecvTimeoutError::Timeout) => self.lose(PATIENCE),
            }
        }
    }

    fn take(&mut self, frames: Vec<Frame>) -> Result<(), String> {
        for frame in frames {
            let Frame::Result(id, was_cancelled) = frame else { continue };
            let Some(Open { is_cancelled, .. }) = self.open.remove(&id) else {
                // One that is lost may be answered later.
                if self.given_up.remove(&id) {
                    continue;
                }
                return Err(format!("the call {id} was answered twice"));
            };
            self.told.cancelled += u64::from(is_cancelled);
            self.told.others += u64::from(!is_cancelled);
            self.told.lost += u64::from(is_cancelled && !was_cancelled);
        }
        Ok(())
    }

    /// Gives up what has had its time.
    fn lose(&mut self, time: Duration) {
        let lost = self.open.iter().filter(|(_, open)| open.since.elapsed() >= time);
        let lost: Vec<u64> = lost.map(|(id, _)| *id).collect();
        for id in lost {
            self.open.remove(&id);
            self.given_up.insert(id);
            self.told.lost += 1;
        }
    }

    /// What runs when the shutdown comes, or is still to begin, is cancelled by that.
    fn end(&mut self, random: &mut fastrand::Rng) -> Result<(), String> {
        let calls: String =
            (0..random.usize(1..8)).map(|_| self.call("await_cancel", "{}", true)).collect();
        let before = self.told.cancelled;
        let cut = random.usize(..calls.len() + 8);
        self.write_cut(&(calls + "{\"type\":\"shutdown\"}\n"), cut, random)?;
        let until = Instant::now() + END;
        while !self.open.is_empty() {
            let left = until.saturating_duration_since(Instant::now());
            match self.frames.recv_timeout(left) {
                Ok(frames) => self.take(frames)?,
                Err(_) => break,
            }
        }
        self.lose(Duration::ZERO);
        let ended = std::mem::replace(&mut self.told.cancelled, before) - before;
        self.told.by_shutdown += ended;
        Ok(())
    }
}

fn pause(random: &mut fastrand::Rng) {
    match random.u32(..64) {
        0 => thread::sleep(Duration::from_millis(2)),
        1..24 => {}
        _ => {
            let until = Instant::now() + Duration::from_micros(random.u64(..200));
            while Instant::now() < until {
                std::hint::spin_loop();
            }
        }
    }
}

//! What extensions do in a case, and what must come to them.

use std::time::{Duration, Instant};

use extline_scenario::Signal;
use rustix::process::Signal as SystemSignal;
use serde_json::{Value, json};

use super::pattern::is_like;
use super::play::{Limits, Play, Stop, wrong};
use super::stage::pages_of;
use crate::case::Pipe;
use crate::case::host::Action;
use crate::case::host::Extension;
use crate::conversation::Era;

/// The time for the start of a process.
const START: Duration = Duration::from_secs(10);

/// The extension says hello, registers, says ready, and waits for the answer to its hello.
pub(super) fn handshake(play: &mut Play<'_>, extension: &Extension) -> Result<(), Stop> {
    let at = play.script.extensions.iter().position(|one| one.name == extension.name);
    let at = at.unwrap_or_default();
    connected(play, at)?;
    if play.script.is_for_clients() {
        return greet(play, extension, at);
    }
    let name = &extension.name;
    let mut hello = json!({
        "type": "hello", "name": name, "version": "1.0.0", "capabilities": extension.capabilities,
    });
    if !extension.methods.is_empty() {
        hello["methods"] = json!(extension.methods);
    }
    // In one write with hello: some hosts take a pause for the end of all registrations.
    let lines = extension.offers.iter().map(|offer| line_of(offer));
    let lines: String = lines.map(|line| line + "\n").collect();
    let lines = format!("{hello}\n{lines}{{\"type\":\"ready\"}}\n");
    write(play, at, lines.into_bytes(), usize::MAX, Duration::ZERO)?;
    frame(play, at, r#"{"type":"hello_ack"}"#, "ack", &Limits::of(None, 0, play.soft))?;
    serves(play, at)
}

/// Answers a client of MCP until it is initialized.
fn greet(play: &mut Play<'_>, server: &Extension, at: usize) -> Result<(), Stop> {
    if !play.stage.by_command {
        // A client that only looks would end with the answer to its list, and before the case does.
        play.stage.puppets[at].pages = pages_of(server);
    }
    let limits = Limits::of(None, 0, play.soft);
    loop {
        let message = arrived(play, at, &json!({"method": "~"}), &limits)?;
        let answer = match message["method"].as_str() {
            Some("initialize") => initialized(),
            Some("notifications/initialized") => return Ok(()),
            // Its puppet answers those.
            _ => continue,
        };
        let line = json!({"jsonrpc": "2.0", "id": message["id"], "result": answer});
        write(play, at, format!("{line}\n").into_bytes(), usize::MAX, Duration::ZERO)?;
    }
}

/// What a server says of itself.
fn initialized() -> Value {
    json!({
        "protocolVersion": Era::Initialize.revision(),
        "capabilities": {"tools": {"listChanged": true}},
        "serverInfo": {"name": "puppet", "version": "1.0.0"},
    })
}

/// That the host names in its `hello_ack` what the case needs.
fn serves(play: &Play<'_>, at: usize) -> Result<(), Stop> {
    let puppet = &play.stage.puppets[at];
    let ack = puppet.arrived[..puppet.cursor].last().and_then(|it| it.frame.as_ref().ok());
    let lists = ["capabilities", "methods"];
    let named = lists.iter().filter_map(|list| ack.and_then(|ack| ack[list].as_array()));
    let named: Vec<_> = named.flatten().collect();
    let is_named = |need: &String| named.iter().any(|it| *it == need);
    match play.script.needs.iter().find(|need| !is_named(need)) {
        None => Ok(()),
        Some(need) => Err(Stop::Unsupported(format!("its hello_ack does not name {need}"))),
    }
}

/// What `tool NAME` and `command NAME` are short for.
fn line_of(offer: &str) -> String {
    let description = "what a test offers";
    let frame = match offer.split_once(' ') {
        Some(("tool", name)) => json!({
            "type": "register_tool", "name": name, "description": description,
            "schema": {"type": "object"},
        }),
        Some(("command", name)) => {
            json!({"type": "register_command", "name": name, "description": description})
        }
        _ => return offer.to_owned(),
    };
    frame.to_string()
}

/// Waits until the extension was started.
fn connected(play: &mut Play<'_>, at: usize) -> Result<(), Stop> {
    let name = play.extension(at).name.clone();
    let expected = || format!("a start of {name}");
    play.wait(START, expected, |play| (play.stage.puppets[at].starts() > 0).then_some(()))
}

pub(super) fn write(
    play: &mut Play<'_>,
    at: usize,
    bytes: Vec<u8>,
    chunk: usize,
    pause: Duration,
) -> Result<(), Stop> {
    connected(play, at)?;
    let stage = &mut *play.stage;
    stage.puppets[at].write(bytes, chunk, pause, &mut stage.log);
    Ok(())
}

/// Waits for a frame like this one.
pub(super) fn frame(
    play: &mut Play<'_>,
    at: usize,
    like: &str,
    name: &str,
    limits: &Limits,
) -> Result<(), Stop> {
    let wanted = pattern(&play.named(like));
    let found = arrived(play, at, &wanted, limits)?;
    name_id(play, name, &found);
    Ok(())
}

/// The next frame like this one.
fn arrived(play: &mut Play<'_>, at: usize, wanted: &Value, limits: &Limits) -> Result<Value, Stop> {
    let who = play.extension(at).name.clone();
    let expected = || format!("{wanted}, written to {who}");
    play.wait(limits.within, expected, |play| {
        let puppet = &mut play.stage.puppets[at];
        while let Some(arrived) = puppet.arrived.get(puppet.cursor) {
            puppet.cursor += 1;
            if let Some(frame) = arrived.frame.as_ref().ok().filter(|it| is_like(it, wanted)) {
                return Some(frame.clone());
            }
        }
        None
    })
}

/// Gives the id of a frame a name: what stands between its quotes, and of MCP, where it may be a number, with them.
fn name_id(play: &mut Play<'_>, name: &str, frame: &Value) {
    if play.script.is_for_clients() {
        let ids = [&frame["id"], &frame["params"]["requestId"]];
        if let Some(id) = ids.into_iter().find(|id| !id.is_null()) {
            play.name(name, id.to_string());
        }
    } else if let Some(id) = frame["id"].as_str() {
        let quoted = Value::from(id).to_string();
        play.name(name, quoted[1..quoted.len() - 1].to_owned());
    }
}

/// Waits for the next frame, which is like this one.
pub(super) fn next(
    play: &mut Play<'_>,
    at: usize,
    like: &str,
    name: &str,
    limits: &Limits,
) -> Result<(), Stop> {
    let wanted = pattern(&play.named(like));
    let who = play.extension(at).name.clone();
    let expected = || format!("{wanted}, written to {who} next");
    let frame = play.wait(limits.within, expected, |play| {
        let puppet = &mut play.stage.puppets[at];
        let arrived = puppet.arrived.get(puppet.cursor)?;
        puppet.cursor += 1;
        Some(arrived.frame.clone().unwrap_or(Value::Null))
    })?;
    if !is_like(&frame, &wanted) {
        return Err(wrong(format!("{wanted} as the next frame"), frame.to_string()));
    }
    name_id(play, name, &frame);
    Ok(())
}

/// Waits for frames like this one with the numbers from 0, in order; gives their ids.
pub(super) fn each(
    play: &mut Play<'_>,
    at: usize,
    like: &str,
    count: u64,
    limits: &Limits,
) -> Result<Vec<String>, Stop> {
    let mut ids = Vec::new();
    for number in 0..count {
        let wanted = pattern(&play.named(&like.replace("$n", &number.to_string())));
        let who = play.extension(at).name.clone();
        let expected = || format!("{wanted}, written to {who}");
        let came = play.wait(limits.within, expected, |play| {
            let puppet = &mut play.stage.puppets[at];
            while let Some(arrived) = puppet.arrived.get(puppet.cursor) {
                puppet.cursor += 1;
                let frame = arrived.frame.as_ref().ok();
                if let Some(frame) = frame.filter(|frame| frame["type"] == wanted["type"]) {
                    return Some(frame.clone());
                }
            }
            None
        })?;
        if !is_like(&came, &wanted) {
            return Err(wrong(format!("{wanted} next of its kind"), came.to_string()));
        }
        ids.extend(came["id"].as_str().map(str::to_owned));
    }
    Ok(ids)
}

/// That no frame like this one came behind the last that was waited for.
pub(super) fn never(play: &mut Play<'_>, at: usize, like: &str) -> Result<(), Stop> {
    let wanted = pattern(&play.named(like));
    let soon = Instant::now() + Duration::from_millis(5);
    while play.stage.pump(soon) {}
    let puppet = &play.stage.puppets[at];
    let behind = puppet.arrived.iter().skip(puppet.cursor);
    let mut frames = behind.filter_map(|arrived| arrived.frame.as_ref().ok());
    match frames.find(|frame| is_like(frame, &wanted)) {
        Some(frame) => Err(wrong(format!("no {wanted}"), frame.to_string())),
        None => Ok(()),
    }
}

pub(super) fn action(play: &mut Play<'_>, at: usize, action: Action) -> Result<(), Stop> {
    connected(play, at)?;
    let name = play.extension(at).name.clone();
    let stage = &mut *play.stage;
    let puppet = &mut stage.puppets[at];
    match action {
        Action::Exit(status) => puppet.tell(&format!("exit {status}")),
        Action::Kill => puppet.tell("kill"),
        Action::Deaf => puppet.obeys = false,
        Action::Stubborn => {
            puppet.obeys = false;
            return told(play, at, "ignore");
        }
        Action::Child => return told(play, at, "child"),
        Action::Read(reading) => puppet.reading = reading,
        Action::Close(Pipe::Stdin) => puppet.close_stdin(),
        Action::Close(Pipe::Stdout) => puppet.close_stdout(),
    }
    stage.log.say(format!("{name}: {action:?}"));
    Ok(())
}

/// Writes words to its stderr, as fast as the host reads them.
pub(super) fn complain(
    play: &mut Play<'_>,
    at: usize,
    words: &str,
    times: u64,
    limits: &Limits,
) -> Result<(), Stop> {
    connected(play, at)?;
    let name = play.extension(at).name.clone();
    play.stage.log.say(format!("{name} writes to its stderr, {times} times: {words}"));
    for _ in 0..times {
        let mut rest = words.as_bytes().to_vec();
        let expected = || format!("that the host reads {name}'s stderr");
        play.wait(limits.within, expected, |play| {
            let written = play.stage.puppets[at].complain(&rest);
            rest.drain(..written);
            rest.is_empty().then_some(())
        })?;
    }
    Ok(())
}

/// Tells a puppet's process to do something, and waits until it has.
fn told(play: &mut Play<'_>, at: usize, order: &str) -> Result<(), Stop> {
    let puppet = &mut play.stage.puppets[at];
    let before = puppet.acknowledged;
    puppet.tell(order);
    let done = play.wait(
        START,
        || order.to_owned(),
        |play| (play.stage.puppets[at].acknowledged > before).then_some(()),
    );
    done.map_err(|stop| match stop {
        Stop::Failed(_) => Stop::Impossible(format!("a puppet did not do as it was told: {order}")),
        // Of the driver, which may have said meanwhile that it cannot do what came before.
        stop => stop,
    })
}

/// Waits for the end of its stdin.
pub(super) fn eof(play: &mut Play<'_>, at: usize, limits: &Limits) -> Result<(), Stop> {
    connected(play, at)?;
    let who = play.extension(at).name.clone();
    play.wait(
        limits.within,
        || format!("the end of {who}'s stdin"),
        |play| play.stage.puppets[at].stdin.is_none().then_some(()),
    )
}

/// Waits until its process is gone.
pub(super) fn gone(play: &mut Play<'_>, at: usize, limits: &Limits) -> Result<(), Stop> {
    connected(play, at)?;
    let who = play.extension(at).name.clone();
    play.wait(
        limits.within,
        || format!("the end of {who}'s process"),
        |play| (!play.stage.puppets[at].runs()).then_some(()),
    )
}

/// Waits until the process that it started is gone.
pub(super) fn child_gone(play: &mut Play<'_>, at: usize, limits: &Limits) -> Result<(), Stop> {
    let who = play.extension(at).name.clone();
    play.wait(
        limits.within,
        || format!("the end of the process that {who} started"),
        |play| play.stage.puppets[at].child_gone.then_some(()),
    )
}

/// Waits until it was started so often.
pub(super) fn starts(
    play: &mut Play<'_>,
    at: usize,
    count: usize,
    limits: &Limits,
) -> Result<(), Stop> {
    let who = play.extension(at).name.clone();
    play.wait(
        limits.within,
        || format!("start {count} of {who}"),
        |play| (play.stage.puppets[at].starts() >= count).then_some(()),
    )
}

/// Waits until its process runs.
pub(super) fn runs(play: &mut Play<'_>, at: usize, limits: &Limits) -> Result<(), Stop> {
    let who = play.extension(at).name.clone();
    play.wait(
        limits.within,
        || format!("a new start of {who}"),
        |play| play.stage.puppets[at].runs().then_some(()),
    )
}

/// Sends a signal to the host.
pub(super) fn signal(play: &mut Play<'_>, signal: Signal) {
    let number = match signal {
        Signal::Term => SystemSignal::TERM,
        Signal::Int => SystemSignal::INT,
        Signal::Kill => SystemSignal::KILL,
        Signal::Stop => SystemSignal::STOP,
        Signal::Cont => SystemSignal::CONT,
    };
    play.killed = true;
    play.stage.log.say(format!("{} for the host", signal.name()));
    play.stage.driver.signal(number);
}

fn pattern(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or(Value::Null)
}

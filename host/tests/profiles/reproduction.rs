//! The recordings of a real zot 0.1.62, made again: their scenarios with this host in the place of
//! the zot, under its profile, and the same extensions. What the host writes is compared byte for
//! byte with what the zot wrote, but for what [`comparable`] puts aside.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use extline_host::protocol::Profile;
use extline_host::protocol::frame::EventPayload;
use extline_host::protocol::trace::{self, Record, Side, Stream, What};
use extline_host::{CommandOutcome, Host, Panel};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::agent::prompt;
use crate::scripted::{Stage, recordings};

/// Draws the order in which the zot of 12-chain happened to ask: b a, a b, a b, a b.
const SEED: u64 = 4;

/// A file in `scenarios`.
#[derive(Deserialize)]
struct Scenario {
    extensions: Vec<Scripted>,
    drive: Vec<Value>,
}

#[derive(Deserialize)]
struct Scripted {
    name: String,
    trace: Option<String>,
    /// As it stands: the order of its members is that of the frames.
    script: Box<RawValue>,
}

/// What happens in a scenario beyond what its extensions are sent.
#[derive(Default)]
struct Play {
    /// The text in the editor of the TUI.
    typed: String,
    /// The panel on the screen of the TUI.
    panel: Option<Panel>,
    /// A prompt that runs while the scenario goes on.
    running: Option<JoinHandle<()>>,
    /// The TUI was told to start its extensions anew.
    reloaded: bool,
    /// The zot was ended by a signal, and could not say goodbye.
    terminated: bool,
}

impl Play {
    /// Plays one step.
    async fn step(&mut self, host: &Arc<Host>, step: &Value) {
        let mut members = step.as_object().unwrap().iter();
        let is_action = |name: &str| !["count", "trace", "extension"].contains(&name);
        let (action, value) = members.find(|(name, _)| is_action(name)).unwrap();
        match action.as_str() {
            "prompt" => prompt(Arc::clone(host), value.clone()).await,
            "start_prompt" => {
                self.running = Some(tokio::spawn(prompt(Arc::clone(host), value.clone())));
            }
            "request" => self.running.take().expect("a prompt runs").abort(),
            "wait_frame" => sleep(Duration::from_millis(300)).await,
            "sleep" => sleep(Duration::from_secs_f64(value.as_f64().unwrap().min(0.8))).await,
            "type" => self.typed = value.as_str().unwrap().into(),
            "keys" => {
                for key in value.as_array().unwrap() {
                    self.press(host, key.as_str().unwrap()).await;
                }
            }
            "terminate" => self.terminated = true,
            "wait" | "wait_screen" => {}
            other => panic!("the step {other} is new"),
        }
    }

    /// The user presses a key, by tmux's name of it. A panel that is open gets it under zot's name,
    /// where zot knew what the terminal sent.
    async fn press(&mut self, host: &Arc<Host>, key: &str) {
        let Some(panel) = &self.panel else {
            if key == "Enter" && !self.typed.is_empty() {
                self.enter(host).await;
            }
            return;
        };
        let key = match key {
            "Escape" => {
                assert!(self.panel.take().unwrap().close());
                return;
            }
            "a" => return assert!(panel.text("a")),
            "Space" => return assert!(panel.text(" ")),
            "BSpace" => "backspace",
            "PPage" => "pageup",
            "DC" => "delete",
            "Home" | "C-a" | "F1" => "unknown",
            key => &key.to_lowercase(),
        };
        assert!(panel.key(key));
    }

    /// The user enters a slash command.
    async fn enter(&mut self, host: &Arc<Host>) {
        let typed = std::mem::take(&mut self.typed);
        let (name, args) = typed[1..].split_once(' ').unwrap_or((&typed[1..], ""));
        if name == "reload-ext" {
            self.reloaded = true;
            return;
        }
        match host.command(name, args).await {
            Ok(CommandOutcome::Prompt(text)) => prompt(Arc::clone(host), text.into()).await,
            Ok(CommandOutcome::OpenPanel(panel)) => self.panel = Some(panel),
            _ => {}
        }
    }
}

/// Plays a scenario; each run of its extensions is one trace.
async fn play(scenario: &Scenario) -> Vec<Stage> {
    let mut stages = Vec::new();
    let mut rest = scenario.drive.iter();
    loop {
        let stage = stage(scenario);
        let host = Arc::new(stage.start().await);
        let mut play = Play::default();
        // A session begins once, whatever is reloaded in it.
        if stages.is_empty() {
            host.emit("session_start", EventPayload::default());
        }
        while !play.reloaded
            && let Some(step) = rest.next()
        {
            play.step(&host, step).await;
        }
        drop(play.running.take());
        if !play.terminated {
            host.shutdown().await;
        }
        drop(host);
        stages.push(stage);
        if !play.reloaded {
            return stages;
        }
    }
}

fn stage(scenario: &Scenario) -> Stage {
    let mut profile = Profile::zot_0_1_62();
    // The scripts write frame by frame, and all of them say ready: on a busy machine 250 ms may
    // pass between two frames, which would count as ready.
    profile.idle_ready = Some(Duration::from_secs(30));
    let stage = Stage::new(profile);
    let project = stage.folder().join("PROJECT");
    fs::create_dir(&project).unwrap();
    let set = |builder: extline_host::HostBuilder| {
        builder.cwd(project).model("ollama", "fake").zot_version("0.0.0").seed(SEED)
    };
    let with = |stage: Stage, it: &Scripted| stage.with(&it.name, &it.script);
    scenario.extensions.iter().fold(stage.set(set), with)
}

/// What the host did to one extension, in the words of a recording: the lines it wrote, and the
/// end of stdin, the signals and the end of the process.
///
/// Put aside is what README.md of the recordings says differs from run to run of one zot, and
/// what is the recorder's:
/// - ids, which here are numbered in the order in which they come, for each type of frame;
/// - `tool_id`, which a model makes up;
/// - paths, which stand under the names that the recordings give them;
/// - times;
/// - the order of the events of one turn, and between them and other frames: they come sorted,
///   turn by turn, behind everything else;
/// - the end of stdout, and the order of the end of stdin against the end of the process.
fn comparable(records: &[Record], paths: &[(String, String)]) -> Vec<String> {
    let (mut rest, mut turns, mut ends) = (Vec::new(), vec![Vec::new()], Vec::new());
    let mut ids: Vec<String> = Vec::new();
    for record in records {
        match &record.what {
            What::Line { from: Side::Host, line } => {
                let mut text = line.text().into_owned();
                for (path, name) in paths {
                    text = text.replace(&format!("\"{path}\""), &format!("\"{name}\""));
                }
                number_id(&mut text, &mut ids);
                blank(&mut text, "\"tool_id\":\"", "call");
                if text.contains("\"event\":\"turn_start\"") && is_event(&text) {
                    turns.push(Vec::new());
                }
                let lines = if is_event(&text) { turns.last_mut().unwrap() } else { &mut rest };
                lines.push(text);
            }
            What::Eof(Stream::Stdin) | What::Signal(_) => rest.push(format!("{:?}", record.what)),
            What::Exit { .. } => ends.push(format!("{:?}", record.what)),
            _ => {}
        }
    }
    for turn in &mut turns {
        turn.sort();
    }
    rest.into_iter().chain(turns.into_iter().flatten()).chain(ends).collect()
}

/// Puts a number in the place of a frame's id: which of the ids of its type it is.
fn number_id(text: &mut String, ids: &mut Vec<String>) {
    let Some(start) = text.find("\",\"id\":\"").filter(|at| *at < 40) else { return };
    let from = start + "\",\"id\":\"".len();
    let end = from + text[from..].find('"').unwrap();
    let frame_type = text[..start].to_owned();
    ids.push(frame_type.clone());
    let number = ids.iter().filter(|other| **other == frame_type).count();
    text.replace_range(from..end, &format!("#{number}"));
}

/// Puts a word in the place of a string.
fn blank(text: &mut String, before: &str, word: &str) {
    if let Some(start) = text.find(before) {
        let from = start + before.len();
        let end = from + text[from..].find('"').unwrap();
        text.replace_range(from..end, word);
    }
}

async fn reproduce(name: &str) {
    let read = |name: &str| fs::read_to_string(recordings().join(name)).unwrap();
    let scenario = read(&format!("scenarios/{name}.json"));
    let scenario: Scenario = serde_json::from_str(&scenario).unwrap();
    for (run, stage) in play(&scenario).await.iter().enumerate() {
        for extension in &scenario.extensions {
            let own_name = extension.name.as_str();
            let file = extension.trace.as_deref().unwrap_or(name);
            let file = if run == 0 {
                format!("{file}.ndjson")
            } else {
                format!("{file}-start{}.ndjson", run + 1)
            };
            let place =
                if scenario.extensions.len() == 1 { "/EXT" } else { &format!("/EXT-{own_name}") };
            let path = |name: &str| stage.folder().join(name).to_string_lossy().into_owned();
            let paths =
                [(path(own_name), place.to_owned()), (path("PROJECT"), "/PROJECT".to_owned())];
            let mut ours = stage.trace();
            ours.retain(|record| record.extension.as_deref() == Some(own_name));
            let recorded = trace::read(&file, &read(&file)).unwrap();
            let (mut ours, mut zots) = (comparable(&ours, &paths), comparable(&recorded, &[]));
            for lines in [&mut ours, &mut zots] {
                lines.retain(|line| is_compared(name, line));
            }
            assert_eq!(ours, zots, "{file}");
        }
    }
}

/// What of a scenario cannot be the same here.
fn is_compared(scenario: &str, line: &str) -> bool {
    match scenario {
        // This host notices the end of a process, and has nobody's stdin to close after it.
        "07a-exit-mid-call" => !line.starts_with("Eof"),
        // The process of a host that is dropped is killed; that of a zot sees the end of its stdin.
        "08c-host-sigterm" => line.starts_with('{'),
        _ => true,
    }
}

fn is_event(line: &str) -> bool {
    line.starts_with("{\"type\":\"event\",")
}

/// One test for each scenario, so that they run beside each other and each is named when it fails.
macro_rules! reproduced {
    ($($test:ident = $name:literal,)*) => {
        $(#[tokio::test]
        async fn $test() {
            reproduce($name).await;
        })*

        #[test]
        fn every_scenario_is_reproduced() {
            let mut names: Vec<_> = fs::read_dir(recordings().join("scenarios"))
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            assert_eq!(names, [$(concat!($name, ".json")),*]);
        }
    };
}

reproduced! {
    handshake = "01-handshake",
    tool_calls = "02-tool-calls",
    events = "03-events",
    intercept = "04-intercept",
    intercept_timeout = "04b-intercept-timeout",
    notify = "05-notify",
    abort = "06-abort",
    exit_mid_call = "07a-exit-mid-call",
    stdout_closed_mid_call = "07b-stdout-closed-mid-call",
    ignores_shutdown = "08a-ignores-shutdown",
    ignores_eof = "08b-ignores-eof",
    host_sigterm = "08c-host-sigterm",
    junk = "09-junk",
    tui = "10-tui",
    reload = "11-reload",
    chain = "12-chain",
    large_frames = "13-large-frames",
}

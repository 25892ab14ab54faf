//! Scenarios: the conformance tester's cases, played against an extension in this process.

use std::fs;
use std::path::Path;
use std::time::Instant;

use extline_testing::{Arrival, Case, Extension, Run, Trouble, parse_own, play};

use super::conversation::Conversation;
use super::failure::Failure;
use super::host::Host;
use super::transcript::Side;

/// Plays the cases of a scenario file, in the format of `extline conformance --cases`, which
/// docs/tester/cases.md of the repository documents: what holds here holds for the program too.
///
/// `start` starts a host. It is called once for all cases that share a process, and once more for
/// each run of a case with `process = "own"` or `timing = true`. A step without `within_ms` has the
/// host's [deadline](super::Builder::deadline).
///
/// A relative path counts from where the tests run, which is the package's folder under cargo.
///
/// ```
/// use extline::prelude::*;
/// use extline::testing::{Host, scenario};
///
/// # let folder = std::env::temp_dir().join(format!("extline-scenario-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// # let file = folder.join("clock.toml");
/// std::fs::write(
///     &file,
///     r#"
///     [[case]]
///     id = "noon"
///     title = "the clock says noon"
///     steps = [
///       { line = '{"type":"tool_call","id":"$id","name":"now","args":{}}' },
///       { expect = '{"type":"tool_result","id":"$id","content":[{"text":"noon"}]}' },
///     ]
///     "#,
/// )?;
/// fn clock() -> Extension {
///     Extension::new("clock", "1.0.0").tool("now", "The time.", async |_: NoArgs, _| Ok("noon"))
/// }
/// scenario(&file, || Host::builder().start(clock))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`Failure::Scenario`] for the first step that did not go as it should, with its place in the file;
/// [`Failure::Misuse`] for a file that cannot be used, with the place of the mistake, for a case
/// whose `needs` the extension does not meet, and for steps that need a process, which
/// `extline conformance --cases` plays; what `start` failed with.
pub fn scenario(
    file: impl AsRef<Path>,
    mut start: impl FnMut() -> Result<Host, Failure>,
) -> Result<(), Failure> {
    let file = file.as_ref().display().to_string();
    let text = fs::read_to_string(&file)
        .map_err(|error| Failure::Misuse(format!("{file} cannot be read: {error}")))?;
    let cases = parse_own(&file, &text).map_err(|refused| Failure::Misuse(refused.to_string()))?;
    let (mut shared, mut runs) = (None, 0_u64);
    for case in &cases {
        let values = if case.values.is_empty() { &[0] } else { case.values.as_slice() };
        for value in values {
            let used = if case.is_shared() { shared.take() } else { None };
            let mut host = match used {
                Some(host) => host,
                None => start()?,
            };
            runs += 1;
            run(&mut host, case, *value, runs)?;
            if case.is_shared() {
                shared = Some(host);
            }
        }
    }
    Ok(())
}

fn run(host: &mut Host, case: &Case, value: u64, number: u64) -> Result<(), Failure> {
    let conversation = &mut host.conversation;
    let run = Run { value, deadline: conversation.deadline, prefix: format!("run{number}-") };
    let surface = conversation.seen.offered.surface();
    let seen = conversation.transcript.iter().len();
    let played = play(case, run, &surface, &mut Link { conversation, seen });
    played.map_err(|trouble| match trouble {
        Trouble::Misuse(text) => Failure::Misuse(text),
        Trouble::Broken(failure) => failure,
        Trouble::Failed { place, case, expected, got } => {
            let story = Box::new(host.conversation.story());
            Failure::Scenario { place, case, expected, got, story }
        }
    })
}

/// To the extension past the host's session, and back by way of the transcript.
struct Link<'a> {
    conversation: &'a mut Conversation,
    /// How much of the transcript was looked at.
    seen: usize,
}

impl Link<'_> {
    /// The lines from the extension since the last look.
    fn look(&mut self) -> Vec<u8> {
        let transcript = &self.conversation.transcript;
        let mut lines = Vec::new();
        for line in transcript.iter().skip(self.seen).filter(|line| line.from == Side::Extension) {
            lines.extend_from_slice(line.json.as_bytes());
            lines.push(b'\n');
        }
        self.seen = transcript.iter().len();
        lines
    }
}

impl Extension for Link<'_> {
    type Error = Failure;

    fn note(&mut self, bytes: &[u8]) {
        self.conversation.note_sent(bytes);
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.conversation.send(bytes)
    }

    fn wait(&mut self, until: Instant) -> Result<Arrival, Failure> {
        let mut lines = self.look();
        if lines.is_empty() {
            self.conversation.listen_once(until)?;
            lines = self.look();
        }
        Ok(if !lines.is_empty() {
            Arrival::Data(lines)
        } else if let Some(how) = self.conversation.how_it_ended() {
            Arrival::Ended(how)
        } else {
            Arrival::Nothing
        })
    }

    fn hint(&mut self) -> String {
        self.conversation.hint().to_owned()
    }
}

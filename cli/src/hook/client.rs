//! The hook itself: one event in, one answer out.

use std::env;
use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::time::Instant;

use super::answer::Answer;
use super::channel::Channel;
use super::dialects::{Dialect, Kind};
use super::event::{HookEvent, NotRead};
use super::place::{Place, shared_words};
use super::question::{Asked, MOST_BYTES};
use super::start::{connect, start};
use crate::args::Hook;
use crate::styled::Text;

pub(super) fn run(hook: &Hook) -> ExitCode {
    let answer = answer_to(hook);
    // As it is: the agent reads it.
    let mut stdout = anstream::stdout().into_inner().lock();
    let written = write!(stdout, "{}", answer.stdout).and_then(|()| stdout.flush());
    if !answer.stderr.is_empty() {
        // There is nowhere left to complain.
        let _ = writeln!(io::stderr(), "{}", Text::of(format_args!("extline: {}", answer.stderr)));
    }
    match written {
        // What was decided did not reach the agent.
        Err(_) => Answer::blocked("").code.into(),
        Ok(()) => answer.code.into(),
    }
}

fn answer_to(hook: &Hook) -> Answer {
    let deadline = Instant::now() + hook.within;
    let named = hook.agent.as_deref().unwrap_or_default();
    let Some(dialect) = Dialect::of(named) else {
        let known = crate::agents::names_with_hooks().join(", ");
        return Answer::blocked(&format!(
            "no call passes, as --agent {named} is not known; it is one of {known}"
        ));
    };
    let mut bytes = Vec::new();
    if let Err(error) = io::stdin().lock().take(MOST_BYTES + 1).read_to_end(&mut bytes) {
        return Answer::blocked(&format!("stdin cannot be read: {error}"));
    }
    if bytes.len() as u64 > MOST_BYTES {
        return Answer::blocked("what the agent gave on stdin is larger than 64 MiB");
    }
    let event = match HookEvent::read(dialect, hook.event.as_deref(), &bytes) {
        Ok(event) => event,
        Err(NotRead::Wrong(why)) => return Answer::blocked(&why),
        Err(NotRead::Unknown(why)) => {
            let stdout = dialect.silence.to_owned();
            return Answer { stdout, stderr: why, ..Answer::default() };
        }
    };
    match ask(hook, dialect, &bytes, deadline) {
        Ok(answer) => answer,
        Err(why) if event.kind == Kind::Call => {
            Answer::blocked(&format!("the call is blocked, as no extension could be asked: {why}"))
        }
        Err(why) => {
            let event = event.name;
            Answer::not_told(&format!("the extensions were not told of {event}: {why}"))
        }
    }
}

fn ask(hook: &Hook, dialect: &Dialect, event: &[u8], deadline: Instant) -> Result<Answer, String> {
    let words = shared_words(env::args_os().skip_while(|word| word != "hook").skip(1));
    let place = Place::of(dialect, &words, &hook.dirs)?;
    let asked = Asked::Decide { agent: dialect.id.to_owned(), event: hook.event.clone() };
    let unreachable = |error| format!("{} cannot be reached: {error}", place.socket.display());
    if let Some(channel) = connect(&place, deadline).map_err(unreachable)? {
        match exchange(channel, &asked, event, deadline) {
            // It was about to end, or was killed: another one answers.
            Ok(answer) if answer.is_empty() => {}
            Err(error) if is_gone(&error) => {}
            answer => return read(answer, deadline),
        }
    }
    let channel = start(&place, &words, deadline)?;
    read(exchange(channel, &asked, event, deadline), deadline)
}

fn read(answer: io::Result<Vec<u8>>, deadline: Instant) -> Result<Answer, String> {
    let answer = answer.map_err(|error| {
        if Instant::now() >= deadline {
            "there was no answer in time; `extline hook --stop` ends what does not answer"
                .to_owned()
        } else {
            format!("there was no answer: {error}")
        }
    })?;
    if answer.is_empty() {
        return Err("what runs the extensions ended without an answer".to_owned());
    }
    serde_json::from_slice(&answer).map_err(|error| format!("the answer cannot be read: {error}"))
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset)
}

/// A question, with what belongs to it behind the first line; and the whole answer.
pub(super) fn exchange(
    channel: Channel,
    asked: &Asked,
    more: &[u8],
    deadline: Instant,
) -> io::Result<Vec<u8>> {
    let mut question = serde_json::to_vec(asked).map_err(io::Error::other)?;
    question.push(b'\n');
    question.extend_from_slice(more);
    channel.ask(&question, MOST_BYTES, deadline)
}

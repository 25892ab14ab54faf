//! A session's script: lines for its input, and between them, marked by `!`, what else happens.

use std::time::Duration;

/// One step of a script.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step<'a> {
    /// Bytes of the peer's, an LF behind them unless they are the last.
    Input(&'a [u8], bool),
    /// Time passes.
    Wait(Duration),
    /// `!WORD`: what the driver of the session does.
    Do(&'a str),
}

/// Longest a script may wait in all; more would only be slow.
const LONGEST: u64 = 200_000;

pub(crate) fn steps(script: &[u8]) -> impl Iterator<Item = Step<'_>> {
    let mut waited = 0;
    script.split_inclusive(|byte| *byte == b'\n').map(move |line| {
        let text = line.strip_suffix(b"\n");
        let order = text.and_then(|text| std::str::from_utf8(text).ok()?.strip_prefix('!'));
        match order {
            Some(order) => match order.strip_prefix("wait ").map(str::parse::<u64>) {
                Some(Ok(milliseconds)) => {
                    let allowed = milliseconds.min(LONGEST - waited);
                    waited += allowed;
                    Step::Wait(Duration::from_millis(allowed))
                }
                _ => Step::Do(order),
            },
            None => Step::Input(text.unwrap_or(line), text.is_some()),
        }
    })
}

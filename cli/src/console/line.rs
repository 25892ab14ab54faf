//! One line of `extline run`.

use extline_host::services::pending::Resolution;

/// The words behind a colon, and what they do.
pub(crate) const WORDS: [(&str, &str); 15] = [
    (":tools", "list the tools"),
    (":commands", "list the slash commands"),
    (":status", "how each extension stands"),
    (
        ":frames",
        "the last lines on the wire; :frames 50 more of them, :frames on live, :frames off",
    ),
    (":expand", "show the whole of the last result that was cut"),
    (":panel", "show the panel that is open; :panel down enter x presses keys in it"),
    (":emit", "tell an event; :emit turn_start {\"step\":1}"),
    (":intercept", "ask about something; :intercept tool_call {\"tool_name\":\"bash\"}"),
    (":turn", "play a call of the model with its events; :turn TEXT is what it says"),
    (":session", "which one is open; :session start and :session end tell it again"),
    (":pending", "list what extensions propose and have not done yet"),
    (":resolve", "do or drop the first of it; :resolve apply REASON, :resolve discard REASON"),
    (":reload", "start what is there now in the place of an extension; :reload NAME"),
    (":help", "what can be typed here"),
    (":quit", "stop them all"),
];

/// What a line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// Nothing, or a comment.
    Blank,
    Command {
        name: &'a str,
        args: &'a str,
    },
    Tool {
        name: &'a str,
        args: &'a str,
    },
    Tools,
    Commands,
    Status,
    Frames(Frames),
    Expand,
    Panel {
        keys: &'a str,
    },
    Emit {
        event: &'a str,
        fields: &'a str,
    },
    Intercept {
        point: &'a str,
        fields: &'a str,
    },
    Turn {
        text: &'a str,
    },
    Session {
        args: &'a str,
    },
    Pending,
    Resolve {
        /// `None` where neither was said.
        resolution: Option<Resolution>,
        reason: &'a str,
    },
    Reload {
        /// Empty for the only one.
        name: &'a str,
    },
    Help,
    Quit,
    /// Not understood.
    Other,
}

/// What `:frames` asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frames {
    /// To see so many of the last.
    Last(usize),
    /// To see them as they pass, or no longer.
    Live(bool),
}

impl Frames {
    fn of(args: &str) -> Option<Self> {
        match args {
            "" => Some(Self::Last(20)),
            "on" => Some(Self::Live(true)),
            "off" => Some(Self::Live(false)),
            count => count.parse().ok().map(Self::Last),
        }
    }
}

impl<'a> Line<'a> {
    pub(crate) fn of(line: &'a str) -> Self {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return Self::Blank;
        }
        if let Some((name, args)) = line.strip_prefix('/').map(split) {
            return if name.is_empty() { Self::Other } else { Self::Command { name, args } };
        }
        if let Some((name, args)) = line.strip_prefix('!').map(split) {
            let args = if args.is_empty() { "{}" } else { args };
            return if name.is_empty() { Self::Other } else { Self::Tool { name, args } };
        }
        if let (":frames", args) = split(line) {
            return Frames::of(args).map_or(Self::Other, Self::Frames);
        }
        match split(line) {
            (":panel", keys) => return Self::Panel { keys },
            (":emit", rest) => {
                let (event, fields) = split(rest);
                return Self::Emit { event, fields };
            }
            (":intercept", rest) => {
                let (point, fields) = split(rest);
                return Self::Intercept { point, fields };
            }
            (":turn", text) => return Self::Turn { text },
            (":resolve", rest) => {
                let (word, reason) = split(rest);
                let resolution = match word {
                    "apply" => Some(Resolution::Apply),
                    "discard" => Some(Resolution::Discard),
                    _ => None,
                };
                return Self::Resolve { resolution, reason };
            }
            (":reload", name) => return Self::Reload { name },
            (":session", args) => return Self::Session { args },
            _ => {}
        }
        match line {
            ":tools" => Self::Tools,
            ":commands" => Self::Commands,
            ":status" => Self::Status,
            ":expand" => Self::Expand,
            ":pending" => Self::Pending,
            ":help" => Self::Help,
            ":quit" | ":q" => Self::Quit,
            _ => Self::Other,
        }
    }
}

/// The name, and what stands behind it.
fn split(line: &str) -> (&str, &str) {
    let end = line.find(char::is_whitespace).unwrap_or(line.len());
    (&line[..end], line[end..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart_by_their_first_character() {
        assert_eq!(Line::of(" /say  a  b "), Line::Command { name: "say", args: "a  b" });
        assert_eq!(Line::of("!t {\"a\": 1}"), Line::Tool { name: "t", args: "{\"a\": 1}" });
        assert_eq!(Line::of("!t"), Line::Tool { name: "t", args: "{}" });
        assert_eq!(Line::of("# comment"), Line::Blank);
        assert_eq!(Line::of(":quit"), Line::Quit);
        assert_eq!(Line::of(":frames"), Line::Frames(Frames::Last(20)));
        assert_eq!(Line::of(":frames 3"), Line::Frames(Frames::Last(3)));
        assert_eq!(Line::of(":frames  on"), Line::Frames(Frames::Live(true)));
        let (event, fields) = ("turn_end", "{\"stop\": \"end\"}");
        assert_eq!(Line::of(":emit turn_end {\"stop\": \"end\"}"), Line::Emit { event, fields });
        assert_eq!(Line::of(":turn  hi there"), Line::Turn { text: "hi there" });
        for other in ["hello", ":what", "/", "! {}", ":frames what", ":framesoff"] {
            assert_eq!(Line::of(other), Line::Other, "{other}");
        }
    }

    #[test]
    fn every_word_that_is_listed_is_understood() {
        for (word, _) in WORDS {
            assert_ne!(Line::of(word), Line::Other, "{word}");
        }
    }
}

//! Which program a command starts in the end, and what it is asked to do.

use crate::shell::{Simple, commands};

/// Programs and shell words that start what stands behind them.
const WRAPPERS: [&str; 21] = [
    "sudo", "doas", "env", "nice", "ionice", "timeout", "xargs", "stdbuf", "exec", "time", "nohup",
    "setsid", "command", "builtin", "if", "then", "else", "elif", "while", "until", "do",
];
const SHELLS: [&str; 6] = ["sh", "bash", "zsh", "dash", "ksh", "fish"];
const INTERPRETERS: [&str; 5] = ["python", "python3", "perl", "ruby", "node"];

/// The program that a command starts in the end: `rm` for `sudo -u root /bin/rm`.
pub(crate) struct Program<'a> {
    pub(crate) name: &'a str,
    pub(crate) args: &'a [String],
    pub(crate) substitutions: &'a [String],
}

impl<'a> Program<'a> {
    pub(crate) fn of(command: &'a Simple) -> Self {
        let mut words = &command.words[..];
        loop {
            // `A=b rm` sets a variable for rm.
            while words.first().is_some_and(|word| is_assignment(word)) {
                words = &words[1..];
            }
            let (name, args) = split_first(words).unwrap_or_default();
            let name = name.rsplit('/').next().unwrap_or_default();
            if !WRAPPERS.contains(&name) {
                return Self { name, args, substitutions: &command.substitutions };
            }
            words = behind_options(args, options_with_value(name));
        }
    }

    pub(crate) fn downloads(&self) -> bool {
        matches!(self.name, "curl" | "wget" | "fetch")
    }

    /// Whether it runs what it reads from stdin: `sh`, `bash -s`, `python3 -`; not `python3 -m json.tool`.
    pub(crate) fn reads_code(&self) -> bool {
        let known = SHELLS.contains(&self.name) || INTERPRETERS.contains(&self.name);
        known
            && (self.args.iter().all(|arg| arg.starts_with('-'))
                || self.args.iter().any(|arg| matches!(&**arg, "-" | "-s" | "/dev/stdin")))
    }

    /// `sh -c "$(curl ...)"`, `bash <(curl ...)`, `eval "$(curl ...)"`.
    pub(crate) fn runs_substituted_download(&self) -> bool {
        (SHELLS.contains(&self.name) || matches!(self.name, "eval" | "source" | "."))
            && self
                .substitutions
                .iter()
                .flat_map(|it| commands(it))
                .any(|it| Program::of(&it).downloads())
    }

    /// The command line among its arguments: behind `sh -c`, or what `eval` gets.
    pub(crate) fn script(&self) -> Option<String> {
        match self.name {
            "eval" => Some(self.args.join(" ")),
            name if SHELLS.contains(&name) && self.has("", 'c') => {
                self.operands().next().map(str::to_owned)
            }
            _ => None,
        }
    }

    /// Its arguments that are no options.
    pub(crate) fn operands(&self) -> impl Iterator<Item = &'a str> {
        self.args.iter().map(String::as_str).filter(|arg| !arg.starts_with('-'))
    }

    /// Whether it has the option `--long` or `-s`, the short one also among others, as in `-rf`.
    pub(crate) fn has(&self, long: &str, short: char) -> bool {
        self.args.iter().any(|arg| match arg.strip_prefix("--") {
            Some(option) => option == long && !long.is_empty(),
            None => arg.strip_prefix('-').is_some_and(|options| options.contains(short)),
        })
    }
}

/// What stands behind the options of a program, and behind a number as `timeout` takes one.
/// `with_value` are the short options that take the next word.
pub(crate) fn behind_options<'a>(mut words: &'a [String], with_value: &str) -> &'a [String] {
    while let Some((word, rest)) = split_first(words) {
        if let Some(options) = word.strip_prefix('-') {
            let value = options.find(|it| with_value.contains(it));
            let takes_next = value.is_some_and(|at| at + 1 == options.len());
            words = if takes_next { rest.get(1..).unwrap_or_default() } else { rest };
        } else if word.starts_with(|it: char| it.is_ascii_digit()) {
            words = rest;
        } else {
            break;
        }
    }
    words
}

/// The short options of a wrapper that take the next word.
fn options_with_value(wrapper: &str) -> &'static str {
    match wrapper {
        "sudo" => "CDghpRrTtUu",
        "doas" => "Cu",
        "env" => "CSu",
        "ionice" => "cnpPu",
        "nice" => "n",
        "timeout" => "ks",
        "xargs" => "adEILnPs",
        "stdbuf" => "eio",
        "exec" => "a",
        "time" => "fo",
        _ => "",
    }
}

pub(crate) fn split_first(words: &[String]) -> Option<(&str, &[String])> {
    words.split_first().map(|(first, rest)| (first.as_str(), rest))
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

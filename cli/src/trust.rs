//! What of the files of a project a person trusts to be started: by digest, in a file of the home.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, BufRead, IsTerminal};
use std::path::PathBuf;

use extline_host::default_home;
use extline_host::file::{make_folder, read_text, replace};

use crate::printer::Printer;

/// The longest file that is read.
const AT_MOST: u64 = 1024 * 1024;

/// What is trusted.
pub(crate) struct Trust {
    file: PathBuf,
    /// The option that trusts one.
    option: &'static str,
    digests: BTreeSet<String>,
    /// Those of the command line, which are kept once there is such a thing.
    given: BTreeSet<String>,
}

impl Trust {
    /// What stands in that file of the home, with those of the command line, which `option` gives.
    pub(crate) fn read(name: &str, option: &'static str, given: &[String]) -> Self {
        let file = default_home().join(name);
        let text = read_text(&file, AT_MOST).unwrap_or_default();
        let digests = text.lines().filter_map(|line| line.split_whitespace().next());
        let digests = digests.map(str::to_owned).collect();
        Self { file, option, digests, given: given.iter().cloned().collect() }
    }

    pub(crate) fn has(&mut self, digest: &str) -> bool {
        if self.given.remove(digest) {
            self.keep(digest);
        }
        self.digests.contains(digest)
    }

    /// Asks the person in front of the terminal; elsewhere there is nobody.
    pub(crate) fn ask(&mut self, digest: &str, name: &str, printer: &mut Printer) -> bool {
        if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
            let option = self.option;
            printer.warn(format_args!(
                "{name} is not started: nobody has trusted it yet; {option} {digest} does, from now on"
            ));
            return false;
        }
        printer.say("Start it, now and whenever it is just this? [y/N]");
        let mut answer = String::new();
        let read = io::stdin().lock().read_line(&mut answer);
        let is_trusted = read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes");
        if is_trusted {
            self.keep(digest);
        }
        is_trusted
    }

    /// One that cannot be kept is asked about again the next time.
    fn keep(&mut self, digest: &str) {
        self.digests.insert(digest.to_owned());
        let mut text = String::new();
        for digest in &self.digests {
            // Writing into a string cannot fail.
            let _ = writeln!(text, "{digest}");
        }
        let made = self.file.parent().map_or(Ok(()), make_folder);
        drop(made.and_then(|()| replace(&self.file, text.as_bytes())));
    }
}

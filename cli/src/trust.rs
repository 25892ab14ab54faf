//! What of the files of a project a person trusts to be started: by digest, in a list of the home.

use std::collections::BTreeSet;
use std::io::{self, BufRead, IsTerminal};

use extline_host::default_home;
use extline_host::trust::TrustStore;

use crate::printer::Printer;

/// What is trusted.
pub(crate) struct Trust {
    store: TrustStore,
    list: &'static str,
    /// The option that trusts one.
    option: &'static str,
    /// Those of the command line, which are kept once there is such a thing.
    given: BTreeSet<String>,
}

impl Trust {
    /// What stands in that list of the home, with those of the command line, which `option` gives.
    pub(crate) fn read(list: &'static str, option: &'static str, given: &[String]) -> Self {
        let store = TrustStore::of(&default_home());
        Self { store, list, option, given: given.iter().cloned().collect() }
    }

    pub(crate) fn has(&mut self, digest: &str) -> bool {
        if self.given.contains(digest) {
            self.keep(digest);
            return true;
        }
        self.store.has_digest(self.list, digest)
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
    fn keep(&self, digest: &str) {
        drop(self.store.keep_digest(self.list, digest));
    }
}

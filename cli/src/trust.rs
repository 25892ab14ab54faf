//! What of the files of a project a person trusts to be started: by digest, in a list of the home.

use extline_host::default_home;
use extline_host::trust::TrustStore;
use std::collections::BTreeSet;

use crate::exit::Exit;
use crate::printer::Printer;
use crate::question;

/// Why nothing is started.
pub(crate) enum NotStarted {
    /// A file cannot be used.
    File(String),
    /// A person, or the system, ended it at a question.
    Interrupted(Exit),
}

impl From<String> for NotStarted {
    fn from(why: String) -> Self {
        Self::File(why)
    }
}

impl NotStarted {
    /// Tells it, and returns the exit code; `of_file` is that of a file.
    pub(crate) fn report(self, of_file: Exit, printer: &mut Printer) -> Exit {
        match self {
            Self::File(why) => {
                printer.error(why);
                of_file
            }
            Self::Interrupted(exit) => exit,
        }
    }
}

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
    pub(crate) async fn ask(
        &mut self,
        digest: &str,
        name: &str,
        printer: &mut Printer,
    ) -> Result<bool, NotStarted> {
        if !question::is_terminal() {
            let option = self.option;
            printer.warn(format_args!(
                "{name} is not started: nobody has trusted it yet; {option} {digest} does, from now on"
            ));
            return Ok(false);
        }
        let question = "Start it, now and whenever it is just this?";
        let agreed = question::is_agreed(question, printer).await;
        let is_trusted = agreed.map_err(NotStarted::Interrupted)?;
        if is_trusted {
            self.keep(digest);
        }
        Ok(is_trusted)
    }

    /// One that cannot be kept is asked about again the next time.
    fn keep(&self, digest: &str) {
        drop(self.store.keep_digest(self.list, digest));
    }
}

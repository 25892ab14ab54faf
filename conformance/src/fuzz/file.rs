//! A session as a file of cases.

use std::fmt::Write;

use super::known::Known;
use super::moves::Session;
use super::script::script;
use super::server::server_script;
use super::toml::quoted;
use crate::case::Case;

/// What a file is called: where its session came from.
#[derive(Clone, Debug, Default)]
pub(super) struct Name {
    pub(super) seed: u32,
    pub(super) session: u32,
}

impl Name {
    fn id(&self) -> String {
        format!("fuzz-{}-{}", self.seed, self.session)
    }

    pub(super) fn file(&self) -> String {
        format!("{}.toml", self.id())
    }
}

/// The session as a case; and behind it the check that it fails, where it fails one.
pub(super) fn file(name: &Name, session: &Session, known: &Known, check: Option<&Case>) -> String {
    let script =
        if known.server.is_some() { server_script(session) } else { script(session, known) };
    let id = name.id();
    let whole = if script.server {
        "client leaves the server whole"
    } else {
        "host leaves the extension whole"
    };
    let mut text = format!(
        "# Drawn by `extline conformance fuzz`: seed {}, session {}. docs/tester/fuzz.md tells how to play it\n\
         # again, docs/tester/cases.md what it means.\n\n\
         [[case]]\nid = \"{id}\"\ntitle = \"a session of a {whole}\"\n\
         process = \"{}\"\nsteps = [\n",
        name.seed,
        name.session,
        if script.raw { "raw" } else { "own" },
    );
    for step in &script.steps {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {step},");
    }
    text += "]\n";
    if let Some((check, named)) = check.and_then(|case| Some((case.check.as_ref()?, case))) {
        let _ = write!(
            text,
            "\n# {}: what came of the session above is looked at.\n\
             [[case]]\nid = \"{id}-{check}\"\ntitle = {}\ncheck = \"{check}\"\n",
            named.id,
            quoted(&named.title),
        );
    }
    text
}

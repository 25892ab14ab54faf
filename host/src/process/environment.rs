//! The environment of an extension: what its program needs to run, what its manifest declares, and
//! what the embedder gives. An agent's own variables hold the keys of its providers, and an
//! extension gets none of them by accident.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use super::mark::MARK;

/// What every extension gets of the host's environment. None of it is a secret, and without it a
/// program that runs by hand would not run here, or would keep its files elsewhere.
const BASE: [&str; 35] = [
    // To find programs and libraries.
    "PATH",
    "LD_LIBRARY_PATH",
    // Whose files these are, and where they are. Node and Python ask for HOME, ssh and git for all.
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
    // How to write for this user; LC_* is taken by its prefix. Python's encoding hangs on these.
    "LANG",
    "LANGUAGE",
    "TZ",
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    // Which certificates to trust: behind a company's proxy no HTTPS works without. Each runtime
    // has a name of its own for it.
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    // Where the programs behind PATH's shims are: `python3` may be pyenv's, `node` Volta's.
    "PYENV_ROOT",
    "PYENV_VERSION",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "NVM_DIR",
    "VOLTA_HOME",
    "ASDF_DIR",
    "ASDF_DATA_DIR",
    "MISE_DATA_DIR",
    "RBENV_ROOT",
    "RUSTUP_HOME",
    "CARGO_HOME",
];

/// Besides, what programs for Windows are lost without: where the system and the person's files are.
const BASE_OF_WINDOWS: [&str; 30] = [
    "ALLUSERSPROFILE",
    "APPDATA",
    "CommonProgramFiles",
    "CommonProgramFiles(x86)",
    "CommonProgramW6432",
    "COMPUTERNAME",
    "ComSpec",
    "DriverData",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS",
    "OS",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROCESSOR_IDENTIFIER",
    "PROCESSOR_LEVEL",
    "PROCESSOR_REVISION",
    "ProgramData",
    "ProgramFiles",
    "ProgramFiles(x86)",
    "ProgramW6432",
    "PUBLIC",
    "SystemDrive",
    "SystemRoot",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "windir",
];

/// What is a shell's or a host's own, wrong for another process, and missed by nobody.
const PRIVATE: [&str; 5] = ["_", "OLDPWD", "PWD", "SHLVL", MARK];

/// What the embedder wants of the environment of its extensions.
#[derive(Clone, Debug, Default)]
pub(crate) struct EnvironmentSettings {
    /// Everything the host has is passed on.
    pub(crate) inherit: bool,
    /// Names passed on where the host has them.
    pub(crate) pass: BTreeSet<OsString>,
    /// Names with values of the embedder's own.
    pub(crate) set: BTreeMap<OsString, OsString>,
}

/// The environments of one host's extensions. What the host itself has is looked up once.
#[derive(Debug)]
pub(crate) struct Environments<'s> {
    settings: &'s EnvironmentSettings,
    host: Vec<(OsString, OsString)>,
    /// That of every extension that declares nothing.
    plain: Arc<Environment>,
}

/// The environment of one extension.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Environment {
    pub(crate) variables: BTreeMap<OsString, OsString>,
    /// Names that the host has and the extension does not get, in alphabetical order.
    pub(crate) withheld: Vec<String>,
}

impl EnvironmentSettings {
    /// What an extension gets of the host's variables when its manifest declares these names.
    fn environment(&self, declared: &[String], host: &[(OsString, OsString)]) -> Environment {
        let mut environment = Environment::default();
        for (name, value) in host {
            let is_declared = declared.iter().any(|declared| is(name, declared));
            let is_passed = self.pass.iter().any(|passed| is(name, passed));
            if self.inherit || is_declared || is_passed || is_base(name) {
                environment.variables.insert(name.clone(), value.clone());
            } else if !PRIVATE.iter().any(|private| is(name, private))
                && !self.set.keys().any(|set| is(name, set))
            {
                environment.withheld.push(name.to_string_lossy().into_owned());
            }
        }
        for (name, value) in &self.set {
            environment.variables.retain(|had, _| !is(had, name));
            environment.variables.insert(name.clone(), value.clone());
        }
        environment.withheld.sort();
        environment
    }
}

impl<'s> Environments<'s> {
    pub(crate) fn new(settings: &'s EnvironmentSettings) -> Self {
        let host: Vec<_> = env::vars_os().collect();
        let plain = Arc::new(settings.environment(&[], &host));
        Self { settings, host, plain }
    }

    /// That of an extension whose manifest declares these names.
    pub(crate) fn of(&self, declared: &[String]) -> Arc<Environment> {
        if declared.is_empty() {
            Arc::clone(&self.plain)
        } else {
            Arc::new(self.settings.environment(declared, &self.host))
        }
    }
}

impl Environment {
    /// Where programs are looked up.
    pub(crate) fn path(&self) -> &OsStr {
        let mut found = self.variables.iter().filter(|(name, _)| is(name, "PATH"));
        found.next_back().map_or(OsStr::new(""), |(_, value)| value.as_os_str())
    }
}

/// Whether a variable has that name, which has no case on Windows.
fn is(name: &OsStr, other: impl AsRef<OsStr>) -> bool {
    if cfg!(windows) { name.eq_ignore_ascii_case(other) } else { name == other.as_ref() }
}

fn is_base(name: &OsStr) -> bool {
    let of_system: &[&str] = if cfg!(windows) { &BASE_OF_WINDOWS } else { &[] };
    BASE.iter().chain(of_system).any(|base| is(name, base))
        || name.to_str().is_some_and(|name| name.starts_with("LC_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(settings: &EnvironmentSettings, declared: &[&str]) -> (Vec<String>, Vec<String>) {
        let host = ["PATH", "LC_TIME", "API_KEY", "DB_URL", "PWD"].map(|name| (name, "host's"));
        let host = host.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let declared: Vec<_> = declared.iter().map(ToString::to_string).collect();
        let Environment { variables, withheld } = settings.environment(&declared, &host);
        let shown = |(name, value): (OsString, OsString)| {
            format!("{}={}", name.to_string_lossy(), value.to_string_lossy())
        };
        (variables.into_iter().map(shown).collect(), withheld)
    }

    #[test]
    fn the_base_set_goes_and_keys_stay() {
        let (variables, withheld) = of(&EnvironmentSettings::default(), &[]);
        assert_eq!(variables, ["LC_TIME=host's", "PATH=host's"]);
        assert_eq!(withheld, ["API_KEY", "DB_URL"]);
    }

    #[test]
    fn what_is_declared_or_passed_goes_too() {
        let pass = [OsString::from("DB_URL"), OsString::from("NOT_THERE")].into();
        let settings = EnvironmentSettings { pass, ..EnvironmentSettings::default() };
        let (variables, withheld) = of(&settings, &["API_KEY", "NOR_THIS"]);
        assert_eq!(variables, ["API_KEY=host's", "DB_URL=host's", "LC_TIME=host's", "PATH=host's"]);
        assert_eq!(withheld, [""; 0]);
    }

    #[test]
    fn the_embedder_s_values_win_over_all() {
        let set = [("PATH", "mine"), ("API_KEY", "mine"), ("NEW", "mine")];
        let set = set.map(|(name, value)| (OsString::from(name), OsString::from(value))).into();
        let settings = EnvironmentSettings { set, ..EnvironmentSettings::default() };
        let (variables, withheld) = of(&settings, &["API_KEY"]);
        assert_eq!(variables, ["API_KEY=mine", "LC_TIME=host's", "NEW=mine", "PATH=mine"]);
        assert_eq!(withheld, ["DB_URL"]);
    }

    #[test]
    fn all_of_it_goes_where_the_embedder_says_so() {
        let settings = EnvironmentSettings { inherit: true, ..EnvironmentSettings::default() };
        let (variables, withheld) = of(&settings, &[]);
        assert_eq!((variables.len(), withheld.len()), (5, 0));
    }
}

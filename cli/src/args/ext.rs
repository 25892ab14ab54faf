//! Extensions that are installed for this user or in this project.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Settings;
use super::help::{
    EXT_AUDIT_EXAMPLES, EXT_DESCRIBE_EXAMPLES, EXT_INSTALL_EXAMPLES, EXT_LIST_EXAMPLES,
    EXT_LOGS_EXAMPLES, EXT_REMOVE_EXAMPLES, EXT_STATUS_EXAMPLES, EXT_SWITCH_EXAMPLES,
    EXT_TRUST_EXAMPLES, EXT_UPDATE_EXAMPLES, EXT_VALIDATE_EXAMPLES,
};

#[derive(Debug, Args)]
pub(crate) struct Ext {
    #[command(subcommand)]
    pub(crate) action: ExtAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ExtAction {
    /// List the extensions that are found, and whether each runs, and why not
    #[command(after_help = EXT_LIST_EXAMPLES)]
    List(ExtList),
    /// Check the manifests of extensions, and say all that is wrong with each
    ///
    /// Nothing is run. Ends with 1 where a host would not start one of them.
    #[command(after_help = EXT_VALIDATE_EXAMPLES)]
    Validate(ExtValidate),
    /// Say which extensions of an index may be installed, and which are newer than what is here
    ///
    /// Nothing is fetched, installed or run. Ends with 1 where an entry is invalid.
    #[command(after_help = EXT_AUDIT_EXAMPLES)]
    Audit(ExtAudit),
    /// Copy an extension to where it is found from then on
    ///
    /// It is copied whole, checked, and put in place at once: who looks meanwhile finds what was there before, or the
    /// new one. Nothing of it is run; the packages that it needs of Python or Node are installed into its folder, by uv
    /// or pip and by npm, once you have said yes. Else it is said how to do it.
    #[command(after_help = EXT_INSTALL_EXAMPLES)]
    Install(ExtInstall),
    /// Install extensions again from where they came: a folder, an archive, or a branch or tag of a repository
    ///
    /// Shows which files change and asks. What fails leaves the old one, and its packages are installed anew with it.
    #[command(after_help = EXT_UPDATE_EXAMPLES)]
    Update(ExtUpdate),
    /// Take an extension away that was installed
    #[command(after_help = EXT_REMOVE_EXAMPLES)]
    Remove(ExtRemove),
    /// Say what a model reads of a tool, in place of its author's words
    ///
    /// Without TEXT it prints what is set. Nothing is run, and calls are held to the tool's schema as before. Who
    /// runs the extension now reads it at the next start, `extline run` at the next line.
    #[command(after_help = EXT_DESCRIBE_EXAMPLES)]
    Describe(ExtDescribe),
    /// Say how extensions stand: from where each is, whether it runs, and what is wrong
    ///
    /// Nothing is run.
    #[command(after_help = EXT_STATUS_EXAMPLES)]
    Status(ExtStatus),
    /// Start the extensions that run, and say what is wrong with each and what mends it
    ///
    /// They are started as `extline run` does, and ended again. What nobody trusts is not started. Ends with 1 where an
    /// extension cannot be used.
    #[command(after_help = EXT_STATUS_EXAMPLES)]
    Doctor(Box<ExtDoctor>),
    /// Show what an extension wrote to stderr, the newest lines last
    ///
    /// A host keeps two files of 1 MiB for each, without the secrets that it gave.
    #[command(after_help = EXT_LOGS_EXAMPLES)]
    Logs(ExtLogs),
    /// Let an extension run again that was disabled
    #[command(after_help = EXT_SWITCH_EXAMPLES)]
    Enable(ExtNames),
    /// Keep an extension from running, in all projects, without taking it away
    #[command(after_help = EXT_SWITCH_EXAMPLES)]
    Disable(ExtNames),
    /// Trust extensions of this project as they are now
    ///
    /// Shows what each runs and asks for, and what has changed since it was trusted the last time. The grant holds for
    /// just these files, at just this place: when a byte of them changes, it holds no more.
    #[command(after_help = EXT_TRUST_EXAMPLES)]
    Trust(ExtTrust),
    /// Take trust back
    #[command(after_help = EXT_TRUST_EXAMPLES)]
    Untrust(ExtNames),
}

#[derive(Debug, Args)]
pub(crate) struct ExtList {
    /// Only those that run
    #[arg(long)]
    pub(crate) running: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExtValidate {
    /// Manifests, or folders with one in them or in the folders below
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ExtAudit {
    /// A file with the manifests of extensions in the list `extensions`, and with `schema_version`, which is 1
    #[arg(value_name = "INDEX")]
    pub(crate) index: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct ExtInstall {
    /// A folder with an extension.json; a .tar.gz or .zip of one; or a git repository, by its URL, with @REF behind it for a branch, a tag or a
    /// commit
    #[arg(value_name = "SOURCE")]
    pub(crate) source: OsString,

    /// The SHA-256 of the archive: nothing is installed where it has another one
    #[arg(long, value_name = "SHA256", value_parser = sha256)]
    pub(crate) sha256: Option<String>,

    /// For this project alone, in .extline/extensions; else for this user
    #[arg(long)]
    pub(crate) project: bool,

    /// In place of the one of that name which is installed
    #[arg(long)]
    pub(crate) replace: bool,

    /// Install the packages that it needs without asking, which runs what they bring
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExtUpdate {
    /// Names of extensions that were installed; all when absent
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,

    /// Those of this project; else those of this user
    #[arg(long)]
    pub(crate) project: bool,

    /// Only say what would change
    #[arg(long, conflicts_with = "yes")]
    pub(crate) check: bool,

    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExtStatus {
    /// Names of extensions, or their folders; all when absent
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,

    #[command(flatten)]
    pub(crate) bundle: Bundle,
}

/// The report for somebody who helps.
#[derive(Debug, Args)]
pub(crate) struct Bundle {
    /// Write the report into this file, which must not be there, for somebody who helps: with digests in place of names,
    /// paths and messages
    #[arg(long = "bundle", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,

    /// Names, paths and messages in it too, and the last 50 lines of each log, without what looks like a secret
    #[arg(long, requires = "file")]
    pub(crate) with_names: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExtDoctor {
    /// Names of extensions, or their folders; all when absent
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,

    #[command(flatten)]
    pub(crate) bundle: Bundle,

    #[command(flatten)]
    pub(crate) settings: Settings,
}

#[derive(Debug, Args)]
pub(crate) struct ExtLogs {
    /// Its name
    #[arg(value_name = "NAME")]
    pub(crate) name: String,

    /// Go on with what is written, until Ctrl-C
    #[arg(long, short)]
    pub(crate) follow: bool,

    /// How many lines
    #[arg(long, short = 'n', value_name = "COUNT", default_value_t = 200)]
    pub(crate) lines: usize,
}

#[derive(Debug, Args)]
pub(crate) struct ExtRemove {
    /// Its name
    #[arg(value_name = "NAME")]
    pub(crate) name: String,

    /// That of this project; else that of this user
    #[arg(long)]
    pub(crate) project: bool,

    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExtDescribe {
    /// The extension: its folder, or its name
    #[arg(value_name = "NAME")]
    pub(crate) extension: OsString,

    /// The tool
    #[arg(value_name = "TOOL")]
    pub(crate) tool: String,

    /// What the model reads
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) text: Option<String>,

    /// Of this parameter: its name, or a JSON pointer into the schema
    #[arg(long, value_name = "NAME")]
    pub(crate) parameter: Option<String>,

    /// Have the author's words again
    #[arg(long, conflicts_with = "text")]
    pub(crate) unset: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExtNames {
    /// Names of extensions
    #[arg(value_name = "NAME", required = true)]
    pub(crate) names: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ExtTrust {
    /// Names of extensions of this project, or their folders; all that are not trusted yet when absent
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,

    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
}

fn sha256(text: &str) -> Result<String, String> {
    super::servers::digest(text)
        .map(|digest| digest.trim_start_matches("sha256:").to_owned())
        .map_err(|_| "expected the 64 digits that `sha256sum FILE` prints".to_owned())
}

//! What is installed: a folder, an archive, or a git repository at a commit.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use extline_host::{MANIFEST, file};
use serde::{Deserialize, Serialize};

use super::archive;

/// Where an extension was installed from; kept beside it, in [`RECORD`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub(super) enum Source {
    Folder {
        path: PathBuf,
    },
    /// A `.tar.gz` or a `.zip`.
    Archive {
        path: PathBuf,
        sha256: Option<String>,
    },
    Git {
        url: String,
        /// A branch, a tag or a commit; the repository's own choice when absent.
        r#ref: Option<String>,
        /// What it was then.
        commit: Option<String>,
    },
}

/// The file in an installed extension that says where it comes from.
pub(super) const RECORD: &str = ".extline-install.json";

impl Source {
    /// What was typed.
    pub(super) fn of(words: &OsStr, sha256: Option<&str>) -> Result<Self, String> {
        let source = Self::of_words(words)?;
        match (source, sha256) {
            (Self::Archive { path, .. }, wanted) => {
                Ok(Self::Archive { path, sha256: wanted.map(str::to_owned) })
            }
            (_, Some(_)) => Err("--sha256 is that of an archive, and this is none".to_owned()),
            (source, None) => Ok(source),
        }
    }

    fn of_words(words: &OsStr) -> Result<Self, String> {
        let path = Path::new(words);
        if path.exists() {
            return Self::of_path(path);
        }
        let text = words.to_str().ok_or("the source is not UTF-8")?;
        let (url, named) = split_ref(text);
        let schemes = ["https://", "http://", "ssh://", "git://", "file://", "git@"];
        if !schemes.iter().any(|it| url.starts_with(it)) && !is_git(url) {
            return Err(format!(
                "there is no folder {text}, and it is no URL of a git repository \
                 (https://HOST/OWNER/NAME, git@HOST:OWNER/NAME.git)"
            ));
        }
        if url.starts_with('-') || named.is_some_and(|named| named.starts_with('-')) {
            return Err(format!("{text} begins with a dash"));
        }
        Ok(Self::Git { url: url.to_owned(), r#ref: named.map(str::to_owned), commit: None })
    }

    fn of_path(path: &Path) -> Result<Self, String> {
        let path = file::real(path).map_err(|error| format!("{}: {error}", path.display()))?;
        if path.is_dir() {
            return Ok(Self::Folder { path });
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = name.as_str();
        if [".tar.gz", ".tgz", ".zip"].iter().any(|end| name.ends_with(end)) {
            return Ok(Self::Archive { path, sha256: None });
        }
        match path.parent().filter(|_| name == MANIFEST) {
            Some(folder) => Ok(Self::Folder { path: folder.to_owned() }),
            None => Err(format!(
                "{} is neither a folder, a .tar.gz nor a .zip: unpack it, and give the folder with the {MANIFEST}",
                path.display()
            )),
        }
    }

    /// The same place, for what is there now: an archive may have another digest, and a repository another commit.
    pub(super) fn anew(self) -> Self {
        match self {
            Self::Folder { .. } => self,
            Self::Archive { path, .. } => Self::Archive { path, sha256: None },
            Self::Git { url, r#ref, .. } => Self::Git { url, r#ref, commit: None },
        }
    }

    /// The folder with what is to be installed; a repository is fetched into `work` for that.
    pub(super) fn fetch(&mut self, work: &Path) -> Result<PathBuf, String> {
        match self {
            Self::Folder { path } => Ok(path.clone()),
            Self::Archive { path, sha256 } => {
                let (folder, found) = archive::unpack(path, sha256.as_deref(), work)?;
                *sha256 = Some(found);
                file::real(folder).map_err(|error| error.to_string())
            }
            Self::Git { url, r#ref, commit } => {
                let folder = work.join("repository");
                let named = r#ref.as_deref().unwrap_or("HEAD");
                let at = folder.to_string_lossy();
                git(work, &["init", "--quiet", "--template=", &at])?;
                git(&folder, &["fetch", "--quiet", "--depth", "1", "--no-tags", url, named])?;
                git(&folder, &["checkout", "--quiet", "--detach", "FETCH_HEAD"])?;
                *commit = Some(git(&folder, &["rev-parse", "HEAD"])?);
                file::real(folder).map_err(|error| error.to_string())
            }
        }
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Folder { path } | Self::Archive { path, .. } => {
                write!(formatter, "{}", path.display())
            }
            Self::Git { url, commit, .. } => {
                let commit = commit.as_deref().unwrap_or_default();
                write!(formatter, "{url} {}", commit.get(..12).unwrap_or(commit))
            }
        }
    }
}

/// The program, so that a person's own access holds; it asks nobody, and runs nothing of the repository.
fn git(folder: &Path, words: &[&str]) -> Result<String, String> {
    let mut command = Command::new("git");
    command
        .args(["-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never"])
        .args(["-c", "core.fsmonitor=false", "-c", "submodule.recurse=false"])
        .args(words)
        .current_dir(folder)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_LFS_SKIP_SMUDGE", "1")
        .stdin(Stdio::null());
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"] {
        command.env_remove(name);
    }
    let output = command.output().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "git is not installed, and fetches repositories".to_owned(),
        _ => format!("git cannot be started: {error}"),
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("git {} failed: {}", words[0], said.trim()))
}

/// `URL@REF`. What is behind the `@` of `git@host:x` is no ref.
fn split_ref(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once('@') {
        Some((url, named))
            if !url.is_empty()
                && !named.is_empty()
                && !named.contains(['/', ':'])
                && url.contains(['/', ':']) =>
        {
            (url, Some(named))
        }
        _ => (text, None),
    }
}

fn is_git(url: &str) -> bool {
    Path::new(url).extension().is_some_and(|it| it == "git")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ref_stands_behind_the_url() {
        assert_eq!(split_ref("https://h/o/n@v1.2"), ("https://h/o/n", Some("v1.2")));
        assert_eq!(split_ref("https://u@h/o/n"), ("https://u@h/o/n", None));
        assert_eq!(split_ref("git@h:o/n.git"), ("git@h:o/n.git", None));
        assert_eq!(split_ref("git@h:o/n.git@main"), ("git@h:o/n.git", Some("main")));
        let wrong = |text: &str| Source::of(OsStr::new(text), None).unwrap_err();
        assert!(wrong("nowhere").contains("no URL of a git repository"));
        assert!(wrong("--upload-pack=x.git").contains("begins with a dash"));
    }
}

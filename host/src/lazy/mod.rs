//! What an extension offers, kept in the home of the host, so that it can be listed without being started.
//!
//! What is kept holds for the folder as it was when it was kept: all files have the size, the times and the place on
//! disk that they had. The digest over their content stands beside that, for what runs only with the digest that
//! somebody trusts; to compute it anew each time would take longer than to start a small extension.

mod stamp;

use std::io;
use std::path::{Path, PathBuf};

use extline_protocol::Members;
use extline_protocol::frame::{Object, RegisterCommand, RegisterTool};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::file::{make_folder, read_text, replace};
use crate::home::file_name;
use crate::trust::Tree;

/// A longer file is not read, and none is written.
const LONGEST: u64 = 4 * 1024 * 1024;

/// What an extension offers.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptOffer {
    pub(crate) tools: Vec<RegisterTool>,
    pub(crate) commands: Vec<RegisterCommand>,
}

/// Which extension it is, and under which host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whose<'a> {
    pub(crate) home: &'a Path,
    pub(crate) name: &'a str,
    /// Its folder, without links.
    pub(crate) dir: &'a Path,
    /// The profile of the host, which says what of a registration counts.
    pub(crate) profile: &'a str,
}

#[derive(Serialize, Deserialize)]
struct File {
    /// The version of extline that wrote it.
    extline: String,
    profile: String,
    dir: PathBuf,
    digest: String,
    stamp: String,
    tools: Vec<Box<RawValue>>,
    commands: Vec<Box<RawValue>>,
}

impl KeptOffer {
    /// What is kept of an extension, if it holds for what is there now, and for `digest`, where that is what somebody
    /// trusts.
    pub(crate) fn read(whose: Whose<'_>, digest: Option<&str>) -> Option<Self> {
        let kept: File = serde_json::from_str(&read_text(path(whose), LONGEST).ok()?).ok()?;
        let is_meant = kept.extline == env!("CARGO_PKG_VERSION")
            && kept.profile == whose.profile
            && kept.dir == whose.dir
            && digest.is_none_or(|digest| digest == kept.digest);
        if !is_meant || stamp::of(whose.dir)? != kept.stamp {
            return None;
        }
        let tools = kept.tools.iter().map(|text| parse(text.get())).collect::<Option<_>>()?;
        let commands = kept.commands.iter().map(|text| parse(text.get())).collect::<Option<_>>()?;
        Some(Self { tools, commands })
    }

    /// Keeps it for the folder as it is now; reads all files of that, unless it is kept already.
    pub(crate) fn keep(&self, whose: Whose<'_>) -> io::Result<()> {
        if Self::read(whose, None).is_some_and(|kept| kept.is_the_same(self)) {
            return Ok(());
        }
        let before = stamp::of(whose.dir);
        let digest = Tree::read(whose.dir).map_err(io::Error::other)?.digest();
        let stamp = before.filter(|before| stamp::of(whose.dir).as_ref() == Some(before));
        let raw = |text| RawValue::from_string(text).map_err(io::Error::other);
        let kept = File {
            extline: env!("CARGO_PKG_VERSION").to_owned(),
            profile: whose.profile.to_owned(),
            dir: whose.dir.to_owned(),
            digest,
            stamp: stamp.ok_or_else(|| io::Error::other("it changes while it is read"))?,
            tools: self.tools.iter().map(|it| raw(it.object_text())).collect::<Result<_, _>>()?,
            commands: self
                .commands
                .iter()
                .map(|it| raw(it.object_text()))
                .collect::<Result<_, _>>()?,
        };
        make_folder(whose.home)?;
        write(&path(whose), &kept)
    }

    fn is_the_same(&self, other: &Self) -> bool {
        are_the_same(&self.tools, &other.tools) && are_the_same(&self.commands, &other.commands)
    }

    /// Nothing is kept of it any more.
    pub(crate) fn forget(whose: Whose<'_>) {
        // There may be none.
        drop(std::fs::remove_file(path(whose)));
    }
}

fn path(whose: Whose<'_>) -> PathBuf {
    // Projects may have one of the same name.
    let dir = Sha256::digest(whose.dir.as_os_str().as_encoded_bytes());
    let dir = dir.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte));
    let folder = whose.home.join("offers");
    folder.join(format!("{}-{dir:016x}.json", file_name(whose.name)))
}

fn write(path: &Path, kept: &File) -> io::Result<()> {
    let text = serde_json::to_vec(kept)?;
    if text.len() as u64 > LONGEST {
        return Err(io::Error::other("it offers too much to be kept"));
    }
    path.parent().map_or(Ok(()), make_folder)?;
    replace(path, &text)
}

fn are_the_same<T: Object>(some: &[T], others: &[T]) -> bool {
    some.iter().map(Object::object_text).eq(others.iter().map(Object::object_text))
}

fn parse<T: Object>(text: &str) -> Option<T> {
    T::read_members(&Members::of(text)?).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use extline_protocol::RawJson;

    use super::*;

    #[test]
    fn it_holds_as_long_as_the_files_are_the_same() {
        let scene = tempfile::tempdir().unwrap();
        let (home, dir) = (scene.path().join("home"), scene.path().join("x"));
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("a"), "a").unwrap();
        let whose = Whose { home: &home, name: "x", dir: &dir, profile: "spec" };
        assert!(KeptOffer::read(whose, None).is_none());
        let schema = RawJson::parse(r#"{"type":"object"}"#).unwrap();
        let tool = RegisterTool { name: "t".to_owned(), schema, ..RegisterTool::default() };
        let offer = KeptOffer { tools: vec![tool], commands: Vec::new() };
        offer.keep(whose).unwrap();
        let names = |digest: Option<&str>| {
            let kept = KeptOffer::read(whose, digest);
            kept.map(|it| it.tools.into_iter().map(|it| it.name).collect::<Vec<_>>())
        };
        assert_eq!(names(None).unwrap(), ["t"]);
        // The same is not written again, and so its files are not read; what differs is.
        let file = path(whose);
        let marked = fs::read_to_string(&file).unwrap() + " ";
        fs::write(&file, &marked).unwrap();
        offer.keep(whose).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), marked);
        KeptOffer { tools: Vec::new(), commands: Vec::new() }.keep(whose).unwrap();
        assert!(names(None).unwrap().is_empty());
        offer.keep(whose).unwrap();
        let digest = Tree::read(&dir).unwrap().digest();
        assert_eq!(names(Some(&digest)).unwrap(), ["t"]);
        assert_eq!(names(Some("sha256:another")), None);
        fs::write(dir.join("more"), "").unwrap();
        assert_eq!(names(None), None);
        fs::remove_file(dir.join("more")).unwrap();
        assert_eq!(names(None).unwrap(), ["t"]);
        fs::write(dir.join("a"), "b").unwrap();
        assert_eq!(names(None), None);
        // It is written again, and nobody reads whether it is the same.
        fs::write(dir.join("a"), "a").unwrap();
        assert_eq!(names(None), None);
        offer.keep(whose).unwrap();
        let other = Whose { profile: "zot-0.1.62", ..whose };
        assert!(KeptOffer::read(other, None).is_none());
        KeptOffer::forget(whose);
        assert_eq!(names(None), None);
    }
}

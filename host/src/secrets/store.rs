//! Where a person's secrets are kept on this machine.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use extline_services::secret::{Source, check_name};
use serde::{Deserialize, Serialize};

use super::keyring;
use crate::file;
use crate::home;

/// Bytes that the file of one extension may have, and a value: 1 MiB, and 64 KiB.
const FILE_BYTES: u64 = 1 << 20;
const VALUE_BYTES: usize = 64 * 1024;

/// The secrets that a person has given for extensions, each for the extension of that name. It holds no value in
/// memory, and may be used from any thread and any process; of two that set a secret of one extension at the same
/// moment the last wins.
///
/// A file, `secrets/NAME.json` in the home, has the values of one extension, and the names of those that are in the
/// keyring of the operating system. It is written whole, for its owner only, and not read where others may read it
/// too. The keyring is asked for no other name, and may ask its user for a password: whoever asks waits for that.
#[derive(Clone, Debug)]
pub struct SecretStore {
    home: PathBuf,
}

/// The file of one extension.
#[derive(Default, Serialize, Deserialize)]
struct Stored {
    version: u32,
    /// The values in base64, by their names. That hides nothing from who may read the file. It keeps a value from
    /// those who only come by: a search through the home, a screen that is shared.
    #[serde(default)]
    secrets: BTreeMap<String, String>,
    /// The names of those whose values are in the keyring.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    keyring: BTreeSet<String>,
}

impl Stored {
    fn is_empty(&self) -> bool {
        self.secrets.is_empty() && self.keyring.is_empty()
    }
}

impl SecretStore {
    /// Those in that home, see [`default_home`](crate::default_home).
    pub fn new(home: impl Into<PathBuf>) -> Self {
        Self { home: home.into() }
    }

    /// Sets a secret in the file, and takes it out of the keyring. An error says why the file cannot be written, what
    /// is wrong with the name or the value, or that it is set and what was in the keyring could not be removed.
    pub fn set(&self, extension: &str, name: &str, value: &str) -> io::Result<()> {
        check(name, value)?;
        let mut stored = self.read(extension)?;
        let was_in_keyring = stored.keyring.remove(name);
        stored.secrets.insert(name.to_owned(), BASE64_STANDARD.encode(value));
        self.write(extension, &stored)?;
        if was_in_keyring {
            self.forget(extension, name).map_err(|error| {
                let text = format!(
                    "{name} is set in the file, and the keyring still has the value before: {error}"
                );
                io::Error::new(error.kind(), text)
            })?;
        }
        Ok(())
    }

    /// Sets a secret in the keyring of the operating system, and takes it out of the file. An error says that there
    /// is no keyring, or what it said.
    pub fn set_in_keyring(&self, extension: &str, name: &str, value: &str) -> io::Result<()> {
        check(name, value)?;
        let mut stored = self.read(extension)?;
        keyring::set(&keyring::entry(&self.home, extension, name)?, value)?;
        stored.secrets.remove(name);
        stored.keyring.insert(name.to_owned());
        self.write(extension, &stored)
    }

    /// Removes a secret; whether it was there.
    pub fn remove(&self, extension: &str, name: &str) -> io::Result<bool> {
        let mut stored = self.read(extension)?;
        let was_in_keyring = stored.keyring.remove(name);
        if was_in_keyring {
            self.forget(extension, name)?;
        }
        if stored.secrets.remove(name).is_none() && !was_in_keyring {
            return Ok(false);
        }
        if stored.is_empty() {
            fs::remove_file(self.path(extension))?;
        } else {
            self.write(extension, &stored)?;
        }
        Ok(true)
    }

    /// Takes a secret out of the keyring.
    fn forget(&self, extension: &str, name: &str) -> io::Result<()> {
        keyring::remove(&keyring::entry(&self.home, extension, name)?)
    }

    /// The names of the secrets that are kept for an extension, in alphabetical order.
    pub fn names(&self, extension: &str) -> io::Result<Vec<String>> {
        let stored = self.read(extension)?;
        let names: BTreeSet<_> = stored.secrets.into_keys().chain(stored.keyring).collect();
        Ok(names.into_iter().collect())
    }

    /// The extensions that have a file.
    pub fn extensions(&self) -> io::Result<Vec<String>> {
        let folder = match fs::read_dir(self.folder()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            folder => folder?,
        };
        let mut names = Vec::new();
        for entry in folder {
            let name = entry?.file_name().to_string_lossy().into_owned();
            names.extend(name.strip_suffix(".json").map(str::to_owned));
        }
        names.sort();
        Ok(names)
    }

    /// Where a secret would come from, if it is set: this process's environment, the keyring, or the file.
    pub fn is_secret_set(&self, extension: &str, name: &str) -> io::Result<Option<Source>> {
        Ok(self.get(extension, name)?.map(|(_, source)| source))
    }

    /// Its value.
    pub(crate) fn get(&self, extension: &str, name: &str) -> io::Result<Option<(String, Source)>> {
        if let Some(value) = of_environment(name) {
            return Ok(Some((value, Source::Environment)));
        }
        let stored = self.read(extension)?;
        if stored.keyring.contains(name) {
            let entry = keyring::entry(&self.home, extension, name);
            let value = entry.and_then(|entry| keyring::get(&entry)).map_err(|error| {
                let text = format!("{name} of {extension} is kept in the keyring: {error}");
                io::Error::new(error.kind(), text)
            })?;
            return Ok(value.map(|value| (value, Source::Keyring)));
        }
        let value = self.of_file(extension, name, stored)?;
        Ok(value.map(|value| (value, Source::File)))
    }

    /// Each value that it has, also one that another comes before. The keyring is not asked: it might ask its user
    /// for a password before anybody wants the value.
    pub(crate) fn at_hand(&self, extension: &str, name: &str) -> Vec<String> {
        let stored = self.read(extension).ok();
        let of_file =
            stored.and_then(|stored| self.of_file(extension, name, stored).ok().flatten());
        of_environment(name).into_iter().chain(of_file).collect()
    }

    fn of_file(
        &self,
        extension: &str,
        name: &str,
        mut stored: Stored,
    ) -> io::Result<Option<String>> {
        let Some(stored) = stored.secrets.remove(name) else { return Ok(None) };
        let value =
            BASE64_STANDARD.decode(&stored).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let value = value.ok_or_else(|| {
            self.unusable(extension, &format!("/secrets/{name} is no base64 of a text"))
        })?;
        Ok(Some(value))
    }

    fn read(&self, extension: &str) -> io::Result<Stored> {
        let path = self.path(extension);
        let file = match file::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Stored { version: 1, ..Stored::default() });
            }
            file => file.map_err(|error| self.unusable(extension, &error.to_string()))?,
        };
        file::check_private(&file).map_err(|why| self.unusable(extension, &why))?;
        let text = file::read_text(&path, FILE_BYTES)
            .map_err(|error| self.unusable(extension, &error.to_string()))?;
        let stored: Stored = serde_json::from_str(&text).map_err(|error| {
            // Serde quotes what it found, which may be a value.
            let at = format!("line {}, column {}", error.line(), error.column());
            self.unusable(extension, &format!("it is not what extline writes there, at {at}"))
        })?;
        if stored.version != 1 {
            let text = format!("it has version {}, and this extline reads 1", stored.version);
            return Err(self.unusable(extension, &text));
        }
        Ok(stored)
    }

    /// The file is whole at each moment.
    fn write(&self, extension: &str, stored: &Stored) -> io::Result<()> {
        file::make_folder(&self.home)?;
        file::make_folder(self.folder())?;
        let path = self.path(extension);
        let mut text = serde_json::to_vec_pretty(stored)?;
        text.push(b'\n');
        file::replace(&path, &text)
            .map_err(|error| self.unusable(extension, &format!("it cannot be written: {error}")))
    }

    fn unusable(&self, extension: &str, why: &str) -> io::Error {
        io::Error::other(format!("{}: {why}", self.path(extension).display()))
    }

    fn folder(&self) -> PathBuf {
        self.home.join("secrets")
    }

    fn path(&self, extension: &str) -> PathBuf {
        self.folder().join(Path::new(&format!("{}.json", home::file_name(extension))))
    }
}

/// What is wrong with a name or a value.
fn check(name: &str, value: &str) -> io::Result<()> {
    let wrong = |text: String| io::Error::new(io::ErrorKind::InvalidInput, text);
    check_name(name).map_err(|why| wrong(why.replace("/name: ", "the name: ")))?;
    if value.is_empty() {
        return Err(wrong("the value is empty".to_owned()));
    }
    if value.len() > VALUE_BYTES {
        return Err(wrong(format!("the value has more than {VALUE_BYTES} bytes")));
    }
    Ok(())
}

fn of_environment(name: &str) -> Option<String> {
    // A name that no variable can have is in none.
    check_name(name).ok()?;
    env::var(name).ok().filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_kept_until_it_is_removed() {
        let home = tempfile::tempdir().unwrap();
        let store = SecretStore::new(home.path().join("home"));
        assert_eq!(store.names("weather").unwrap(), [""; 0]);
        store.set("weather", "KEY_OF_TEST", "a value").unwrap();
        store.set("weather", "OTHER_OF_TEST", "lines\nof it").unwrap();
        store.set("weather", "KEY_OF_TEST", "another value").unwrap();
        let get = |name| store.get("weather", name).unwrap();
        assert_eq!(get("KEY_OF_TEST"), Some(("another value".to_owned(), Source::File)));
        assert_eq!(get("OTHER_OF_TEST").unwrap().0, "lines\nof it");
        assert_eq!(store.get("clock", "KEY_OF_TEST").unwrap(), None);
        assert_eq!(store.names("weather").unwrap(), ["KEY_OF_TEST", "OTHER_OF_TEST"]);
        assert_eq!(store.extensions().unwrap(), ["weather"]);
        assert!(store.remove("weather", "KEY_OF_TEST").unwrap());
        assert!(!store.remove("weather", "KEY_OF_TEST").unwrap());
        assert!(store.remove("weather", "OTHER_OF_TEST").unwrap());
        assert_eq!(store.extensions().unwrap(), [""; 0]);
    }

    #[test]
    fn what_cannot_be_kept_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let store = SecretStore::new(home.path());
        let why = |name, value: &str| store.set("weather", name, value).unwrap_err().to_string();
        assert_eq!(why("A=B", "x"), "the name: a name has no = and no NUL");
        assert_eq!(why("A", ""), "the value is empty");
        assert!(why("A", &"x".repeat(VALUE_BYTES + 1)).contains("more than 65536 bytes"));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_may_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;

        let home = tempfile::tempdir().unwrap();
        let store = SecretStore::new(home.path());
        store.set("weather", "KEY_OF_TEST", "a value").unwrap();
        let path = home.path().join("secrets/weather.json");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        assert!(!fs::read_to_string(&path).unwrap().contains("a value"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let error = store.get("weather", "KEY_OF_TEST").unwrap_err().to_string();
        assert!(error.contains("others may read it (mode 640): chmod 600"), "{error}");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&path, r#"{"version":1,"secrets":{"KEY_OF_TEST":5}}"#).unwrap();
        let error = store.get("weather", "KEY_OF_TEST").unwrap_err().to_string();
        assert!(
            error.ends_with("it is not what extline writes there, at line 1, column 39"),
            "{error}"
        );
    }
}

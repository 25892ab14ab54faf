//! Where extensions are looked for.

use std::env;
use std::path::{Path, PathBuf};

use super::Discovery;
use crate::source::manifest_file;

/// Where an extension was found; those above win over those below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Layer {
    /// Somebody named it.
    Given,
    /// `.extline/extensions` or `.zot/extensions` in the project.
    Project,
    /// A further path, of `config.toml` or `EXTLINE_EXTENSION_PATHS`.
    Path,
    /// `extensions` in the home of extline.
    User,
    /// `extensions` in the home of zot.
    Zot,
    /// A tool of another agent, by its name: found, and never run.
    Foreign(&'static str),
}

impl Layer {
    /// A word for it: `given`, `project`, `path`, `user`, `zot`, or the name of the other agent.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Project => "project",
            Self::Path => "path",
            Self::User => "user",
            Self::Zot => "zot",
            Self::Foreign(agent) => agent,
        }
    }

    /// Whether nobody said anything, and it is there.
    pub(super) fn is_known_place(self) -> bool {
        matches!(self, Self::Project | Self::User | Self::Zot)
    }
}

/// A folder with extensions in it.
pub(super) struct Place {
    layer: Layer,
    folder: PathBuf,
}

impl Discovery {
    pub(super) fn places(&self) -> Vec<Place> {
        let place = |layer, folder| Place { layer, folder };
        let mut places = vec![
            place(Layer::Project, self.cwd.join(".extline/extensions")),
            place(Layer::Project, self.cwd.join(".zot/extensions")),
        ];
        places.extend(self.settings.paths.iter().map(|path| place(Layer::Path, path.clone())));
        places.push(place(Layer::User, self.home.join("extensions")));
        places.extend(zot_home().map(|home| place(Layer::Zot, home.join("extensions"))));
        let foreign =
            [("omp", ".omp/tools"), ("claude", ".claude/tools"), ("codex", ".codex/tools")];
        let foreign = foreign.map(|(agent, tools)| (Layer::Foreign(agent), tools));
        places.extend(foreign.map(|(layer, tools)| place(layer, self.cwd.join(tools))));
        places
    }
}

impl Place {
    /// The extensions in it, by name; where it is one itself, that one. Links to folders count; folders without a
    /// manifest and those that are hidden do not.
    pub(super) fn folders(self) -> Vec<(Layer, PathBuf)> {
        let Self { layer, folder } = self;
        if manifest_file(&folder).is_file() {
            return vec![(layer, folder)];
        }
        let entries = folder.read_dir().into_iter().flatten().flatten();
        let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
        paths.retain(|path| match layer {
            Layer::Foreign(_) => !is_hidden(path),
            _ => !is_hidden(path) && path.is_dir() && manifest_file(path).exists(),
        });
        paths.sort();
        paths.into_iter().map(|path| (layer, path)).collect()
    }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// Where zot keeps what is its own: `$ZOT_HOME`, else its folder where the platform keeps what programs keep.
/// `None` where the variables that say so are not absolute paths.
pub fn zot_home() -> Option<PathBuf> {
    let absolute =
        |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || absolute("HOME");
    absolute("ZOT_HOME").or_else(|| {
        if cfg!(target_os = "macos") {
            return home().map(|home| home.join("Library/Application Support/zot"));
        }
        if cfg!(windows) {
            return absolute("LOCALAPPDATA").map(|data| data.join("zot"));
        }
        let state = absolute("XDG_STATE_HOME").or_else(|| home().map(|it| it.join(".local/state")));
        state.map(|state| state.join("zot"))
    })
}

//! What became of the files of a turn.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use extline_protocol::frame::{Effect, FileOp};

use super::change::{Change, Evidence, Snapshot};
use super::contained::{contained, texts};
use super::{EffectCall, Effects};
use crate::lock::lock;

/// So much of the files of a turn is kept; of further ones the content is not.
const BYTES: usize = 64 * 1024 * 1024;

/// So many paths that lead out of the root are listed.
const OUTSIDE: usize = 1_000;

type Verifier = Arc<dyn Fn(&[Change]) -> Option<String> + Send + Sync>;

/// Keeps what became of the files below a folder, from one turn of the model to the next. A clone is the same recorder.
///
/// Before a call that may change something it looks at the files that the arguments name, and behind it at these and at
/// those that the tool tells of. So it sees what a tool does to a file that the model named, whether the tool tells of it
/// or not; of other files it knows what the tool tells. Of calls that overlap each may be shown with what another did.
#[derive(Clone)]
pub struct DiffRecorder {
    /// Without links.
    root: PathBuf,
    state: Arc<Mutex<State>>,
    verifier: Option<Verifier>,
}

/// What the calls of a turn did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TurnChanges {
    /// The files, by path. One that is again as it was is not among them; one that a tool told of is, if it never changed.
    pub changes: Vec<Change>,
    /// Effects on files that are not below the root, the first 1,000. Nobody looked at these.
    pub outside: Vec<Outside>,
}

/// An effect on a file outside of the root.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outside {
    /// The tool that told of it.
    pub tool: String,
    /// The path as it told it.
    pub path: String,
}

#[derive(Default)]
struct State {
    /// By call: the files that it may change, as they were.
    open: HashMap<String, Seen>,
    /// By path: what became of it in this turn.
    turn: BTreeMap<PathBuf, Change>,
    outside: Vec<Outside>,
}

type Seen = BTreeMap<PathBuf, Snapshot>;

impl DiffRecorder {
    /// One for the files below that folder. An error where there is no such folder.
    pub fn new(root: impl AsRef<Path>) -> io::Result<Self> {
        let root = root.as_ref().canonicalize()?;
        Ok(Self { root, state: Arc::default(), verifier: None })
    }

    /// Has what each call changed looked at at once, as by a compiler. The model reads what it returns behind the result
    /// of the call. It runs on a thread of its own, and the call waits for it.
    #[must_use]
    pub fn verifier(
        mut self,
        verify: impl Fn(&[Change]) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.verifier = Some(Arc::new(verify));
        self
    }

    /// What has changed since this was last called. A call that is under way counts to the next turn.
    pub fn take_turn(&self) -> TurnChanges {
        let mut state = lock(&self.state);
        let changes = std::mem::take(&mut state.turn).into_values();
        let counts = |it: &Change| it.before != it.after || it.evidence == Evidence::Declared;
        let changes = changes.filter(counts).collect();
        TurnChanges { changes, outside: std::mem::take(&mut state.outside) }
    }

    fn look(&self, path: &Path, keeps: bool) -> Snapshot {
        Snapshot::take(&self.root.join(path), keeps)
    }

    fn has_room(&self) -> bool {
        lock(&self.state).memory() < BYTES
    }

    /// The files that the tool says it changed, and the paths that lead elsewhere.
    fn declared(&self, told: &[Effect]) -> (BTreeSet<PathBuf>, Vec<String>) {
        let changed = told.iter().filter(|effect| effect.op != Some(FileOp::Read));
        let paths = changed.flat_map(|effect| [&effect.path, &effect.new_path]).flatten();
        let (mut inside, mut outside) = (BTreeSet::new(), Vec::new());
        for path in paths {
            match contained(&self.root, path) {
                Some(path) => drop(inside.insert(path)),
                None => outside.push(path.clone()),
            }
        }
        (inside, outside)
    }

    /// What one call did to a file; `None` where it did nothing.
    fn change(
        &self,
        tool: &str,
        path: &Path,
        before: Option<Snapshot>,
        is_declared: bool,
    ) -> Option<Change> {
        let before = before.unwrap_or(Snapshot::Unknown);
        let after = self.look(path, self.has_room());
        let is_observed = before != Snapshot::Unknown && before != after;
        let evidence = match (is_declared, is_observed) {
            (true, true) => Evidence::Both,
            (true, false) => Evidence::Declared,
            (false, true) => Evidence::Observed,
            (false, false) => return None,
        };
        let (path, tools) = (path.to_owned(), vec![tool.to_owned()]);
        Some(Change { path, before, after, evidence, tools })
    }
}

impl State {
    fn memory(&self) -> usize {
        let open = self.open.values().flat_map(Seen::values).map(Snapshot::memory);
        let turn = self.turn.values().map(|it| it.before.memory() + it.after.memory());
        open.chain(turn).sum()
    }

    /// A file as it was when a call of this turn last looked at it.
    fn last_seen(&self, path: &Path) -> Option<Snapshot> {
        self.turn.get(path).map(|change| change.after.clone())
    }

    fn keep(&mut self, change: Change) {
        let Some(earlier) = self.turn.get_mut(&change.path) else {
            self.turn.insert(change.path.clone(), change);
            return;
        };
        earlier.after = change.after;
        if earlier.evidence != change.evidence {
            earlier.evidence = Evidence::Both;
        }
        for tool in change.tools {
            if !earlier.tools.contains(&tool) {
                earlier.tools.push(tool);
            }
        }
    }
}

impl Effects for DiffRecorder {
    fn before(&self, call: &EffectCall) {
        let mut seen = Seen::new();
        for path in texts(call.args.get()).iter().filter_map(|text| contained(&self.root, text)) {
            if !self.root.join(&path).is_dir() {
                let snapshot = self.look(&path, self.has_room());
                seen.insert(path, snapshot);
            }
        }
        lock(&self.state).open.insert(call.id.clone(), seen);
    }

    fn after(&self, call: &EffectCall, told: &[Effect]) -> Option<String> {
        let mut seen = lock(&self.state).open.remove(&call.id).unwrap_or_default();
        let (declared, outside) = self.declared(told);
        for path in &declared {
            if !seen.contains_key(path)
                && let Some(snapshot) = lock(&self.state).last_seen(path)
            {
                seen.insert(path.clone(), snapshot);
            }
        }
        let paths: BTreeSet<_> = seen.keys().chain(&declared).cloned().collect();
        let changes = paths.iter().filter_map(|path| {
            self.change(&call.tool, path, seen.remove(path), declared.contains(path))
        });
        let changes: Vec<_> = changes.collect();
        {
            let mut state = lock(&self.state);
            let room = OUTSIDE.saturating_sub(state.outside.len());
            let outside = outside.into_iter().take(room);
            state.outside.extend(outside.map(|path| Outside { tool: call.tool.clone(), path }));
            changes.iter().cloned().for_each(|change| state.keep(change));
        }
        let verify = self.verifier.as_ref().filter(|_| !changes.is_empty())?;
        verify(&changes)
    }
}

impl fmt::Debug for DiffRecorder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("DiffRecorder").field("root", &self.root).finish_non_exhaustive()
    }
}

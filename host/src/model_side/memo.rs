//! Results of pure tools, which answer the same call once more until something changes
//! (`tool.pure`).

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use extline_protocol::frame::ToolResult;

use super::Signature;
use crate::lock::lock;
use crate::memory::{EACH, Memory as _};
use crate::tool::Tool;

/// What the results of one host may take in memory. Of more all are dropped.
const BYTES: usize = 64 * 1024 * 1024;

/// What becomes of a call of a tool that is `pure`, when the same call was answered in the same task and
/// nothing has changed since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemoPolicy {
    /// It runs, as every call does.
    #[default]
    Off,
    /// It has the earlier result, however often it is made.
    Answer,
    /// It has the earlier result once. Then it is refused, so that a model which goes in circles hears of it:
    /// [`CallError::Duplicate`](crate::CallError::Duplicate).
    AnswerOnce,
}

/// The results that are kept.
#[derive(Debug)]
pub(crate) struct Memo {
    policy: MemoPolicy,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    /// How often something may have changed.
    changes: u64,
    tasks: HashMap<String, HashMap<Signature, Entry>>,
    memory: usize,
}

#[derive(Debug)]
struct Entry {
    /// The tool as it was registered: of one that is registered anew nothing is known.
    tool: Arc<Tool>,
    result: ToolResult,
    /// How often it has answered a call.
    hits: u64,
    memory: usize,
}

/// What is known of a call.
#[derive(Debug)]
pub(crate) enum Recalled {
    /// Nothing, and nothing is to be kept of it.
    Nothing,
    /// Nothing yet: its result is to be kept there.
    Unknown(Box<Keeping>),
    /// Its result.
    Result(Box<ToolResult>),
    /// It has had its result too often.
    TooOften,
}

/// Where the result of a call that runs is kept.
#[derive(Debug)]
pub(crate) struct Keeping {
    task: String,
    signature: Signature,
    tool: Arc<Tool>,
    changes: u64,
}

impl Memo {
    pub(crate) fn new(policy: MemoPolicy) -> Self {
        Self { policy, kept: Mutex::default() }
    }

    /// Looks a call up that may run. `args` are those that the tool would get.
    pub(crate) fn recall(&self, task: Option<&str>, tool: &Arc<Tool>, args: &str) -> Recalled {
        let Some(task) = task.filter(|_| self.policy != MemoPolicy::Off && tool.definition.pure)
        else {
            return Recalled::Nothing;
        };
        let signature = Signature::of(Some(tool), tool.name(), args);
        let mut kept = lock(&self.kept);
        let changes = kept.changes;
        let entry = kept.tasks.get_mut(task).and_then(|results| results.get_mut(&signature));
        match entry.filter(|entry| Arc::ptr_eq(&entry.tool, tool)) {
            Some(entry) if self.policy == MemoPolicy::AnswerOnce && entry.hits > 0 => {
                Recalled::TooOften
            }
            Some(entry) => {
                entry.hits += 1;
                Recalled::Result(Box::new(entry.result.clone()))
            }
            None => {
                let (task, tool) = (task.to_owned(), Arc::clone(tool));
                Recalled::Unknown(Box::new(Keeping { task, signature, tool, changes }))
            }
        }
    }

    /// Keeps a result, unless something has changed since its call was looked up.
    pub(crate) fn keep(&self, keeping: Keeping, result: &ToolResult) {
        let Keeping { task, signature, tool, changes } = keeping;
        let mut kept = lock(&self.kept);
        if kept.changes != changes {
            return;
        }
        let memory = memory_of(result);
        if kept.memory + memory > BYTES {
            kept.drop_all();
        }
        // What was done to the world was done by the call that ran.
        let result = ToolResult { effects: None, ..result.clone() };
        let entry = Entry { tool, result, hits: 0, memory };
        let before = kept.tasks.entry(task).or_default().insert(signature, entry);
        kept.memory += memory;
        kept.memory -= before.map_or(0, |before| before.memory);
    }

    /// Something may have changed: what is kept, of whichever task, may not be so any more.
    pub(crate) fn changed(&self) {
        let mut kept = lock(&self.kept);
        kept.changes += 1;
        kept.drop_all();
    }

    /// Nobody asks for the results of a task any more.
    pub(crate) fn end_task(&self, task: &str) {
        let mut kept = lock(&self.kept);
        let results = kept.tasks.remove(task).unwrap_or_default();
        kept.memory -= results.values().map(|entry| entry.memory).sum::<usize>();
    }
}

impl Kept {
    fn drop_all(&mut self) {
        self.tasks.clear();
        self.memory = 0;
    }
}

/// Roughly what it takes to keep a result.
fn memory_of(result: &ToolResult) -> usize {
    let ToolResult { content, structured_content, details, view, .. } = result;
    8 * EACH + content.memory() + structured_content.memory() + details.memory() + view.memory()
}

#[cfg(test)]
mod tests {
    use extline_protocol::RawJson;
    use extline_protocol::frame::{Content, RegisterTool};

    use super::*;
    use crate::tool::Owner;

    fn tool() -> Arc<Tool> {
        let schema = RawJson::empty_object();
        let name = "look".to_owned();
        let definition = RegisterTool { name, schema, pure: true, ..RegisterTool::default() };
        Arc::new(Tool::new("x", Owner::Extension(0), definition, None))
    }

    fn keeping(memo: &Memo, tool: &Arc<Tool>) -> Keeping {
        match memo.recall(Some("t"), tool, "{}") {
            Recalled::Unknown(keeping) => *keeping,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_result_from_before_a_change_is_not_kept() {
        let (memo, tool) = (Memo::new(MemoPolicy::Answer), tool());
        let result = ToolResult::new("1".into(), Vec::new());
        let begun = keeping(&memo, &tool);
        memo.changed();
        memo.keep(begun, &result);
        memo.keep(keeping(&memo, &tool), &result);
        assert!(matches!(memo.recall(Some("t"), &tool, "{}"), Recalled::Result(_)));
    }

    #[test]
    fn a_tool_that_is_registered_anew_has_no_result() {
        let memo = Memo::new(MemoPolicy::Answer);
        memo.keep(keeping(&memo, &tool()), &ToolResult::new("1".into(), Vec::new()));
        assert!(matches!(memo.recall(Some("t"), &tool(), "{}"), Recalled::Unknown(_)));
    }

    #[test]
    fn the_memory_of_what_is_kept_has_an_end() {
        let (memo, tool) = (Memo::new(MemoPolicy::Answer), tool());
        let result = ToolResult::new("1".into(), vec![Content::text("x".repeat(BYTES / 3))]);
        for args in ["{}", r#"{"a":1}"#, r#"{"a":2}"#] {
            let Recalled::Unknown(begun) = memo.recall(Some("t"), &tool, args) else { panic!() };
            memo.keep(*begun, &result);
            assert!(lock(&memo.kept).memory <= BYTES);
        }
        assert!(matches!(memo.recall(Some("t"), &tool, "{}"), Recalled::Unknown(_)));
        assert!(matches!(memo.recall(Some("t"), &tool, r#"{"a":2}"#), Recalled::Result(_)));
        memo.end_task("t");
        assert_eq!(lock(&memo.kept).memory, 0);
    }
}

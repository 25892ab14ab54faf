//! The hooks of agents: where they are, and what one looks like. `docs/agents.md` has the same as a table.

use serde_json::{Map, Value};

use super::{Scope, Syntax};

/// Where an agent has hooks, and which of them ask an extension.
#[derive(Debug)]
pub(crate) struct HookTable {
    /// What `extline hook --agent` calls it.
    pub(crate) agent: &'static str,
    /// The file; none where it is that of the servers.
    pub(crate) own_file: Option<OwnFile>,
    pub(crate) syntax: Syntax,
    pub(crate) form: Form,
    pub(crate) members: Members,
    /// The file says which version of the format it has, and is not read without.
    pub(crate) has_version: bool,
    pub(crate) fail_closed: FailClosed,
    pub(crate) events: &'static [HookEvent],
    pub(crate) switch: Option<Switch>,
    /// What holds once the hooks are there.
    pub(crate) holds: &'static str,
    /// What the person does next.
    pub(crate) next: &'static str,
}

#[derive(Debug)]
pub(crate) struct OwnFile {
    pub(crate) project: &'static str,
    pub(crate) user: &'static str,
}

/// A setting that turns all hooks off.
#[derive(Debug)]
pub(crate) struct Switch {
    pub(crate) path: &'static [&'static str],
    /// The value that does it.
    pub(crate) off: bool,
    /// It is in the file of the servers, and not in that of the hooks.
    pub(crate) is_with_servers: bool,
}

/// How a hook blocks a tool where it fails.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FailClosed {
    /// Its command ends with the one exit code that blocks.
    Command,
    /// It has this member, which is true.
    Member(&'static str),
    /// Its command does, and a member with this value sees to what no command can, as its end at a timeout.
    Both(&'static str, &'static str),
}

/// What the list of an event holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Form {
    /// Groups with a pattern for tools and a list of hooks.
    Groups,
    /// Hooks.
    Flat,
    /// Hooks that say what type they are.
    Typed,
    /// There are no lists: the file is a module (`install/shim.rs`), and this is what it does in the agent.
    Module(&'static str),
}

/// How the members of a hook are called.
#[derive(Debug)]
pub(crate) struct Members {
    /// The line that a shell gets.
    pub(crate) command: &'static str,
    pub(crate) timeout: &'static str,
    /// The agent does not say on stdin which event it is: the line does.
    pub(crate) event_on_line: bool,
    /// The pattern for all tools; none where a group without one is for all.
    pub(crate) matcher: Option<&'static str>,
}

const MEMBERS: Members =
    Members { command: "command", timeout: "timeout", event_on_line: false, matcher: Some("*") };

/// An event that asks or tells an extension; what it is for, `extline hook` knows.
#[derive(Debug)]
pub(crate) struct HookEvent {
    pub(crate) name: &'static str,
    /// How long the agent waits, in its own unit. `extline hook` has an answer within 25 seconds.
    pub(crate) timeout: u32,
}

const fn event(name: &'static str, timeout: u32) -> HookEvent {
    HookEvent { name, timeout }
}

pub(crate) const CLAUDE: HookTable = HookTable {
    agent: "claude",
    own_file: Some(OwnFile {
        project: ".claude/settings.json",
        user: "${CLAUDE_CONFIG_DIR:-~/.claude}/settings.json",
    }),
    syntax: Syntax::Json,
    form: Form::Groups,
    members: MEMBERS,
    has_version: false,
    fail_closed: FailClosed::Command,
    events: &[
        event("PreToolUse", 60),
        event("PostToolUse", 60),
        event("PostToolUseFailure", 60),
        event("UserPromptSubmit", 60),
        event("SessionStart", 60),
        event("SessionEnd", 60),
    ],
    switch: Some(Switch { path: &["disableAllHooks"], off: true, is_with_servers: false }),
    holds: "its guards are asked before each tool of Claude Code, and none is used where they cannot be asked",
    next: "`/hooks` shows them; a session that runs already may not have them",
};

pub(crate) const CODEX: HookTable = HookTable {
    agent: "codex",
    own_file: Some(OwnFile {
        project: ".codex/hooks.json",
        user: "${CODEX_HOME:-~/.codex}/hooks.json",
    }),
    syntax: Syntax::Json,
    form: Form::Groups,
    members: MEMBERS,
    has_version: false,
    fail_closed: FailClosed::Command,
    events: &[
        event("PreToolUse", 60),
        event("PostToolUse", 60),
        event("UserPromptSubmit", 60),
        event("SessionStart", 60),
        // As long as there may be.
        event("SessionEnd", 3),
    ],
    switch: Some(Switch { path: &["features", "hooks"], off: false, is_with_servers: true }),
    holds: "its guards are asked before each tool of Codex but those that run elsewhere, such as web search, \
            and none is used where they cannot be asked",
    next: "Codex runs no hook before you trust it: start Codex, and type `/hooks`",
};

pub(crate) const CURSOR: HookTable = HookTable {
    agent: "cursor",
    own_file: Some(OwnFile { project: ".cursor/hooks.json", user: "~/.cursor/hooks.json" }),
    syntax: Syntax::Jsonc,
    form: Form::Flat,
    members: MEMBERS,
    has_version: true,
    fail_closed: FailClosed::Member("failClosed"),
    events: &[
        event("preToolUse", 60),
        event("postToolUse", 60),
        event("postToolUseFailure", 60),
        event("beforeSubmitPrompt", 60),
        event("sessionStart", 60),
        event("sessionEnd", 60),
    ],
    switch: None,
    holds: "its guards are asked before each tool of Cursor, and none is used where they cannot be asked",
    next: "Cursor lists them in its settings, under Hooks",
};

pub(crate) const GEMINI: HookTable = HookTable {
    agent: "gemini",
    own_file: None,
    syntax: Syntax::JsonWithComments,
    form: Form::Groups,
    members: MEMBERS,
    has_version: false,
    fail_closed: FailClosed::Command,
    events: &[
        event("BeforeTool", 60_000),
        event("AfterTool", 60_000),
        event("BeforeAgent", 60_000),
        event("SessionStart", 60_000),
        event("SessionEnd", 60_000),
    ],
    switch: Some(Switch { path: &["hooksConfig", "enabled"], off: false, is_with_servers: false }),
    holds: "its guards are asked before each tool of Gemini CLI, and none is used where they cannot be asked",
    next: "`/hooks list` shows them; a project's run only in a folder that is trusted",
};

pub(crate) const QWEN: HookTable = HookTable {
    agent: "qwen",
    own_file: None,
    syntax: Syntax::JsonWithComments,
    form: Form::Groups,
    members: MEMBERS,
    has_version: false,
    fail_closed: FailClosed::Command,
    // Milliseconds; where a version takes them for seconds, `extline hook` has decided long before.
    events: &[
        event("PreToolUse", 60_000),
        event("PostToolUse", 60_000),
        event("UserPromptSubmit", 60_000),
        event("SessionStart", 60_000),
        event("SessionEnd", 60_000),
    ],
    switch: Some(Switch { path: &["disableAllHooks"], off: true, is_with_servers: false }),
    holds: "its guards are asked before each tool of Qwen Code, and none is used where they cannot be asked",
    next: "`/hooks` shows them; a session that runs already may not have them",
};

pub(crate) const CRUSH: HookTable = HookTable {
    agent: "crush",
    own_file: None,
    syntax: Syntax::Json,
    form: Form::Flat,
    members: MEMBERS,
    has_version: false,
    fail_closed: FailClosed::Command,
    events: &[event("PreToolUse", 60)],
    switch: None,
    holds: "its guards are asked before each tool of Crush but those of its sub-agents, and none is used where \
            they cannot be asked",
    next: "",
};

pub(crate) const COPILOT: HookTable = HookTable {
    agent: "copilot",
    own_file: Some(OwnFile {
        project: ".github/hooks/extline.json",
        user: "${COPILOT_HOME:-~/.copilot}/hooks/extline.json",
    }),
    syntax: Syntax::Json,
    form: Form::Typed,
    members: Members { command: "bash", timeout: "timeoutSec", event_on_line: true, ..MEMBERS },
    has_version: true,
    fail_closed: FailClosed::Command,
    events: &[
        event("preToolUse", 60),
        event("postToolUse", 60),
        event("userPromptSubmitted", 60),
        event("sessionStart", 60),
        event("sessionEnd", 60),
    ],
    switch: Some(Switch { path: &["disableAllHooks"], off: true, is_with_servers: false }),
    holds: "its guards are asked before each tool of Copilot CLI, and none is used where they cannot be asked",
    next: "a session that runs already does not have them; a project's run only in a folder that is trusted",
};

/// A file of its own, since Copilot CLI has one in the same folders; either reads both.
pub(crate) const VSCODE: HookTable = HookTable {
    agent: "vscode",
    own_file: Some(OwnFile {
        project: ".github/hooks/extline-vscode.json",
        user: "~/.copilot/hooks/extline-vscode.json",
    }),
    syntax: Syntax::Json,
    form: Form::Typed,
    members: MEMBERS,
    // VS Code does without, and the runtime of Copilot does not.
    has_version: true,
    fail_closed: FailClosed::Command,
    events: &[
        event("PreToolUse", 60),
        event("PostToolUse", 60),
        event("UserPromptSubmit", 60),
        event("SessionStart", 60),
    ],
    switch: None,
    holds: "its guards are asked before each tool of VS Code, and none is used where they cannot be asked",
    next: "`/hooks` in the chat shows them, and an organization can turn hooks off; Copilot CLI runs them too",
};

pub(crate) const DROID: HookTable = HookTable {
    agent: "droid",
    own_file: Some(OwnFile { project: ".factory/settings.json", user: "~/.factory/settings.json" }),
    syntax: Syntax::Json,
    form: Form::Groups,
    members: MEMBERS,
    has_version: false,
    fail_closed: FailClosed::Command,
    events: &[
        event("PreToolUse", 60),
        event("PostToolUse", 60),
        event("UserPromptSubmit", 60),
        event("SessionStart", 60),
        event("SessionEnd", 60),
    ],
    switch: Some(Switch { path: &["hooksDisabled"], off: true, is_with_servers: false }),
    holds: "its guards are asked before each tool of Droid, and none is used where they cannot be asked",
    next: "`/hooks` shows them; a session that runs already may not have them",
};

pub(crate) const OPENCODE: HookTable = HookTable {
    agent: "opencode",
    own_file: Some(OwnFile {
        project: ".opencode/plugins/extline.js",
        user: "${XDG_CONFIG_HOME:-~/.config}/opencode/plugins/extline.js",
    }),
    syntax: Syntax::Json,
    form: Form::Module(include_str!("../install/shims/opencode.js")),
    members: MEMBERS,
    has_version: false,
    fail_closed: FailClosed::Command,
    events: &[
        event("tool.execute.before", 30),
        event("tool.execute.after", 30),
        event("chat.message", 30),
        event("session.start", 30),
        event("session.end", 30),
    ],
    switch: None,
    holds: "its guards are asked before each tool of opencode, and none is used where they cannot be asked",
    next: "a session that runs already does not have it, and `opencode --pure` runs no plugins",
};

pub(crate) const PI: HookTable = HookTable {
    agent: "pi",
    own_file: Some(OwnFile {
        project: ".pi/extensions/extline.js",
        user: "${PI_CODING_AGENT_DIR:-~/.pi/agent}/extensions/extline.js",
    }),
    syntax: Syntax::Json,
    form: Form::Module(include_str!("../install/shims/pi.js")),
    members: MEMBERS,
    has_version: false,
    fail_closed: FailClosed::Command,
    events: &[
        event("tool_call", 30),
        event("tool_result", 30),
        event("before_agent_start", 30),
        event("session_start", 30),
        event("session_shutdown", 30),
    ],
    switch: None,
    holds: "its guards are asked before each tool of pi, and none is used where they cannot be asked",
    next: "`/reload` loads it into a session that runs; `pi --no-extensions` runs without",
};

pub(crate) const GOOSE: HookTable = HookTable {
    agent: "goose",
    own_file: Some(OwnFile {
        project: ".agents/plugins/extline/hooks/hooks.json",
        user: "~/.agents/plugins/extline/hooks/hooks.json",
    }),
    syntax: Syntax::Json,
    form: Form::Groups,
    // It takes a pattern for a regular expression. `*` is none, and such a group is skipped.
    members: Members { matcher: None, ..MEMBERS },
    has_version: false,
    fail_closed: FailClosed::Both("on_failure", "block"),
    events: &[
        event("PreToolUse", 60),
        event("PostToolUse", 60),
        event("PostToolUseFailure", 60),
        event("UserPromptSubmit", 60),
        event("SessionStart", 60),
        event("SessionEnd", 60),
    ],
    switch: None,
    holds: "its guards are asked before each tool of goose, and none is used where they cannot be asked",
    next: "a session that runs already does not have them",
};

impl Switch {
    /// Its name, where a file has it turned off.
    pub(crate) fn turned_off(&self, root: &Map<String, Value>) -> Option<String> {
        let (first, rest) = self.path.split_first()?;
        let value = rest.iter().try_fold(root.get(*first)?, |value, name| value.get(name))?;
        (value.as_bool() == Some(self.off)).then(|| self.path.join("."))
    }
}

impl OwnFile {
    /// The file of a scope, in the notation of `install/paths.rs`.
    pub(crate) fn path(&self, scope: Scope) -> &'static str {
        match scope {
            Scope::Project => self.project,
            Scope::User => self.user,
        }
    }
}

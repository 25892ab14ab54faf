//! What each agent sends to a hook and obeys from it: all that is known of an agent's hooks stands here.
//! `docs/hooks.md` has the same as a table.

/// An agent's hooks.
#[derive(Debug)]
pub(super) struct Dialect {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    /// The member of what it sends that names the event.
    pub(super) event: &'static str,
    /// Its events. What is not listed is not told to extensions.
    pub(super) events: &'static [(&'static str, Kind)],
    pub(super) fields: Fields,
    /// Members that some of its versions call otherwise: that name, and the one above.
    pub(super) older: &'static [(&'static str, &'static str)],
    /// Its tools that extensions know by another name, or with other arguments.
    pub(super) tools: &'static [ToolName],
    pub(super) answer: Format,
    /// How it is told not to take a prompt. Extensions are not asked about prompts of others.
    pub(super) prompts: Option<PromptFormat>,
    /// It asks its user where a hook says so. Others block such a call.
    pub(super) asks: bool,
    /// What is printed where nothing is to be said. Some agents want JSON from every hook.
    pub(super) silence: &'static str,
    /// The variable that holds the project's folder.
    pub(super) project: &'static str,
}

/// Where things stand in what an agent sends.
#[derive(Debug)]
pub(super) struct Fields {
    pub(super) session: &'static str,
    pub(super) tool: &'static str,
    pub(super) args: &'static str,
    pub(super) id: &'static str,
    pub(super) result: &'static str,
    pub(super) prompt: &'static str,
    pub(super) cwd: &'static str,
}

/// What an event of an agent is for extensions.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    /// A tool call is about to run: interceptors and guards decide.
    Call,
    /// A tool call ended.
    Result,
    /// A tool call ended and has failed.
    FailedResult,
    Prompt,
    SessionStart,
    SessionEnd,
    /// An event of that name, of which nothing more is told.
    Named(&'static str),
}

/// How an answer is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Format {
    /// `hookSpecificOutput` with `permissionDecision` and `updatedInput`.
    Claude,
    /// The same; what is rewritten has to be allowed in the same breath.
    Codex,
    /// The same without `updatedInput`, which is ignored: a call that was rewritten would run as it was.
    ClaudeWithoutRewrites,
    /// `decision`, and `tool_input` in `hookSpecificOutput`.
    Gemini,
    /// `decision` and `updated_input`.
    Crush,
    /// `permission` and `updated_input`.
    Cursor,
    /// `permissionDecision` and `modifiedArgs`, at the root. The modules of `extline install` read it too.
    Copilot,
    /// As `Claude` and as `Copilot` at once: VS Code reads the one, and the runtime of Copilot, which reads
    /// the same files and is not told apart, the other.
    VsCode,
    /// An exit code, and the reason on stderr. Nothing that is printed changes a call.
    ExitCode,
}

/// How a prompt is refused. No agent of these takes another one in its place.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum PromptFormat {
    /// `decision` with this word, and `reason`, which the user reads.
    Decision(&'static str),
    /// `continue` and `user_message`.
    Cursor,
    /// `continue` and `stopReason`.
    VsCode,
    /// Exit code 2, with the reason on stderr.
    ExitCode,
}

/// As Claude Code and those that follow it have it.
const BLOCKS: Option<PromptFormat> = Some(PromptFormat::Decision("block"));

/// A tool under two names.
#[derive(Debug)]
pub(super) struct ToolName {
    /// The agent's.
    pub(super) theirs: &'static str,
    /// That of extensions.
    pub(super) ours: &'static str,
    pub(super) args: &'static [Argument],
}

/// An argument that extensions know in another way.
#[derive(Debug)]
pub(super) enum Argument {
    /// Under another name: the agent's, then that of extensions.
    Named(&'static str, &'static str),
    /// In milliseconds, where extensions have seconds.
    Milliseconds(&'static str),
    /// One replacement as members of the call, old and new, where extensions have a list `edits`.
    Edit(&'static str, &'static str),
    /// A list `edits` whose members have these names.
    Edits(&'static str, &'static str),
}

use Argument::{Edit, Edits, Milliseconds, Named};

const fn tool(theirs: &'static str, ours: &'static str, args: &'static [Argument]) -> ToolName {
    ToolName { theirs, ours, args }
}

const FILE: &[Argument] = &[Named("file_path", "path")];
const EDIT: &[Argument] = &[Named("file_path", "path"), Edit("old_string", "new_string")];
const EDITS: &[Argument] = &[Named("file_path", "path"), Edits("old_string", "new_string")];

const SNAKE: Fields = Fields {
    session: "session_id",
    tool: "tool_name",
    args: "tool_input",
    id: "tool_use_id",
    result: "tool_response",
    prompt: "prompt",
    cwd: "cwd",
};

/// As Claude Code names them, and those that follow it.
const CLAUDE_EVENTS: &[(&str, Kind)] = &[
    ("PreToolUse", Kind::Call),
    ("PostToolUse", Kind::Result),
    ("PostToolUseFailure", Kind::FailedResult),
    ("UserPromptSubmit", Kind::Prompt),
    ("SessionStart", Kind::SessionStart),
    ("SessionEnd", Kind::SessionEnd),
    ("PreCompact", Kind::Named("pre_compact")),
    ("PostCompact", Kind::Named("post_compact")),
    ("SubagentStart", Kind::Named("subagent_start")),
    ("SubagentStop", Kind::Named("subagent_stop")),
];

/// Gemini CLI's, and those of its fork.
const GEMINI_TOOLS: &[ToolName] = &[
    tool("run_shell_command", "bash", &[]),
    tool("read_file", "read", &[Named("absolute_path", "path"), Named("file_path", "path")]),
    tool("write_file", "write", FILE),
    tool("replace", "edit", EDIT),
    tool("edit", "edit", EDIT),
];

pub(super) const DIALECTS: [Dialect; 12] = [
    Dialect {
        id: "claude",
        name: "Claude Code",
        event: "hook_event_name",
        events: CLAUDE_EVENTS,
        fields: SNAKE,
        older: &[],
        tools: &[
            tool("Bash", "bash", &[Milliseconds("timeout")]),
            tool("Read", "read", FILE),
            tool("Write", "write", FILE),
            tool("Edit", "edit", EDIT),
            tool("MultiEdit", "edit", EDITS),
        ],
        answer: Format::Claude,
        prompts: BLOCKS,
        asks: true,
        silence: "",
        project: "CLAUDE_PROJECT_DIR",
    },
    Dialect {
        id: "codex",
        name: "Codex",
        event: "hook_event_name",
        events: CLAUDE_EVENTS,
        fields: SNAKE,
        older: &[],
        tools: &[tool("Bash", "bash", &[])],
        answer: Format::Codex,
        prompts: BLOCKS,
        asks: false,
        silence: "",
        project: "",
    },
    Dialect {
        id: "gemini",
        name: "Gemini CLI",
        event: "hook_event_name",
        events: &[
            ("BeforeTool", Kind::Call),
            ("AfterTool", Kind::Result),
            ("BeforeAgent", Kind::Prompt),
            ("SessionStart", Kind::SessionStart),
            ("SessionEnd", Kind::SessionEnd),
            ("PreCompress", Kind::Named("pre_compact")),
        ],
        fields: SNAKE,
        older: &[],
        tools: GEMINI_TOOLS,
        answer: Format::Gemini,
        prompts: Some(PromptFormat::Decision("deny")),
        // It has `ask`, and without a person it then waits forever.
        asks: false,
        silence: "{}",
        project: "GEMINI_PROJECT_DIR",
    },
    Dialect {
        id: "crush",
        name: "Crush",
        event: "event",
        events: &[("PreToolUse", Kind::Call)],
        fields: SNAKE,
        older: &[],
        tools: &[
            tool("bash", "bash", &[]),
            tool("view", "read", FILE),
            tool("write", "write", FILE),
            tool("edit", "edit", EDIT),
            tool("multiedit", "edit", EDITS),
        ],
        answer: Format::Crush,
        prompts: None,
        asks: false,
        silence: "",
        project: "CRUSH_PROJECT_DIR",
    },
    Dialect {
        id: "cursor",
        name: "Cursor",
        event: "hook_event_name",
        events: &[
            ("preToolUse", Kind::Call),
            ("postToolUse", Kind::Result),
            ("postToolUseFailure", Kind::FailedResult),
            ("beforeSubmitPrompt", Kind::Prompt),
            ("sessionStart", Kind::SessionStart),
            ("sessionEnd", Kind::SessionEnd),
            ("preCompact", Kind::Named("pre_compact")),
        ],
        fields: Fields { session: "conversation_id", result: "tool_output", ..SNAKE },
        older: &[],
        tools: &[
            tool("Shell", "bash", &[]),
            tool("Read", "read", FILE),
            tool("Write", "write", FILE),
            tool("Edit", "edit", EDIT),
        ],
        answer: Format::Cursor,
        prompts: Some(PromptFormat::Cursor),
        asks: false,
        silence: "{}",
        project: "CURSOR_PROJECT_DIR",
    },
    Dialect {
        id: "copilot",
        name: "Copilot CLI",
        event: "hookEventName",
        events: &[
            ("preToolUse", Kind::Call),
            ("postToolUse", Kind::Result),
            ("userPromptSubmitted", Kind::Prompt),
            ("sessionStart", Kind::SessionStart),
            ("sessionEnd", Kind::SessionEnd),
        ],
        fields: Fields {
            session: "sessionId",
            tool: "toolName",
            args: "toolArgs",
            id: "toolCallId",
            result: "toolResult",
            prompt: "prompt",
            cwd: "cwd",
        },
        older: &[],
        tools: &[
            tool("bash", "bash", &[]),
            tool("view", "read", &[]),
            tool("create", "write", &[Named("file_text", "content")]),
            tool("edit", "edit", &[Edit("old_str", "new_str")]),
        ],
        answer: Format::Copilot,
        prompts: None,
        asks: true,
        silence: "",
        project: "",
    },
    Dialect {
        id: "vscode",
        name: "VS Code",
        event: "hook_event_name",
        events: CLAUDE_EVENTS,
        fields: SNAKE,
        older: &[
            ("hookEventName", "hook_event_name"),
            ("sessionId", "session_id"),
            // As the runtime of Copilot has it.
            ("tool_result", "tool_response"),
        ],
        tools: &[
            tool("run_in_terminal", "bash", &[Milliseconds("timeout")]),
            tool("read_file", "read", &[Named("filePath", "path")]),
            tool("create_file", "write", &[Named("filePath", "path")]),
            tool(
                "replace_string_in_file",
                "edit",
                &[Named("filePath", "path"), Edit("oldString", "newString")],
            ),
            // The runtime of Copilot tells of its tools by the names of Claude Code, with arguments of its own.
            tool("Bash", "bash", &[]),
            tool("Read", "read", FILE),
            tool("Write", "write", &[Named("file_path", "path"), Named("file_text", "content")]),
            tool("Edit", "edit", &[Named("file_path", "path"), Edit("old_str", "new_str")]),
        ],
        answer: Format::VsCode,
        prompts: Some(PromptFormat::VsCode),
        asks: true,
        silence: "{}",
        project: "",
    },
    Dialect {
        id: "qwen",
        name: "Qwen Code",
        event: "hook_event_name",
        events: CLAUDE_EVENTS,
        fields: SNAKE,
        older: &[],
        tools: GEMINI_TOOLS,
        answer: Format::ClaudeWithoutRewrites,
        prompts: BLOCKS,
        asks: true,
        silence: "",
        project: "QWEN_PROJECT_DIR",
    },
    Dialect {
        id: "droid",
        name: "Factory Droid",
        event: "hook_event_name",
        events: CLAUDE_EVENTS,
        fields: SNAKE,
        older: &[],
        tools: &[
            tool("Execute", "bash", &[]),
            tool("Read", "read", FILE),
            tool("Create", "write", FILE),
            tool("Edit", "edit", &[Named("file_path", "path"), Edit("old_str", "new_str")]),
        ],
        answer: Format::Claude,
        // It goes on after `"decision": "block"`, and runs a call that it is to ask about.
        prompts: Some(PromptFormat::ExitCode),
        asks: false,
        silence: "",
        project: "FACTORY_PROJECT_DIR",
    },
    Dialect {
        id: "goose",
        name: "goose",
        event: "event",
        events: &[
            ("PreToolUse", Kind::Call),
            ("PostToolUse", Kind::Result),
            ("PostToolUseFailure", Kind::FailedResult),
            ("UserPromptSubmit", Kind::Prompt),
            ("SessionStart", Kind::SessionStart),
            ("SessionEnd", Kind::SessionEnd),
        ],
        // It tells that a call has ended, and not what came of it.
        fields: Fields {
            id: "tool_call_id",
            result: "",
            prompt: "message",
            cwd: "working_dir",
            ..SNAKE
        },
        older: &[],
        tools: &[
            tool("shell", "bash", &[Named("timeout_secs", "timeout")]),
            tool("write", "write", &[]),
            tool("edit", "edit", &[Edit("before", "after")]),
            // As they are called where they are those of a server.
            tool("developer__shell", "bash", &[Named("timeout_secs", "timeout")]),
            tool("developer__write", "write", &[]),
            tool("developer__edit", "edit", &[Edit("before", "after")]),
        ],
        answer: Format::ExitCode,
        prompts: None,
        asks: false,
        silence: "",
        project: "",
    },
    // What these two send is made by the modules that `extline install` writes for them.
    Dialect {
        id: "opencode",
        name: "opencode",
        event: "hook_event_name",
        events: &[
            ("tool.execute.before", Kind::Call),
            ("tool.execute.after", Kind::Result),
            ("chat.message", Kind::Prompt),
            ("session.start", Kind::SessionStart),
            ("session.end", Kind::SessionEnd),
            ("session.compacted", Kind::Named("post_compact")),
            ("subagent.start", Kind::Named("subagent_start")),
        ],
        fields: SNAKE,
        older: &[],
        tools: &[
            tool("bash", "bash", &[Milliseconds("timeout")]),
            tool("read", "read", &[Named("filePath", "path")]),
            tool("write", "write", &[Named("filePath", "path")]),
            tool("edit", "edit", &[Named("filePath", "path"), Edit("oldString", "newString")]),
        ],
        answer: Format::Copilot,
        prompts: None,
        asks: false,
        silence: "",
        project: "",
    },
    Dialect {
        id: "pi",
        name: "pi",
        event: "hook_event_name",
        events: &[
            ("tool_call", Kind::Call),
            ("tool_result", Kind::Result),
            ("tool_result.error", Kind::FailedResult),
            ("before_agent_start", Kind::Prompt),
            ("session_start", Kind::SessionStart),
            ("session_shutdown", Kind::SessionEnd),
            ("session_compact", Kind::Named("post_compact")),
        ],
        fields: SNAKE,
        older: &[],
        // They are called as extensions know them.
        tools: &[],
        answer: Format::Copilot,
        prompts: None,
        asks: true,
        silence: "",
        project: "",
    },
];

impl Dialect {
    /// That of an agent's name on the command line.
    pub(super) fn of(id: &str) -> Option<&'static Self> {
        DIALECTS.iter().find(|dialect| dialect.id == id)
    }

    pub(super) fn kind(&self, event: &str) -> Option<Kind> {
        self.events.iter().find(|(name, _)| *name == event).map(|(_, kind)| *kind)
    }

    pub(super) fn tool(&self, theirs: &str) -> Option<&'static ToolName> {
        self.tools.iter().find(|tool| tool.theirs == theirs)
    }
}

//! The agents: where their files are, and what an entry looks like in them. All that is known of an
//! agent stands here; `docs/agents.md` has the same as a table.

pub(crate) mod hooks;

use clap::ValueEnum;

use self::hooks::HookTable;

/// The agent that has no such file: an extension is copied into its folder.
pub(crate) const ZOT: &str = "zot";

/// Whose configuration.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Scope {
    /// That of the present folder, which may be shared with others
    Project,
    /// Your own, in your home folder
    User,
}

/// An agent whose configuration is edited.
#[derive(Debug)]
pub(crate) struct Agent {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    /// Files of the present folder. Where there are several, the first that is there is taken, or else
    /// the first.
    pub(crate) project: &'static [&'static str],
    /// Files of the person, in the same order; see `install/paths.rs` for the notation.
    pub(crate) user: Paths,
    pub(crate) syntax: Syntax,
    /// The table of servers, at the root of the file.
    pub(crate) key: &'static str,
    /// An entry, in this order.
    pub(crate) entry: &'static [(&'static str, Member)],
    /// What the person does next.
    pub(crate) next: &'static str,
    /// What else is to be known of project files.
    pub(crate) next_in_project: &'static str,
    /// Where the person's file has tables of servers for single folders too: by the folder's path below
    /// this key. `discover` lists those of the present folder.
    pub(crate) folders_key: Option<&'static str>,
    /// Its names may hold no underscore.
    pub(crate) splits_names: bool,
    /// Its files are those of a plugin of ours.
    pub(crate) plugin: Option<Plugin>,
    /// None where it has no hooks.
    pub(crate) hooks: Option<&'static HookTable>,
}

/// What a plugin has beside servers and hooks, and needs: where it is, and what it says.
#[derive(Debug)]
pub(crate) struct Plugin {
    project: &'static str,
    user: &'static str,
    pub(crate) text: &'static str,
}

/// By platform.
#[derive(Debug)]
pub(crate) struct Paths {
    pub(crate) unix: &'static [&'static str],
    pub(crate) macos: &'static [&'static str],
    pub(crate) windows: &'static [&'static str],
}

impl Paths {
    const fn everywhere(paths: &'static [&'static str]) -> Self {
        Self { unix: paths, macos: paths, windows: paths }
    }

    fn here(&self) -> &'static [&'static str] {
        if cfg!(windows) {
            self.windows
        } else if cfg!(target_os = "macos") {
            self.macos
        } else {
            self.unix
        }
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Syntax {
    /// Without comments and commas at the end: the agent refuses those.
    Json,
    /// With comments.
    JsonWithComments,
    /// With both.
    Jsonc,
    Toml,
}

/// What a member of an entry holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Member {
    /// The program.
    Command,
    /// Its arguments.
    Args,
    /// Both in one list.
    CommandLine,
    Text(&'static str),
    True,
    /// A list that stands for all.
    All,
}

/// As most have it.
const COMMAND_AND_ARGS: &[(&str, Member)] = &[("command", Member::Command), ("args", Member::Args)];
const STDIO: &[(&str, Member)] =
    &[("type", Member::Text("stdio")), ("command", Member::Command), ("args", Member::Args)];

pub(crate) const AGENTS: [Agent; 13] = [
    Agent {
        id: "claude",
        name: "Claude Code",
        project: &[".mcp.json"],
        user: Paths::everywhere(&["${CLAUDE_CONFIG_DIR:-~}/.claude.json"]),
        syntax: Syntax::Json,
        key: "mcpServers",
        entry: STDIO,
        next: "`claude mcp list` shows it; a session that runs already does not have it",
        next_in_project: "Claude Code asks once whether the servers of this folder may start",
        folders_key: Some("projects"),
        splits_names: false,
        plugin: None,
        hooks: Some(&hooks::CLAUDE),
    },
    Agent {
        id: "codex",
        name: "Codex",
        project: &[".codex/config.toml"],
        user: Paths::everywhere(&["${CODEX_HOME:-~/.codex}/config.toml"]),
        syntax: Syntax::Toml,
        key: "mcp_servers",
        entry: COMMAND_AND_ARGS,
        next: "`codex mcp list` shows it",
        next_in_project: "Codex reads this file only in a project that is trusted",
        folders_key: None,
        splits_names: false,
        plugin: None,
        hooks: Some(&hooks::CODEX),
    },
    Agent {
        id: "cursor",
        name: "Cursor",
        project: &[".cursor/mcp.json"],
        user: Paths::everywhere(&["~/.cursor/mcp.json"]),
        syntax: Syntax::Jsonc,
        key: "mcpServers",
        entry: COMMAND_AND_ARGS,
        next: "Cursor lists it in its settings, under MCP",
        next_in_project: "Cursor asks before it starts the servers of a folder",
        folders_key: None,
        splits_names: false,
        plugin: None,
        hooks: Some(&hooks::CURSOR),
    },
    Agent {
        id: "vscode",
        name: "VS Code",
        project: &[".vscode/mcp.json"],
        user: Paths {
            unix: &["${XDG_CONFIG_HOME:-~/.config}/Code/User/mcp.json"],
            macos: &["~/Library/Application Support/Code/User/mcp.json"],
            windows: &["${APPDATA:-~/AppData/Roaming}/Code/User/mcp.json"],
        },
        syntax: Syntax::Jsonc,
        key: "servers",
        entry: STDIO,
        next: "`MCP: List Servers` in the command palette shows it",
        next_in_project: "VS Code asks before it starts the servers of a folder",
        folders_key: None,
        splits_names: false,
        plugin: None,
        hooks: Some(&hooks::VSCODE),
    },
    Agent {
        id: "gemini",
        name: "Gemini CLI",
        project: &[".gemini/settings.json"],
        user: Paths::everywhere(&["${GEMINI_CLI_HOME:-~}/.gemini/settings.json"]),
        syntax: Syntax::JsonWithComments,
        key: "mcpServers",
        entry: COMMAND_AND_ARGS,
        next: "`gemini mcp list` shows it; servers start only in a folder that is trusted",
        next_in_project: "",
        folders_key: None,
        splits_names: true,
        plugin: None,
        hooks: Some(&hooks::GEMINI),
    },
    Agent {
        id: "qwen",
        name: "Qwen Code",
        project: &[".qwen/settings.json"],
        user: Paths::everywhere(&["~/.qwen/settings.json"]),
        syntax: Syntax::JsonWithComments,
        key: "mcpServers",
        entry: COMMAND_AND_ARGS,
        next: "`qwen mcp list` shows it",
        next_in_project: "",
        folders_key: None,
        splits_names: false,
        plugin: None,
        hooks: Some(&hooks::QWEN),
    },
    Agent {
        id: "copilot",
        name: "Copilot CLI",
        project: &[".github/mcp.json"],
        user: Paths::everywhere(&["${COPILOT_HOME:-~/.copilot}/mcp-config.json"]),
        syntax: Syntax::Json,
        key: "mcpServers",
        entry: &[
            ("type", Member::Text("local")),
            ("command", Member::Command),
            ("args", Member::Args),
            ("tools", Member::All),
        ],
        next: "`copilot mcp list` shows it",
        next_in_project: "Copilot CLI reads this file only in a folder that is trusted",
        folders_key: None,
        splits_names: false,
        plugin: None,
        hooks: Some(&hooks::COPILOT),
    },
    Agent {
        id: "droid",
        name: "Factory Droid",
        project: &[".factory/mcp.json"],
        user: Paths::everywhere(&["~/.factory/mcp.json"]),
        syntax: Syntax::Json,
        key: "mcpServers",
        entry: STDIO,
        next: "`/mcp` in Droid shows it",
        next_in_project: "",
        folders_key: None,
        splits_names: false,
        plugin: None,
        hooks: Some(&hooks::DROID),
    },
    Agent {
        id: "opencode",
        name: "opencode",
        project: &["opencode.json", "opencode.jsonc"],
        user: Paths::everywhere(&[
            "${XDG_CONFIG_HOME:-~/.config}/opencode/opencode.json",
            "${XDG_CONFIG_HOME:-~/.config}/opencode/opencode.jsonc",
        ]),
        syntax: Syntax::Jsonc,
        key: "mcp",
        entry: &[
            ("type", Member::Text("local")),
            ("command", Member::CommandLine),
            ("enabled", Member::True),
        ],
        next: "`opencode mcp list` shows it",
        next_in_project: "",
        folders_key: None,
        splits_names: false,
        plugin: None,
        hooks: Some(&hooks::OPENCODE),
    },
    Agent {
        id: "crush",
        name: "Crush",
        project: &[".crush.json", "crush.json"],
        user: Paths::everywhere(&["${XDG_CONFIG_HOME:-~/.config}/crush/crush.json"]),
        syntax: Syntax::Json,
        key: "mcp",
        entry: STDIO,
        next: "Crush shows it beside the conversation when it is started again",
        next_in_project: "",
        folders_key: None,
        splits_names: false,
        plugin: None,
        hooks: Some(&hooks::CRUSH),
    },
    Agent {
        id: "zed",
        name: "Zed",
        project: &[".zed/settings.json"],
        user: Paths {
            unix: &["${XDG_CONFIG_HOME:-~/.config}/zed/settings.json"],
            macos: &["~/.config/zed/settings.json"],
            windows: &["${APPDATA:-~/AppData/Roaming}/Zed/settings.json"],
        },
        syntax: Syntax::Jsonc,
        key: "context_servers",
        entry: COMMAND_AND_ARGS,
        next: "Zed lists it in the settings of its agent panel",
        next_in_project: "Zed reads this file only in a folder that is trusted",
        folders_key: None,
        splits_names: false,
        plugin: None,
        hooks: None,
    },
    Agent {
        id: "pi",
        name: "pi",
        project: &[".pi/mcp.json"],
        user: Paths::everywhere(&["${PI_CODING_AGENT_DIR:-~/.pi/agent}/mcp.json"]),
        syntax: Syntax::Json,
        key: "mcpServers",
        // Its default is that the model writes a script to find and call tools.
        entry: &[
            ("command", Member::Command),
            ("args", Member::Args),
            ("exposure", Member::Text("direct")),
        ],
        next: "`pi mcp list` shows it",
        next_in_project: "pi reads this file only in a project that is trusted",
        folders_key: None,
        splits_names: false,
        plugin: None,
        hooks: Some(&hooks::PI),
    },
    Agent {
        id: "goose",
        name: "goose",
        project: &[".agents/plugins/extline/.mcp.json"],
        user: Paths::everywhere(&["~/.agents/plugins/extline/.mcp.json"]),
        syntax: Syntax::Json,
        key: "mcpServers",
        entry: COMMAND_AND_ARGS,
        next: "a session that runs already does not have it",
        next_in_project: "",
        folders_key: None,
        splits_names: false,
        plugin: Some(Plugin {
            project: ".agents/plugins/extline/plugin.json",
            user: "~/.agents/plugins/extline/plugin.json",
            text: "{\n  \"name\": \"extline\",\n  \"version\": \"1.0.0\",\n  \"description\": \"Extensions, \
                   and hooks that ask their guards before each tool\"\n}\n",
        }),
        hooks: Some(&hooks::GOOSE),
    },
];

/// The names of all in whose configuration extensions are installed.
pub(crate) fn names() -> Vec<&'static str> {
    AGENTS.iter().map(|agent| agent.id).chain([ZOT]).collect()
}

/// The names of those that have hooks.
pub(crate) fn names_with_hooks() -> Vec<&'static str> {
    AGENTS.iter().filter(|agent| agent.hooks.is_some()).map(|agent| agent.id).collect()
}

impl Plugin {
    /// The file of a scope, in the notation of `install/paths.rs`.
    pub(crate) fn path(&self, scope: Scope) -> &'static str {
        match scope {
            Scope::Project => self.project,
            Scope::User => self.user,
        }
    }
}

impl Agent {
    /// The files of a scope, as they are written above.
    pub(crate) fn paths(&self, scope: Scope) -> &'static [&'static str] {
        match scope {
            Scope::Project => self.project,
            Scope::User => self.user.here(),
        }
    }

    /// The files that may hold its hooks, in the same way.
    pub(crate) fn hook_paths(&self, scope: Scope) -> Vec<&'static str> {
        match self.hooks {
            None => Vec::new(),
            Some(HookTable { own_file: Some(own), .. }) => vec![own.path(scope)],
            Some(_) => self.paths(scope).to_vec(),
        }
    }
}

"""The agents that are driven: what each is called and told, what its tools are, and what it does not have."""

import json
from dataclasses import dataclass


@dataclass
class Agent:
    """How one is driven; `call` makes a step of the script that runs a shell command."""

    id: str
    program: str
    package: str
    shell: str
    argument: str
    # A tool of the extension is called by this and its own name.
    tools: str
    files: tuple
    # What it has to be told, and how it is told to run the command of the extension.
    words: tuple
    command: tuple = ()
    # How it takes the package of `extline package`: its folder, what is run before, words more, its tools.
    package_folder: str | None = None
    package_before: tuple = ()
    package_words: tuple = ()
    package_tools: str | None = None
    # What it does not have: then it is seen that nothing else comes of it.
    lacks: tuple = ()
    # How its package calls the program otherwise.
    packaged_program: str = ""
    # What it does with arguments that an interceptor changed: it runs them, or is told that it cannot.
    rewritten: str = "rewritten"
    events: tuple = ("session_start", "user_prompt_submit", "tool_result")
    # What it says where it can ask nobody, and ends with that.
    ends_at_dialog: str = ""

    def call(self, line):
        return {"call": self.shell, "args": {self.argument: line, **self.more()}}

    def tool(self, name, args, packaged=False):
        namespace, _, prefix = (self.package_tools if packaged else self.tools).rpartition("/")
        step = {"call": prefix + name, "args": args}
        return step | ({"namespace": namespace} if namespace else {})

    def more(self):
        if self.id in ("codex", "pi"):
            return {}
        if self.id == "goose":
            # As for Qwen Code below.
            return {"timeout_secs": 60}
        if self.id == "droid":
            return {"summary": "Print a word for a test", "riskLevel": "low", "riskLevelReason": "It prints a word"}
        # guard-python gives a call without a timeout one, and Qwen Code cannot run what was rewritten.
        own = {"is_background": False, "timeout": 60000} if self.id == "qwen" else {}
        return {"description": "a test", **own}

    def prepare(self, home, url):
        """Writes what the agent needs to reach the model; returns its environment."""
        if self.id == "claude":
            quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "IS_SANDBOX": "1"}
            return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", **quiet}
        if self.id == "codex":
            config = home / ".codex/config.toml"
            config.parent.mkdir()
            config.write_text(
                'model = "scripted"\nmodel_provider = "scripted"\n\n[model_providers.scripted]\n'
                f'name = "scripted"\nbase_url = "{url}/v1"\nwire_api = "responses"\n'
            )
            return {}
        if self.id == "opencode":
            config = home / ".config/opencode/opencode.json"
            config.parent.mkdir(parents=True)
            model = {"name": "scripted", "limit": {"context": 100000, "output": 1000}, "tool_call": True}
            options = {"baseURL": f"{url}/v1", "apiKey": "none"}
            provider = {"anthropic": {"options": options, "models": {"scripted": model}}}
            # Nothing is fetched: neither a newer version nor the list of models.
            config.write_text(json.dumps({"autoupdate": False, "share": "disabled", "provider": provider}))
            return {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1"}
        if self.id == "pi":
            config = home / ".pi/agent/models.json"
            config.parent.mkdir(parents=True)
            provider = {"baseUrl": url, "api": "anthropic-messages", "apiKey": "none", "models": [{"id": "scripted"}]}
            config.write_text(json.dumps({"providers": {"scripted": provider}}))
            return {}
        if self.id == "qwen":
            config = home / ".qwen/settings.json"
            config.parent.mkdir()
            config.write_text(json.dumps({"security": {"auth": {"selectedType": "anthropic"}}}))
            return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", "ANTHROPIC_MODEL": "scripted"}
        if self.id == "copilot":
            provider = {"COPILOT_PROVIDER_BASE_URL": url, "COPILOT_PROVIDER_TYPE": "anthropic"}
            quiet = {"COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_API_KEY": "none"}
            return {"COPILOT_MODEL": "scripted", **quiet, **provider}
        if self.id == "droid":
            settings = home / ".factory/settings.json"
            settings.parent.mkdir()
            model = {"model": "scripted", "displayName": "scripted", "baseUrl": url, "apiKey": "none"}
            model |= {"provider": "anthropic", "maxOutputTokens": 1000}
            settings.write_text(json.dumps({"customModels": [model], "cloudSessionSync": False}))
            # It speaks to nobody but that model then.
            return {"FACTORY_AIRGAP_ENABLED": "1"}
        if self.id == "crush":
            config = home / ".config/crush/crush.json"
            config.parent.mkdir(parents=True)
            model = {"id": "scripted", "name": "scripted", "context_window": 100000, "default_max_tokens": 1000}
            provider = {"type": "anthropic", "base_url": url, "api_key": "none", "models": [model]}
            chosen = {size: {"provider": "scripted", "model": "scripted"} for size in ("large", "small")}
            options = {"disable_provider_auto_update": True, "disable_metrics": True}
            config.write_text(json.dumps({"providers": {"scripted": provider}, "models": chosen, "options": options}))
            return {}
        if self.id == "goose":
            config = home / ".config/goose/config.yaml"
            config.parent.mkdir(parents=True)
            # JSON is YAML too.
            shell = {"type": "platform", "name": "developer", "enabled": True}
            config.write_text(json.dumps({"extensions": {"developer": shell}}))
            provider = {"GOOSE_PROVIDER": "anthropic", "GOOSE_MODEL": "scripted", "ANTHROPIC_HOST": url}
            quiet = {"GOOSE_DISABLE_KEYRING": "1", "GOOSE_TELEMETRY_ENABLED": "false", "GOOSE_MODE": "auto"}
            return {"ANTHROPIC_API_KEY": "none", **provider, **quiet}
        settings = home / ".gemini/settings.json"
        settings.parent.mkdir()
        auth = {"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}}
        settings.write_text(json.dumps(auth))
        return {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url}


AGENTS = (
    Agent(
        "claude",
        "claude",
        "@anthropic-ai/claude-code",
        "Bash",
        "command",
        "mcp__witness__",
        (".claude/settings.json", ".claude.json"),
        ("-p", "PROMPT", "--allowedTools", "Bash(echo:*)", "mcp__witness"),
        ("/mcp__witness__oath solemnly",),
        package_folder="claude",
        package_before=(("plugin", "validate", "PACKAGE"),),
        package_words=("--plugin-dir", "PACKAGE", "--allowedTools", "mcp__plugin_witness_witness"),
        package_tools="mcp__plugin_witness_witness__",
    ),
    Agent(
        "opencode",
        "opencode",
        "opencode-ai",
        "bash",
        "command",
        "witness_",
        (".config/opencode/plugins/extline.js", ".config/opencode/opencode.json"),
        ("run", "--model", "anthropic/scripted", "PROMPT"),
        ("--command", "witness:oath", "solemnly"),
        lacks=("dialog", "refused prompt"),
    ),
    Agent(
        "pi",
        "pi",
        "@earendil-works/pi-coding-agent",
        "bash",
        "command",
        "mcp__witness__",
        (".pi/agent/extensions/extline.js", ".pi/agent/mcp.json"),
        ("-p", "--offline", "--provider", "scripted", "--model", "scripted", "PROMPT"),
        lacks=("dialog", "refused prompt", "command"),
    ),
    Agent(
        "codex",
        "codex",
        "@openai/codex",
        "exec_command",
        "cmd",
        "mcp__witness/",
        (".codex/hooks.json", ".codex/config.toml"),
        # A user trusts the hooks in /hooks; headless there is nobody who could.
        (
            "exec",
            "--skip-git-repo-check",
            "--dangerously-bypass-hook-trust",
            "--dangerously-bypass-approvals-and-sandbox",
            "PROMPT",
        ),
        lacks=("command",),
    ),
    Agent(
        "qwen",
        "qwen",
        "@qwen-code/qwen-code",
        "run_shell_command",
        "command",
        "mcp__witness__",
        (".qwen/settings.json",),
        ("--yolo", "--auth-type", "anthropic", "--model", "scripted", "-p", "PROMPT"),
        ("/oath solemnly",),
        # It would run what it had before: the call is blocked.
        rewritten="Qwen Code has no way to run it so",
        events=("user_prompt_submit", "tool_result"),
        lacks=("rewrite", "dialog"),
    ),
    Agent(
        "copilot",
        "copilot",
        "@github/copilot",
        "bash",
        "command",
        "witness-",
        (".copilot/hooks/extline.json", ".copilot/mcp-config.json"),
        ("-p", "PROMPT", "--allow-all-tools"),
        ("/oath solemnly",),
        lacks=("refused prompt", "command"),
    ),
    Agent(
        "gemini",
        "gemini",
        "@google/gemini-cli",
        "run_shell_command",
        "command",
        "mcp_witness_",
        (".gemini/settings.json",),
        # A model of its own choice would be chosen by asking another.
        ("--yolo", "--skip-trust", "--model", "gemini-2.5-pro", "-p", "PROMPT"),
        # By position it takes only arguments that have to be there.
        ('/oath --args="solemnly"',),
        lacks=("dialog",),
        package_folder="gemini",
        package_before=(("extensions", "validate", "PACKAGE"), ("extensions", "link", "--consent", "PACKAGE")),
        package_tools="mcp_witness_",
    ),
    Agent(
        "droid",
        "droid",
        "droid",
        "Execute",
        "command",
        "witness___",
        (".factory/settings.json", ".factory/mcp.json"),
        ("exec", "--model", "custom:scripted-0", "--skip-permissions-unsafe", "PROMPT"),
        ("/oath solemnly",),
        # `droid exec` runs no hook at a prompt.
        events=("session_start", "tool_result"),
        lacks=("dialog", "refused prompt", "command"),
    ),
    Agent(
        "goose",
        "goose",
        "@aaif/goose-binary-linux-x64",
        "shell",
        "command",
        "extline_witness__",
        (".agents/plugins/extline/hooks/hooks.json", ".agents/plugins/extline/.mcp.json"),
        ("run", "--no-session", "--text", "PROMPT"),
        ("/oath solemnly",),
        # It would run what it had before: the call is blocked.
        rewritten="no way to run it so",
        events=("session_start", "user_prompt_submit", "tool_result"),
        packaged_program="goose-binary-linux-x64",
        ends_at_dialog="no interactive terminal is available",
        lacks=("rewrite", "dialog", "refused prompt", "command"),
    ),
    # After its documentation: nobody has seen it here.
    Agent(
        "crush",
        "crush",
        "@charmland/crush",
        "bash",
        "command",
        "mcp_witness_",
        (".config/crush/crush.json",),
        ("run", "--quiet", "PROMPT"),
        events=(),
        lacks=("dialog", "refused prompt", "command"),
    ),
)
# Agents that are not driven here, and how to get them.
OTHERS = {
    "cursor": "curl https://cursor.com/install -fsS | bash; it needs an account",
    "zot": "make tools TOOLS=zot; make test-agents drives it by itself",
}
